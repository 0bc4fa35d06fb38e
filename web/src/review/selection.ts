/** What of a request is left out: whole files by their real path, and hunks by their id. Pure. */
import type { ChangeRow, ShowAnswer } from "../api/types";

export type Selection = { files: ReadonlySet<string>; hunks: ReadonlySet<string> };

export const none: Selection = { files: new Set(), hunks: new Set() };

export function toggled(selection: Selection, kind: "files" | "hunks", names: string[], leaveOut: boolean): Selection {
  const changed = new Set(selection[kind]);
  for (const name of names) {
    if (leaveOut) changed.add(name);
    else changed.delete(name);
  }
  return { ...selection, [kind]: changed };
}

/** The hunks of a path that can be told apart; a file with fewer than two is taken or left whole. */
export function hunksOf(shown: ShowAnswer, change: ChangeRow): string[] {
  const ids = shown.hunks.find((one) => one.path === change.shown)?.ids ?? [];
  return ids.length > 1 ? ids : [];
}

export type Part = { files: string[]; hunks: string[]; count: number; total: number };

/** What an accept names of a selection: null where all is taken. `count` and `total` are of hunks and whole files. */
export function partOf(shown: ShowAnswer, selection: Selection): Part | null {
  const part: Part = { files: [], hunks: [], count: 0, total: 0 };
  for (const change of shown.changes) {
    const ids = hunksOf(shown, change);
    const kept = ids.filter((id) => !selection.hunks.has(id));
    part.total += ids.length || 1;
    if (selection.files.has(change.path)) continue;
    if (!ids.length || kept.length === ids.length) part.files.push(change.path);
    else part.hunks.push(...kept);
    part.count += ids.length ? kept.length : 1;
  }
  return part.count === part.total ? null : part;
}
