/** The tab of an entry of the history. */
import type { EntryRow } from "../api/types";
import type { Tab } from "../state/tabs";

export function entryTab({ number, title, cause }: EntryRow): Tab {
  return { id: `entry-${number}`, kind: "entry", title: title || cause, about: String(number) };
}
