/** What a person does to files from the tree; each is one entry of the history, and can be undone. */
import { tool } from "../api/tool";
import { saying, sayWhy, undoing } from "../history/undoing";
import type { Place } from "../shell/place";
import { nameOf, parentOf } from "../parts/paths";
import type { Row } from "./tree";

export type Asked = { kind: "file" | "folder"; folder: string } | { kind: "rename"; path: string };

/** Make what was asked for, under a name, and answer its path; throws what the server refuses. */
export async function create(place: Place, asked: Asked, name: string): Promise<string> {
  const { call } = place.room;
  if (asked.kind === "rename") {
    const to = renameTo(parentOf(asked.path), name);
    const done = await tool(call, "editor_move", { from: asked.path, to });
    place.moved(asked.path, to);
    place.say(`Renamed ${asked.path} to ${to}.`, undoing(place, done.transaction_id));
    return to;
  }
  const path = renameTo(asked.folder, name);
  await tool(call, "editor_create", { path, kind: asked.kind });
  if (asked.kind === "file") place.goToFile(path);
  return path;
}

/** Move a path; what is refused is said. */
export async function move(place: Place, from: string, to: string): Promise<void> {
  if (from === to || to.startsWith(`${from}/`)) return;
  try {
    const moving = tool(place.room.call, "editor_move", { from, to });
    const done = await saying(place, `Moving ${from}…`, moving);
    place.moved(from, to);
    place.say(`Moved ${from} to ${to}.`, undoing(place, done.transaction_id));
  } catch (error) {
    sayWhy(place, error);
  }
}

/** Delete at once, for it can be undone at once. */
export async function remove(place: Place, row: Row): Promise<void> {
  const recursive = row.kind === "directory";
  try {
    const deleting = tool(place.room.call, "editor_delete", { path: row.path, recursive });
    const done = await saying(place, `Deleting ${row.path}…`, deleting);
    place.say(`Deleted ${row.path}.`, undoing(place, done.transaction_id));
  } catch (error) {
    sayWhy(place, error);
  }
}

export function renameTo(folder: string, name: string): string {
  return folder === "." ? name : `${folder}/${name}`;
}

export function nameAsked(asked: Asked): string {
  return asked.kind === "rename" ? nameOf(asked.path) : "";
}
