/**
 * The visible list of what the palette runs, in its order.
 *
 * None of it decides: the mode, what git does and an undo are gone to, and done there.
 */
import { VIEWS, type View, viewsOf } from "../editor/views";
import type { OpenFile } from "../editor/files";
import { entryTab } from "../history/tab";
import { settingsTab } from "../settings/tab";
import { asRefused } from "../state/store";
import { shownOf } from "../state/tabs";
import { switchTheme } from "../state/theme";
import type { Place } from "./place";
import { findInText, goToLine, goToSymbol, stepChange } from "./steps";
import { closeTab, save, showInbox, showSearch, turn } from "./useKeys";
import { SIDE } from "./views";

/** `fits`: whether there is anything that it could be done with. */
export type Command = {
  title: string;
  keys?: string;
  run: (place: Place) => unknown;
  fits?: (place: Place) => boolean;
};

const COMMANDS: Command[] = [
  { title: "File: Open", keys: "Ctrl+P", run: (place) => place.picking.set("file") },
  { title: "File: Save", keys: "Ctrl+S", run: save, fits: isFile },
  { title: "Tab: Close", keys: "Alt+W", run: closeTab, fits: isOpen },
  { title: "Tab: Next", keys: "Alt+PageDown", run: (place) => turn(place, 1), fits: isOpen },
  { title: "Tab: Previous", keys: "Alt+PageUp", run: (place) => turn(place, -1), fits: isOpen },
  ...SIDE.map(({ id, title }) => ({ title: `Show: ${title}`, run: (place: Place) => showSide(place, id) })),
  { title: "Show: Inbox", keys: "Alt+I", run: showInbox },
  { title: "Show: Settings", run: showSettings },
  { title: "Show: Keys", keys: "?", run: (place) => place.help.set(true) },
  { title: "Find: In this file", keys: "Ctrl+F", run: findInText, fits: hasText },
  { title: "Find: In all files", keys: "Ctrl+Shift+F", run: showSearch },
  { title: "Go to: Line", keys: "Ctrl+G", run: goToLine, fits: hasText },
  { title: "Go to: Symbol", keys: "Ctrl+Shift+O", run: goToSymbol, fits: isFile },
  { title: "Go to: Next change", keys: "F7", run: (place) => stepChange(place, 1), fits: isOpen },
  { title: "Go to: Previous change", keys: "Shift+F7", run: (place) => stepChange(place, -1), fits: isOpen },
  ...(Object.keys(VIEWS) as View[]).map((view) => ({
    title: `View: ${VIEWS[view]}`,
    run: (place: Place) => fileOf(place)?.view.set(view),
    fits: (place: Place) => hasView(place, view),
  })),
  ...[
    { title: "Git: Commit", selector: ".git-commit textarea" },
    { title: "Git: Fetch, pull, push", selector: '.git-ways[aria-label="Remote"] button' },
    { title: "Git: Stash, pop, undo the commit", selector: '.git-ways:not([aria-label="Remote"]) button' },
  ].map(({ title, selector }) => ({ title, run: (place: Place) => showSide(place, "git", selector), fits: hasGit })),
  { title: "History: Undo the newest change", run: undoNewest },
  { title: "Mode: Choose what agents may do", run: goToMode },
  { title: "Colours: Switch", run: switchTheme },
];

/** Those whose title holds every word of `query`, and that there is something for. */
export function fitting(place: Place, query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/);
  return COMMANDS.filter(({ title, fits }) => {
    return words.every((word) => title.toLowerCase().includes(word)) && (fits?.(place) ?? true);
  });
}

function fileOf(place: Place): OpenFile | null {
  const shown = shownOf(place.tabs.get());
  return shown?.kind === "file" ? place.files.of(shown.about) : null;
}

function isFile(place: Place): boolean {
  return fileOf(place) !== null;
}

function isOpen(place: Place): boolean {
  return place.tabs.get().active !== null;
}

function hasText(place: Place): boolean {
  return place.text !== undefined;
}

function hasView(place: Place, view: View): boolean {
  const state = fileOf(place)?.get();
  return state?.phase === "ready" && viewsOf(state).includes(view);
}

function hasGit(place: Place): boolean {
  return place.room.git.get().value !== null;
}

function showSide(place: Place, id: string, selector = ".side"): void {
  place.side.set(id);
  place.pane.set("side");
  requestAnimationFrame(() => document.querySelector<HTMLElement>(selector)?.focus());
}

function showSettings(place: Place): void {
  place.tabs.show(settingsTab());
  place.pane.set("middle");
}

function goToMode(place: Place): void {
  showInbox(place);
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".modes input:checked")?.focus());
}

/** Shows what it would do; it is done there. */
async function undoNewest(place: Place): Promise<void> {
  try {
    const preview = await place.room.call("undo", { preview: true });
    if (!("fingerprint" in preview)) return;
    place.tabs.show({ ...entryTab(preview.entry), asks: "undo" });
    place.pane.set("middle");
  } catch (error) {
    place.say(asRefused(error).message);
  }
}
