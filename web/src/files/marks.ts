/** What git says of each path, as a letter and a word; a folder has the mark of what is below it. */
import type { Tools } from "../api/types";
import { parentsOf } from "../parts/paths";

export type Git = Tools["editor_git_status"]["answers"];
export type Mark = { letter: string; says: string };

/** By what git says of a side of it. */
export const MARKS: Record<string, Mark> = {
  untracked: { letter: "U", says: "not in git yet" },
  modified: { letter: "M", says: "modified" },
  added: { letter: "A", says: "added" },
  deleted: { letter: "D", says: "deleted" },
  renamed: { letter: "R", says: "renamed" },
  copied: { letter: "C", says: "copied" },
  conflicted: { letter: "!", says: "in conflict" },
};
const BELOW: Mark = { letter: "•", says: "with changes" };

export function marksOf(git: Git | null): ReadonlyMap<string, Mark> {
  const marks = new Map<string, Mark>();
  for (const entry of git?.entries ?? []) {
    const mark = MARKS[entry.worktree] ?? MARKS[entry.index];
    if (!mark) continue;
    marks.set(entry.path, mark);
    for (const folder of parentsOf(entry.path)) {
      if (!marks.has(folder)) marks.set(folder, BELOW);
    }
  }
  return marks;
}
