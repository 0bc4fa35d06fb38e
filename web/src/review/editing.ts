/** A proposal's contents as texts that can be edited, and back; what a text area would change is given back. */
import type { EditableRow } from "../api/types";

export type Draft = { path: string; shown: string; flags: string[]; before: string; ends: "\n" | "\r\n" };

/** A file that can't be edited here says why. */
export type Obstacle = { shown: string; obstacle: string };

/** What was typed into requests that still wait, by their id and path: it outlives a look at another tab. */
const begun = new Map<string, Record<string, string>>();

export function begunOf(id: string): Record<string, string> {
  return begun.get(id) ?? {};
}

export function begin(id: string, texts: Record<string, string>): void {
  begun.set(id, texts);
}

/** It was decided. */
export function forget(id: string): void {
  begun.delete(id);
}

export function isBegun(id?: string): boolean {
  return id === undefined ? begun.size > 0 : begun.has(id);
}

export function draftOf(row: EditableRow): Draft | Obstacle {
  const { shown, path } = row;
  if (row.base64 === undefined) return { shown, obstacle: row.obstacle ?? "It can't be edited." };
  if (!row.encoding) return { shown, obstacle: "It is no text." };
  const text = decoded(row.base64, row.encoding);
  if (text === null) return { shown, obstacle: `Its encoding, ${row.encoding}, is none that this browser reads.` };
  const returns = text.split("\r").length - 1;
  const pairs = text.split("\r\n").length - 1;
  const ends = text.split("\n").length - 1;
  if (returns !== pairs || (pairs > 0 && pairs !== ends)) return { shown, obstacle: "Its line ends are mixed." };
  return { path, shown, flags: row.flags ?? [], before: text.replaceAll("\r\n", "\n"), ends: pairs ? "\r\n" : "\n" };
}

/** What is sent of the edited texts: those that differ from what was proposed. */
export function edited(drafts: Draft[], texts: Record<string, string>): Record<string, string> {
  const changed = drafts.filter(({ path, before }) => texts[path] !== undefined && texts[path] !== before);
  return Object.fromEntries(changed.map(({ path, ends }) => [path, (texts[path] ?? "").replaceAll("\n", ends)]));
}

function decoded(base64: string, encoding: string): string | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
