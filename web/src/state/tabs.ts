/** What is open in the middle: each tab once, by its id, and which of them is shown. */
import { escaped } from "../parts/escape";
import { nameOf } from "../parts/paths";
import { Store } from "./store";

/** `by`: another has opened it, and the person hasn't taken it over yet. `asks`: what is looked at there first. */
export type Tab = {
  id: string;
  kind: string;
  title: string;
  about: string;
  by?: string | undefined;
  asks?: "undo" | undefined;
};

/** Tabs of others that are kept; the oldest goes first. */
const MOST_OF_OTHERS = 8;

export type Tabs = { open: Tab[]; active: string | null };

/** The one that is seen. */
export function shownOf({ open, active }: Tabs): Tab | undefined {
  return open.find((tab) => tab.id === active);
}

export function fileTab(path: string): Tab {
  return { id: `file:${path}`, kind: "file", title: escaped(nameOf(path)), about: path };
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

  /** What a tab shows stands elsewhere now; one that was laid there already gives way. */
  rename(id: string, tab: Tab): void {
    const { open, active } = this.get();
    if (!open.some((one) => one.id === id)) return;
    const renamed = open.filter((one) => one.id !== tab.id).map((one) => (one.id === id ? tab : one));
    this.set({ open: renamed, active: active === id ? tab.id : active });
  }

  /** Go there; a tab of another's is the person's from now on. */
  activate(id: string): void {
    this.set({ ...this.get(), active: id });
    this.claim();
  }

  /** The shown tab is the person's. */
  claim(): void {
    const { open, active } = this.get();
    this.set({ active, open: open.map((one) => (one.id === active ? { ...one, by: undefined } : one)) });
  }

  /** What was open in an earlier life of this page is open again, before what is there; `shown` is gone to, if anything. */
  restore(tabs: Tab[], shown: string | null): void {
    const { open, active } = this.get();
    const before = tabs.filter((tab) => !open.some((one) => one.id === tab.id));
    const first = before.find((tab) => tab.id === shown) ?? before.at(-1);
    this.set({ open: [...before, ...open], active: active ?? first?.id ?? null });
  }

  /** Put a tab of another's beside those that are there. */
  lay(tab: Tab): void {
    const { open, active } = this.get();
    if (open.some((one) => one.id === tab.id)) return;
    const others = open.filter((one) => one.by !== undefined && one.id !== active);
    const spare = others.length < MOST_OF_OTHERS ? undefined : others[0];
    this.set({ active, open: [...open.filter((one) => one !== spare), tab] });
  }

  /** Show a tab of another's, which stays theirs. */
  glance(tab: Tab): void {
    this.lay(tab);
    this.set({ ...this.get(), active: tab.id });
  }

  /** They have closed it. */
  withdraw(id: string, by: string): void {
    const { open, active } = this.get();
    if (id !== active && open.some((one) => one.id === id && one.by === by)) this.close(id);
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
