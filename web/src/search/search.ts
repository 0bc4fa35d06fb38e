/** What is looked for in the files' contents, and what was found; kept while another view is shown. */
import type { Call } from "../api/call";
import { tool } from "../api/tool";
import type { Tools } from "../api/types";
import { Resource, Store } from "../state/store";

/** `text` is a regular expression only where that is said. */
export type Asked = { text: string; regex: boolean; matchCase: boolean; glob: string };
export type Found = Tools["editor_search"]["answers"];
export type Hit = Found["files"][number]["hits"][number];

const LINES = 500;

export class Search {
  readonly form = new Store<Asked>({ text: "", regex: false, matchCase: false, glob: "" });
  /** The answer to what was asked last; what is asked while one is on its way is asked after. */
  readonly answer: Resource<Found>;
  readonly begun = new Store(false);

  constructor(call: Call) {
    this.answer = new Resource(async () => {
      const asked = this.form.get();
      const globs = asked.glob.split(",").map((glob) => glob.trim());
      return await tool(call, "editor_search", {
        pattern: asked.regex ? asked.text : literally(asked.text),
        ignore_case: !asked.matchCase,
        include_glob: globs.filter(Boolean),
        max_matches: LINES,
      });
    });
  }

  run(): void {
    if (!this.form.get().text) return;
    this.begun.set(true);
    void this.answer.refresh();
  }
}

/** An expression that fits the text and nothing else. */
function literally(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$#&~-]/g, "\\$&");
}

/** Where the match begins in the line, as the page counts: an emoji is two. */
export function columnOf(hit: Hit): number {
  const column = hit.column ?? 1;
  return hit.cut ? column : widthOf(hit.text, column - 1) + 1;
}

const BEFORE = 10;
/** Characters that are shown before a match; what stands further in front is left out, as indentation is. */

/** What is shown of a line, with the places of its first match there. Of a line that is cut they aren't known. */
export function excerptOf(hit: Hit): { text: string; marks: Set<number> } {
  if (hit.cut) return { text: `… ${hit.text} …`, marks: new Set() };
  const start = columnOf(hit) - 1;
  const length = widthOf(hit.text.slice(start), hit.length ?? 0);
  const indent = hit.text.length - hit.text.trimStart().length;
  const from = start - indent > BEFORE + 4 ? start - BEFORE : Math.min(indent, start);
  const lead = from > indent ? "…" : "";
  const marks = new Set(Array.from({ length }, (_, at) => lead.length + start - from + at));
  return { text: lead + hit.text.slice(from), marks };
}

/** How many places so many characters of a text take. */
function widthOf(text: string, characters: number): number {
  return [...text].slice(0, characters).join("").length;
}

const REASONS: Record<string, string> = { binary: "binary", too_large: "too large", unreadable: "unreadable" };

/** How much was found, and what wasn't looked at. */
export function told({ files, total, truncated, skipped }: Found): string {
  const lines = total === 1 ? "1 line" : `${total} lines`;
  const said = total ? `${lines} in ${files.length === 1 ? "1 file" : `${files.length} files`}.` : "No line fits.";
  const passed = Object.entries((skipped ?? {}) as Record<string, number>);
  const apart = passed.map(([reason, count]) => `${count} ${REASONS[reason] ?? reason}`).join(", ");
  return [said, truncated ? "There are more: the search was cut." : "", apart ? `Files not searched: ${apart}.` : ""]
    .filter(Boolean)
    .join(" ");
}
