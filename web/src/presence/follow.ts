/**
 * Goes where another goes: what they open or change is shown, until the person types or clicks elsewhere.
 *
 * What agents open is laid beside the person's tabs in any case, marked as theirs.
 */
import { tool } from "../api/tool";
import type { BuffersChanged, Committed, PresentRow } from "../api/types";
import { escaped } from "../parts/escape";
import type { Place } from "../shell/place";
import { Store } from "../state/store";
import { fileTab } from "../state/tabs";

/** Holds who is followed. */
export class Follower extends Store<PresentRow | null> {
  constructor(private readonly place: Place) {
    super(null);
    place.room.presence.subscribe(() => this.#look());
  }

  /** Follow them, or no longer. */
  toggle(row: PresentRow): void {
    if (this.get()?.session === row.session) return this.end();
    this.set(row);
    if (row.path && row.did !== "closed") this.place.glance(row.path, row.actor.name);
  }

  /** What is shown stays, and is the person's now. */
  end(): void {
    if (!this.get()) return;
    this.set(null);
    this.place.tabs.claim();
  }

  /** Somebody has opened or closed a file. */
  inView({ action, paths, actor_kind, actor, session }: BuffersChanged): void {
    const path = paths[0];
    const by = escaped(actor);
    if (path === undefined || actor_kind !== "agent") return;
    if (action === "closed") this.place.tabs.withdraw(fileTab(path).id, by);
    if (action !== "opened") return;
    if (session === this.get()?.session) this.place.glance(path, by);
    else this.place.tabs.lay({ ...fileTab(path), by });
  }

  /** Somebody has changed files, and those that are open have followed. */
  async committed({ entry, paths, actor }: Committed): Promise<void> {
    const followed = this.get();
    const path = paths[0];
    if (!followed || !entry || path === undefined || escaped(actor) !== followed.actor.name) return;
    const { call } = this.place.room;
    const told = await tool(call, "editor_changes", { entry }).catch(() => null);
    const { present } = await call("presence.list", {});
    const row = present.find((one) => one.session === followed.session); // another may have the same name
    const change = told?.changes.find((one) => one.path === path);
    if (this.get() !== followed || row?.path !== escaped(path) || change?.kind === "deleted") return;
    this.place.glance(path, followed.actor.name, firstLine(change?.patch ?? ""));
  }

  #look(): void {
    const { value } = this.place.room.presence.get();
    const followed = this.get();
    if (!value || !followed || value.some((one) => one.session === followed.session)) return;
    this.end();
    this.place.say(`${followed.actor.name} has left.`);
  }
}

/** The first line that a patch changes, in what it makes. */
function firstLine(patch: string): number {
  const lines = patch.split("\n");
  const at = lines.findIndex((line) => line.startsWith("@@"));
  const begin = Number(/\+(\d+)/.exec(lines[at] ?? "")?.[1] ?? 1);
  const context = lines.slice(at + 1).findIndex((line) => !line.startsWith(" "));
  return Math.max(begin + Math.max(context, 0), 1);
}
