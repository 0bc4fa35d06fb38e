/** What is looked for in the files' contents, and what was found; kept while another view is shown. */
import type { Call } from "../api/call";
import { tool } from "../api/tool";
import type { Tools } from "../api/types";
import { Resource, Store } from "../state/store";

export type Asked = { pattern: string; matchCase: boolean; glob: string };
export type Found = Tools["editor_search"]["answers"];
export type Hit = Found["files"][number]["hits"][number];
export type Answer = { asked: Asked; found: Found };

const LINES = 500;

export class Search {
  readonly form = new Store<Asked>({ pattern: "", matchCase: false, glob: "" });
  /** The answer to what was asked last; what is asked while one is on its way is asked after. */
  readonly answer: Resource<Answer>;
  readonly begun = new Store(false);

  constructor(call: Call) {
    this.answer = new Resource(async () => {
      const asked = this.form.get();
      const globs = asked.glob.split(",").map((glob) => glob.trim());
      const found = await tool(call, "editor_search", {
        pattern: asked.pattern,
        ignore_case: !asked.matchCase,
        include_glob: globs.filter(Boolean),
        max_matches: LINES,
      });
      return { asked, found };
    });
  }

  run(): void {
    if (!this.form.get().pattern) return;
    this.begun.set(true);
    void this.answer.refresh();
  }
}

/** The line in which the hit's column counts as the page counts: an emoji is two. */
export function columnOf(hit: Hit): number {
  const column = hit.column ?? 1;
  return hit.cut ? column : [...hit.text].slice(0, column - 1).join("").length + 1;
}

/**
 * The places of the first match in the line that is shown. The server says where it begins; how long it is, the
 * expression says, where this browser reads it as ripgrep does. Of a line that is cut it isn't known.
 */
export function marksOf(hit: Hit, asked: Asked): Set<number> {
  if (hit.cut) return new Set();
  const start = columnOf(hit) - 1;
  const length = lengthAt(hit.text, start, asked);
  return new Set(Array.from({ length }, (_, at) => start + at));
}

function lengthAt(text: string, start: number, { pattern, matchCase }: Asked): number {
  try {
    const expression = new RegExp(pattern, matchCase ? "uy" : "uyi");
    expression.lastIndex = start;
    return expression.exec(text)?.[0].length || 1;
  } catch {
    return 1; // ripgrep knows what this browser doesn't
  }
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
