/** Requests that look alike, so that nobody answers one for the other. Pure. */
import type { WaitingRow } from "../api/types";

/** Those among `rows` that a quick look takes for the one of this id, itself left out. */
export function lookAlikes(rows: WaitingRow[], id: string): WaitingRow[] {
  const one = rows.find((row) => row.id === id);
  if (!one) return [];
  const look = lookOf(one);
  return rows.filter((row) => row.id !== id && lookOf(row) === look);
}

/** A title as the eye takes it in: without ids, case, digits, and what isn't a letter. */
function lookOf(row: WaitingRow): string {
  const plain = titleOf(row).normalize("NFKD").toLowerCase();
  return `${row.kind} ${plain.replace(/[^\p{L}]+/gu, "").replace(/[il1|]/g, "l")}`;
}

/** The title without the transaction's id, which says nothing to a reader. */
export function titleOf(row: { title: string }): string {
  return row.title.replace(/^Commit tx_[0-9a-z]+: /, "");
}

/** What tells an id from another at a glance: `approval_h5jpkddfes6m` is `h5jp`. */
export function shortOf(id: string): string {
  return id.slice(id.indexOf("_") + 1, id.indexOf("_") + 5);
}

/** Lines of what each would do that the other wouldn't; ids apart. */
export function differences(mine: string, theirs: string): string[] {
  const of = (text: string): string[] => text.replace(/\b(approval|plan|tx)_[0-9a-z]+/g, "$1").split("\n");
  const [ours, others] = [of(mine), of(theirs)];
  const inOthers = new Set(others);
  return ours.filter((line) => line.trim() && !inOthers.has(line));
}
