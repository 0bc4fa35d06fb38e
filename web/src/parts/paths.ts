/** Paths from the root, taken apart. Pure. */

export const ROOT = ".";

/** What a file or folder is called. */
export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The folder that holds a path; `.` for the root. */
export function parentOf(path: string): string {
  const at = path.lastIndexOf("/");
  return at < 0 ? ROOT : path.slice(0, at);
}

/** All folders above a path, from the top down, without the root. */
export function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, at) => parts.slice(0, at + 1).join("/"));
}
