/**
 * The folder as a tree: fetched level by level as it is unfolded, and fetched anew where something was changed.
 *
 * Which folders are unfolded is remembered by the server.
 */
import { escaped } from "../parts/escape";
import type { Call } from "../api/call";
import { tool } from "../api/tool";
import type { Committed } from "../api/types";
import { ROOT, parentOf, parentsOf } from "../parts/paths";
import { Store, asRefused } from "../state/store";
import type { Refused } from "../api/call";

type Node = { name: string; kind: "file" | "directory" | "symlink" | "other"; children?: Node[]; truncated?: boolean };

type Level = { nodes: Node[]; cut: boolean };

export type TreeState = { levels: ReadonlyMap<string, Level>; open: ReadonlySet<string>; error: Refused | null };

/** A line of the tree. `path` is from the root; the note of a cut level has a path that no file has. */
export type Row = {
  path: string;
  name: string;
  depth: number;
  kind: Node["kind"] | "cut";
  open: boolean;
  ready: boolean;
  /** Its place among those of its level, from 1, and how many they are. */
  at: number;
  of: number;
};

const ORDER = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

export class Tree extends Store<TreeState> {
  constructor(private readonly call: Call) {
    super({ levels: new Map(), open: new Set(), error: null });
  }

  /** The root, and what was unfolded the last time. */
  readonly begin = async (): Promise<void> => {
    const expanded = await this.#load(ROOT);
    if (!expanded) return;
    this.set({ ...this.get(), open: new Set(expanded) });
    await Promise.all(expanded.filter((path) => this.#isShown(path)).map((path) => this.#load(path)));
  };

  async toggle(path: string): Promise<void> {
    await (this.get().open.has(path) ? this.fold(path) : this.unfold(path));
  }

  async unfold(path: string): Promise<void> {
    this.set({ ...this.get(), open: new Set(this.get().open).add(path) });
    await this.#load(path, { expand: [path] });
    const below = [...this.get().open].filter((one) => parentOf(one) === path);
    await Promise.all(below.map((one) => this.#load(one)));
  }

  async fold(path: string): Promise<void> {
    const below = (one: string): boolean => one === path || one.startsWith(`${path}/`);
    const open = new Set([...this.get().open].filter((one) => !below(one)));
    this.set({ ...this.get(), open, levels: this.#without(below) });
    await tool(this.call, "editor_tree", { path, max_depth: 0, collapse: [path] }).catch(() => undefined); // it has gone
  }

  /** Unfold what is above a path. */
  async reveal(path: string): Promise<void> {
    for (const folder of parentsOf(path)) {
      if (!this.get().open.has(folder)) await this.unfold(folder);
    }
  }

  /** Fetch anew what a commit may have changed of what is seen. What is folded is fetched when it is unfolded. */
  async follow(committed: Pick<Committed, "paths" | "total">): Promise<void> {
    const whole = committed.total > committed.paths.length;
    const touched = new Set(committed.paths.flatMap((path) => [parentOf(path), path, ...parentsOf(path)]));
    const { levels, open } = this.get();
    const unfolded = levels.has(ROOT) ? [ROOT, ...open] : []; // also one that was gone, and is back
    const seen = unfolded.filter((path) => (whole || touched.has(path)) && this.#isSeen(path));
    await Promise.all(seen.map((path) => this.#load(path)));
  }

  async #load(path: string, change: { expand?: string[]; collapse?: string[] } = {}): Promise<string[] | null> {
    try {
      const answer = await tool(this.call, "editor_tree", { path, max_depth: 1, ...change });
      const node = answer.tree as Node;
      const level = { nodes: sorted(node.children ?? []), cut: answer.truncated === true };
      this.set({ ...this.get(), levels: new Map(this.get().levels).set(path, level), error: null });
      return answer.expanded;
    } catch (error) {
      const levels = new Map(this.get().levels);
      levels.delete(path); // a folder that has gone
      this.set({ ...this.get(), levels, error: path === ROOT ? asRefused(error) : this.get().error });
      return null;
    }
  }

  #without(gone: (path: string) => boolean): TreeState["levels"] {
    return new Map([...this.get().levels].filter(([path]) => !gone(path)));
  }

  #isSeen(path: string): boolean {
    return path === ROOT || (this.get().open.has(path) && this.#isShown(path));
  }

  #isShown(path: string): boolean {
    return parentsOf(path).every((folder) => this.get().open.has(folder));
  }
}

/** What is to be seen, from the top down. */
export function rowsOf({ levels, open }: TreeState): Row[] {
  const rows: Row[] = [];
  const add = (folder: string, depth: number): void => {
    const level = levels.get(folder);
    const nodes = level?.nodes ?? [];
    const of = nodes.length + (level?.cut ? 1 : 0);
    nodes.forEach((node, index) => {
      const path = folder === ROOT ? node.name : `${folder}/${node.name}`;
      const isOpen = node.kind === "directory" && open.has(path);
      const ready = !isOpen || levels.has(path);
      rows.push({ path, name: escaped(node.name), depth, kind: node.kind, open: isOpen, ready, at: index + 1, of });
      if (isOpen) add(path, depth + 1);
    });
    if (!level?.cut) return;
    const name = `Only the first ${nodes.length} are listed`;
    rows.push({ path: `${folder}\0`, name, depth, kind: "cut", open: false, ready: true, at: of, of });
  };
  add(ROOT, 1);
  return rows;
}

/** Folders first, then by name as people count. */
function sorted(nodes: Node[]): Node[] {
  const rank = (node: Node): number => (node.kind === "directory" ? 0 : 1);
  return [...nodes].sort((one, other) => rank(one) - rank(other) || ORDER.compare(one.name, other.name));
}
