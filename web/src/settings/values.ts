/** A setting's value as a text that is edited, and back. Pure; what is no value is told by the server. */
import type { SettingRow } from "../api/types";

export type Kind = "boolean" | "number" | "list" | "text";

export function kindOf({ value, default: usual }: SettingRow): Kind {
  for (const one of [value, usual]) {
    if (typeof one === "boolean") return "boolean";
    if (typeof one === "number") return "number";
    if (Array.isArray(one)) return "list";
  }
  return value === null ? "number" : "text";
}

/** A list has an item a line; what isn't set is empty. */
export function written(value: unknown): string {
  if (Array.isArray(value)) return value.join("\n");
  return value === null || value === undefined ? "" : String(value);
}

export function read(kind: Kind, text: string): unknown {
  const trimmed = text.trim();
  if (kind === "boolean") return trimmed === "true";
  if (kind === "list")
    return text
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
  if (kind === "number") return trimmed === "" ? null : /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : trimmed;
  return text;
}
