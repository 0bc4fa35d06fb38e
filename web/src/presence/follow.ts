/**
 * Goes where another goes: what they open or change is shown, until the person types or clicks elsewhere.
 *
 * What agents open is laid beside the person's tabs in any case, marked as theirs; what they had open before this page
 * came, or was cut off, too. What is theirs goes where its file is moved.
 */
import { tool } from "../api/tool";
import type { BuffersChanged, Committed, PresentRow } from "../api/types";
import { escaped } from "../parts/escape";
import type { Place } from "../shell/place";
import type { BufferRow } from "../state/room";
import { Store } from "../state/store";
import { fileTab } from "../state/tabs";

/** Holds who is followed. */
export class Follower extends Store<PresentRow | null> {
  /** What was laid, as owner and path: what the person has closed since isn't laid again. */
  #laid = new Set<string>();

  constructor(private readonly place: Place) {
    super(null);
    place.room.presence.subscribe(() => this.#look());
    const { buffers } = place.room;
    buffers.subscribe(() => this.#layAll(buffers.get().value));
    place.room.on("buffers_changed", () => {
      const told = place.room.newest.get();
      if (told?.type !== "buffers_changed") return;
      if (told.action === "followed") void buffers.refresh();
      else this.#inView(told);
    });
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

  /** Lay what agents have open, and take away what they no longer have. */
  #layAll(rows: BufferRow[] | null): void {
    if (!rows) return;
    const theirs = rows
      .filter(({ mine, owner_kind }) => !mine && owner_kind === "agent")
      .map(({ path, owner }) => ({ path, owner: escaped(owner ?? "") }));
    const { open, active } = this.place.tabs.get();
    for (const { id, kind, about, by } of open) {
      const there = theirs.some(({ path, owner }) => path === about && owner === by);
      if (kind === "file" && by !== undefined && id !== active && !there) this.place.tabs.close(id);
    }
    const before = this.#laid;
    this.#laid = new Set(theirs.map(({ owner, path }) => `${owner}\0${path}`));
    for (const { owner, path } of theirs) {
      if (!before.has(`${owner}\0${path}`)) this.place.tabs.lay({ ...fileTab(path), by: owner });
    }
  }

  /** Somebody has opened or closed a file. */
  #inView({ action, paths, actor_kind, actor, session }: BuffersChanged): void {
    const path = paths[0];
    const by = escaped(actor);
    if (path === undefined || actor_kind !== "agent") return;
    if (action === "closed") {
      this.#laid.delete(`${by}\0${path}`);
      this.place.tabs.withdraw(fileTab(path).id, by);
    }
    if (action !== "opened") return;
    this.#laid.add(`${by}\0${path}`);
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
