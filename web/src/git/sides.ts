/** The two sides of a changed file: what is staged of it, and what isn't; each has a tab of its own. */
import { escaped } from "../parts/escape";
import { nameOf } from "../parts/paths";
import type { Tab } from "../state/tabs";

export type Side = "index" | "worktree";

/** Unchanged lines around a hunk: those it is shown with are those it is staged with. */
export const CONTEXT = 3;

export function sideTab(side: Side, path: string): Tab {
  const name = escaped(nameOf(path));
  const title = `${name} (${side === "index" ? "staged" : "not staged"})`;
  return { id: `git:${side}:${path}`, kind: "git", title, about: `${side}:${path}` };
}

export function sideAndPath({ about }: Tab): [Side, string] {
  const at = about.indexOf(":");
  return [about.slice(0, at) as Side, about.slice(at + 1)];
}

export function actionOf(side: Side): "stage" | "unstage" {
  return side === "index" ? "unstage" : "stage";
}
