/** The visible list of what the palette runs, in its order. None of it decides: the mode is gone to, and chosen there. */
import { switchTheme } from "../state/theme";
import type { Place } from "./place";
import { closeTab, save, showInbox, showSearch, turn } from "./useKeys";
import { SIDE } from "./views";

export type Command = { title: string; keys?: string; run: (place: Place) => unknown };

export const COMMANDS: Command[] = [
  { title: "Open a file", keys: "Ctrl+P", run: (place) => place.picking.set("file") },
  ...SIDE.map(({ id, title }) => ({ title: `Show: ${title}`, run: (place: Place) => showSide(place, id) })),
  { title: "Search in all files", keys: "Ctrl+Shift+F", run: showSearch },
  { title: "Show: Inbox", keys: "Alt+I", run: showInbox },
  { title: "Choose the mode: what agents may do", run: goToMode },
  { title: "Save the file", keys: "Ctrl+S", run: save },
  { title: "Close the tab", keys: "Alt+W", run: closeTab },
  { title: "Next tab", keys: "Alt+PageDown", run: (place) => turn(place, 1) },
  { title: "Previous tab", keys: "Alt+PageUp", run: (place) => turn(place, -1) },
  { title: "Switch the colours", run: switchTheme },
  { title: "Show the keys", keys: "?", run: (place) => place.help.set(true) },
];

/** Those whose title holds every word of `query`. */
export function fitting(query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/);
  return COMMANDS.filter(({ title }) => words.every((word) => title.toLowerCase().includes(word)));
}

function showSide(place: Place, id: string): void {
  place.side.set(id);
  place.pane.set("side");
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".side")?.focus());
}

function goToMode(place: Place): void {
  showInbox(place);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".modes input:checked")?.focus());
}
