/** Entries gathered into turns: what one session did with nobody else's work in between. Pure. */
import type { EntryRow } from "../api/types";

export type Turn = {
  /** The oldest entry's number: it stays while the turn grows. */
  id: number;
  entries: EntryRow[];
  files: number;
  /** Not all of its paths are known here, so that there may be more files. */
  more: boolean;
  added: number;
  removed: number;
};

/** A pause of this length ends a turn. */
const PAUSE_MS = 30 * 60_000;

/** Newest first, as the entries are. */
export function turnsOf(entries: EntryRow[]): Turn[] {
  const groups: EntryRow[][] = [];
  for (const entry of entries) {
    const group = groups.at(-1);
    if (group && isOneTurn(group.at(-1) as EntryRow, entry)) group.push(entry);
    else groups.push([entry]);
  }
  return groups.map(turnOf);
}

function isOneTurn(later: EntryRow, earlier: EntryRow): boolean {
  return (
    later.session === earlier.session &&
    later.actor.kind === earlier.actor.kind &&
    later.actor.name === earlier.actor.name &&
    Date.parse(later.at) - Date.parse(earlier.at) < PAUSE_MS
  );
}

function turnOf(entries: EntryRow[]): Turn {
  const sum = (of: (entry: EntryRow) => number): number => entries.reduce((all, entry) => all + of(entry), 0);
  return {
    id: entries.at(-1)?.number ?? 0,
    entries,
    files: new Set(entries.flatMap(({ paths }) => paths)).size,
    more: entries.some(({ total, paths }) => total > paths.length),
    added: sum(({ added }) => added),
    removed: sum(({ removed }) => removed),
  };
}
