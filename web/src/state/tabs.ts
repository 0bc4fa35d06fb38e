/** What is open in the middle: each tab once, by its id, and which of them is shown. */
import { Store } from "./store";

export type Tab = { id: string; kind: string; title: string; about: string };

export type Tabs = { open: Tab[]; active: string | null };

/** The one that is seen. */
export function shownOf({ open, active }: Tabs): Tab | undefined {
  return open.find((tab) => tab.id === active);
}

export class TabList extends Store<Tabs> {
  constructor() {
    super({ open: [], active: null });
  }

  /** Show a tab; one that is open already is not opened twice. */
  show(tab: Tab): void {
    const { open } = this.get();
    const there = open.some((one) => one.id === tab.id);
    this.set({ open: there ? open.map((one) => (one.id === tab.id ? tab : one)) : [...open, tab], active: tab.id });
  }

  /** What a tab shows stands elsewhere now. */
  rename(id: string, tab: Tab): void {
    const { open, active } = this.get();
    const renamed = open.map((one) => (one.id === id ? tab : one));
    this.set({ open: renamed, active: active === id ? tab.id : active });
  }

  activate(id: string): void {
    this.set({ ...this.get(), active: id });
  }

  /** Close it; its neighbour is shown, the right one first. */
  close(id: string): void {
    const { open, active } = this.get();
    const at = open.findIndex((one) => one.id === id);
    if (at < 0) return;
    const rest = open.filter((one) => one.id !== id);
    const next = active === id ? ((rest[at] ?? rest[at - 1] ?? null)?.id ?? null) : active;
    this.set({ open: rest, active: next });
  }
}
