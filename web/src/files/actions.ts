/** What a person does to files from the tree; each is one entry of the history, and can be undone. */
import { tool } from "../api/tool";
import type { Place } from "../shell/place";
import { asRefused } from "../state/store";
import { nameOf, parentOf } from "../parts/paths";
import type { Row } from "./tree";

export type Asked = { kind: "file" | "folder"; folder: string } | { kind: "rename"; path: string };

/** Make what was asked for, under a name; throws what the server refuses. */
export async function create(place: Place, asked: Asked, name: string): Promise<void> {
  const { call } = place.room;
  if (asked.kind === "rename") {
    const to = renameTo(parentOf(asked.path), name);
    await tool(call, "editor_move", { from: asked.path, to });
    place.moved(asked.path, to);
    return;
  }
  const path = renameTo(asked.folder, name);
  await tool(call, "editor_create", { path, kind: asked.kind });
  if (asked.kind === "file") place.openFile(path);
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

const PATIENCE_MS = 500;

/** Say what is on its way, where it takes a while. */
async function saying<T>(place: Place, text: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => place.say(text), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

function sayWhy(place: Place, error: unknown): void {
  const { message, nextStep } = asRefused(error);
  place.say(`${message} ${nextStep}`.trim());
}

export function renameTo(folder: string, name: string): string {
  return folder === "." ? name : `${folder}/${name}`;
}

export function nameAsked(asked: Asked): string {
  return asked.kind === "rename" ? nameOf(asked.path) : "";
}

/** What a notice offers beside its sentence. */
function undoing(place: Place, id: string | null | undefined) {
  if (!id) return undefined;
  return {
    says: "Undo",
    run: () =>
      void saying(place, "Undoing…", place.room.call("undo", { id })).then(
        () => place.say("Undone."),
        (error: unknown) => sayWhy(place, error),
      ),
  };
}
