/** The changed paths of a repository by their state. Pure. */
import { type Git, type Mark, MARKS } from "../files/marks";
import type { Side } from "./sides";

/** `side` is where its hunks are to be seen, if anywhere; `paths` are what staging it takes: a renamed file is two. */
export type Change = { path: string; from: string | null; side: Side | null; mark: Mark; paths: string[] };

export type Group = { title: string; action: "stage" | "unstage"; changes: Change[] };

type Row = Git["entries"][number];

const TITLES = { conflicted: "In conflict", staged: "Staged", changed: "Not staged", untracked: "Not in git yet" };

/** Groups that hold something; a file that is staged and was changed since is in two. */
export function groupsOf({ entries }: Git): Group[] {
  const inConflict = (row: Row): boolean => row.worktree === "conflicted";
  const isNew = (row: Row): boolean => row.worktree === "untracked";
  const isChanged = (row: Row): boolean => row.worktree !== "unchanged" && !inConflict(row) && !isNew(row);
  const groups: Group[] = [
    { title: TITLES.conflicted, action: "stage", changes: changesOf(entries.filter(inConflict), "worktree") },
    {
      title: TITLES.staged,
      action: "unstage",
      changes: changesOf(
        entries.filter(({ staged }) => staged),
        "index",
      ),
    },
    { title: TITLES.changed, action: "stage", changes: changesOf(entries.filter(isChanged), "worktree") },
    { title: TITLES.untracked, action: "stage", changes: changesOf(entries.filter(isNew), "worktree") },
  ];
  return groups.filter(({ changes }) => changes.length);
}

function changesOf(rows: Row[], side: Side): Change[] {
  return rows.map((row) => {
    const moved = row[side] === "renamed" && row.renamed_from ? row.renamed_from : null;
    const mark = MARKS[row[side]] ?? { letter: "M", says: row[side] };
    return {
      path: row.path,
      from: moved,
      mark,
      side: hasHunks(row[side]) ? side : null,
      paths: moved ? [row.path, moved] : [row.path],
    };
  });
}

/** What git doesn't know yet, and what is in conflict, has nothing to be compared with. */
function hasHunks(word: string): boolean {
  return word !== "untracked" && word !== "conflicted";
}
