/**
 * A text that holds unified diffs, taken apart: sections of files, hunks, and lines with their numbers. Pure.
 *
 * Every line of the text is in the result, in its place: what isn't understood is plain, never left out. A line's number
 * is counted from its hunk's header, and so is where a hunk ends: no content can pass for a header. A long run of blanks
 * was replaced by a marker before the text came here, line ends included: from such a marker on nothing can be trusted to
 * be a header or to have a number, so that all is plain.
 */

export type Line = {
  kind: "kept" | "added" | "removed" | "plain";
  old: number | null;
  new: number | null;
  text: string;
};

export type Hunk = { header: string; id: string | null; lines: Line[] };

/** `path` is as the diff shows it; `head` are the lines before the first hunk, `diff --git` among them. */
export type Section = { path: string; head: string[]; hunks: Hunk[] };

export type Diff = { before: string[]; sections: Section[] };

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@(?: (h[0-9a-f]{6,}))?/;
const SWALLOWED = /⟨\d+ blanks, \d+ line ends⟩$/;

export function parseDiff(text: string): Diff {
  const diff: Diff = { before: [], sections: [] };
  let section: Section | null = null;
  let hunk: Counted | null = null;
  let lost = false;
  for (const line of text.replace(/\n$/, "").split("\n")) {
    const header: RegExpExecArray | null = lost ? null : HUNK.exec(line);
    if (hunk && (lost || hunk.take(line))) {
      if (lost) hunk.plain(line);
    } else if (!lost && (line.startsWith("diff --git ") || (line.startsWith("--- ") && !section?.head.length))) {
      section = { path: pathOf(line), head: [line], hunks: [] };
      diff.sections.push(section);
      hunk = null;
    } else if (header && section) {
      hunk = new Counted(header);
      section.hunks.push(hunk.hunk);
    } else if (hunk) {
      hunk.plain(line);
    } else if (section) {
      section.head.push(line);
      section.path = renamed(line) ?? section.path;
    } else {
      diff.before.push(line);
    }
    lost ||= SWALLOWED.test(line);
  }
  return diff;
}

/** A hunk with how many lines of each side are still to come. */
class Counted {
  readonly hunk: Hunk;
  #old: number;
  #new: number;
  #olds: number;
  #news: number;

  constructor(header: RegExpExecArray) {
    this.#old = Number(header[1]);
    this.#olds = Number(header[2] ?? 1);
    this.#new = Number(header[3]);
    this.#news = Number(header[4] ?? 1);
    this.hunk = { header: header.input, id: header[5] ?? null, lines: [] };
  }

  take(text: string): boolean {
    const kind = ({ " ": "kept", "+": "added", "-": "removed" } as const)[text[0] ?? ""];
    const inOld = kind === "kept" || kind === "removed";
    const inNew = kind === "kept" || kind === "added";
    if (!kind || (inOld && !this.#olds) || (inNew && !this.#news)) return false;
    this.hunk.lines.push({ kind, old: inOld ? this.#old : null, new: inNew ? this.#new : null, text: text.slice(1) });
    if (inOld) (this.#old++, this.#olds--);
    if (inNew) (this.#new++, this.#news--);
    return true;
  }

  plain(text: string): void {
    this.hunk.lines.push({ kind: "plain", old: null, new: null, text });
  }
}

/** The path after, of a line `diff --git a/X b/X`; both are the same but for a move, where `renamed` finds it. */
function pathOf(line: string): string {
  if (line.startsWith("--- ")) return line.replace(/^--- (a\/)?/, "");
  const both = line.slice("diff --git ".length);
  const half = both.slice((both.length + 1) / 2);
  return half.replace(/^"?b\//, "").replace(/"$/, "");
}

function renamed(line: string): string | null {
  if (line.startsWith("+++ b/")) return line.slice("+++ b/".length);
  return line.startsWith("rename to ") ? line.slice("rename to ".length) : null;
}
