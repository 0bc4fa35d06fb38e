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

/**
 * Where a link in the file `from` leads, as a path from the root; null where that is no file of the folder.
 *
 * `/x` is meant from the root, as hosts of repositories read it.
 */
export function linkedFrom(from: string, link: string): string | null {
  const bare = link.replace(/[?#].*$/s, "");
  if (!bare || bare.startsWith("//") || /^[a-z][a-z0-9+.-]*:/i.test(bare)) return null;
  const parts = bare.startsWith("/") || parentOf(from) === ROOT ? [] : parentOf(from).split("/");
  for (const part of bare.split("/")) {
    const name = decoded(part);
    if (name === null || name.includes("/")) return null;
    if (name === ".." && parts.pop() === undefined) return null;
    if (!["", ".", ".."].includes(name)) parts.push(name);
  }
  return parts.join("/");
}

function decoded(part: string): string | null {
  try {
    return decodeURIComponent(part);
  } catch {
    return null;
  }
}
