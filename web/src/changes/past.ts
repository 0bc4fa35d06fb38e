/**
 * The history as far as it was fetched: the newest entries follow by themselves, older ones come when they are asked
 * for. What was fetched has no hole: where too much came at once, the older part is let go.
 */
import type { Refused } from "../api/call";
import type { EntryRow } from "../api/types";
import { ENTRIES, type Room } from "../state/room";
import { Store, asRefused } from "../state/store";

export type PastState = {
  /** Newest first. */
  entries: EntryRow[];
  /** Whether there may be older ones. */
  more: boolean;
  loading: boolean;
  error: Refused | null;
};

export class Past extends Store<PastState> {
  constructor(private readonly room: Room) {
    super({ entries: [], more: false, loading: false, error: null });
    room.log.subscribe(() => this.#newest(room.log.get().value?.entries));
  }

  /** Fetch what lies before the oldest that is known. */
  async older(): Promise<void> {
    const before = this.get().entries.at(-1)?.number;
    if (before === undefined || this.get().loading) return;
    this.set({ ...this.get(), loading: true, error: null });
    try {
      const { entries } = await this.room.call("log", { limit: ENTRIES, before });
      const known = this.get().entries;
      const fits = known.at(-1)?.number === before; // else it was let go meanwhile
      const all = fits ? [...known, ...entries] : known;
      this.set({
        entries: all,
        more: fits ? entries.length === ENTRIES : this.get().more,
        loading: false,
        error: null,
      });
    } catch (error) {
      this.set({ ...this.get(), loading: false, error: asRefused(error) });
    }
  }

  #newest(newest: EntryRow[] | undefined): void {
    if (!newest) return;
    const { entries, more } = this.get();
    const oldest = newest.at(-1)?.number ?? 0;
    const reaches = newest.length > 0 && (entries[0]?.number ?? 0) >= oldest - 1 && entries.length > 0;
    if (!reaches) {
      this.set({ ...this.get(), entries: newest, more: newest.length === ENTRIES });
      return;
    }
    const undone = new Map(newest.flatMap(({ undoes, number }) => (undoes === null ? [] : [[undoes, number]])));
    const older = entries
      .filter(({ number }) => number < oldest)
      .map((entry) => {
        const undoneBy = undone.get(entry.number);
        return undoneBy === undefined ? entry : { ...entry, undoneBy };
      });
    this.set({ ...this.get(), entries: [...newest, ...older], more: older.length ? more : newest.length === ENTRIES });
  }
}
