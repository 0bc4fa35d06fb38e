/** Keys of the whole page. None of them decides anything. */
import { useEffect } from "react";
import { shownOf } from "../state/tabs";
import type { Picked, Place } from "./place";
import { findInText, goToLine, goToSymbol, stepChange } from "./steps";

/** What the help sheet lists; `run` answers whether the key was taken. */
export const KEYS = [
  { keys: "F6", says: "Next part of the page; Shift+F6: the previous one" },
  { keys: "Alt+I", says: "Inbox" },
  { keys: "Ctrl+P", says: "Open a file by letters of its path; @ goes to a symbol" },
  { keys: "Ctrl+Shift+F", says: "Search in all files" },
  { keys: "Ctrl+Shift+P", says: "Run a command; F1 too" },
  { keys: "Ctrl+S", says: "Save the file" },
  { keys: "Ctrl+F", says: "Find in the file" },
  { keys: "Ctrl+G", says: "Go to a line" },
  { keys: "Ctrl+Shift+O", says: "Go to a symbol: a definition in the file" },
  { keys: "F7", says: "Next change: since the commit, else not saved; Alt+F5 too" },
  { keys: "Shift+F7", says: "Previous change; Shift+Alt+F5 too" },
  { keys: "F2", says: "Rename, in the tree" },
  { keys: "Ctrl+X, Ctrl+V", says: "Take up and put down, in the tree: a move" },
  { keys: "Delete", says: "Delete, in the tree; it can be undone" },
  { keys: "Alt+W", says: "Close the tab" },
  { keys: "Alt+PageDown", says: "Next tab" },
  { keys: "Alt+PageUp", says: "Previous tab" },
  { keys: "?", says: "This list" },
];

export function useKeys(place: Place): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      if (!event.defaultPrevented && run(place, event)) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [place]);
}

function run(place: Place, event: KeyboardEvent): boolean {
  if (event.key === "F1") return pick(place, "command"); // where Ctrl+Shift+P is the browser's own
  if (event.key === "F6") return nextPart(event.shiftKey ? -1 : 1);
  if (event.key === "F7" || (event.key === "F5" && event.altKey)) return stepChange(place, event.shiftKey ? -1 : 1);
  if (event.key === "?" && !isTyping(event.target)) return (place.help.set(true), true);
  if ((event.ctrlKey || event.metaKey) && !event.altKey) return withControl(place, event);
  if (!event.altKey) return false;
  if (event.code === "KeyI") return showInbox(place);
  if (event.code === "KeyW") return closeTab(place);
  if (event.key === "PageDown") return turn(place, 1);
  if (event.key === "PageUp") return turn(place, -1);
  return false;
}

function withControl(place: Place, event: KeyboardEvent): boolean {
  const key = event.key.toLowerCase();
  if (event.shiftKey && key === "p") return pick(place, "command");
  if (event.shiftKey && key === "o") return goToSymbol(place);
  if (event.shiftKey) return key === "f" && showSearch(place);
  if (key === "s") return save(place);
  if (key === "p") return pick(place, "file");
  if (key === "f") return findInText(place);
  if (key === "g") return goToLine(place);
  return false;
}

/** Not over another dialog, which is answered first; the browser's printing is never meant. */
function pick(place: Place, what: Picked): true {
  if (!document.querySelector("dialog[open]:not(.picker)")) place.picking.set(what);
  return true;
}

/** Also where no file is shown: the browser's own saving of the page helps nobody. */
export function save(place: Place): true {
  const shown = shownOf(place.tabs.get());
  if (shown?.kind === "file") void place.files.of(shown.about).save();
  return true;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}

/** From landmark to landmark. */
function nextPart(step: number): true {
  const parts = [...document.querySelectorAll<HTMLElement>("[data-part]")].filter((part) => part.offsetParent !== null);
  const now = parts.findIndex((part) => part.contains(document.activeElement));
  parts[(now + step + parts.length) % parts.length]?.focus();
  return true;
}

export function showSearch(place: Place): true {
  if (document.querySelector("dialog[open]")) return true;
  place.side.set("search");
  place.pane.set("side");
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>(".search-pattern")?.select());
  return true;
}

export function showInbox(place: Place): true {
  place.inboxOpen.set(true);
  place.pane.set("inbox");
  requestAnimationFrame(() => document.querySelector<HTMLElement>(".inbox")?.focus());
  return true;
}

export function closeTab(place: Place): boolean {
  const { active } = place.tabs.get();
  if (active !== null) place.closeTab(active);
  return active !== null;
}

export function turn(place: Place, step: number): boolean {
  const { open, active } = place.tabs.get();
  const at = open.findIndex((tab) => tab.id === active);
  const next = open[(at + step + open.length) % open.length];
  if (next) place.tabs.activate(next.id);
  return next !== undefined;
}
