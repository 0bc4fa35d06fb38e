/** From change to change in what is shown: in a text by its cursor, elsewhere from hunk to hunk. */
import { shownOf } from "../state/tabs";
import type { Place } from "./place";

/** What the shown text can do; the editor that holds it says so. */
export type ShownText = { step: (by: 1 | -1) => string; find: () => void; goToLine: () => void };

/** Dialogs that texts are shown in; under any other one nothing is done. */
const OTHER = "dialog[open]:not(.merging)";

export function stepChange(place: Place, by: 1 | -1): true {
  if (document.querySelector(OTHER)) return true;
  place.stepped.set(place.text?.step(by) ?? stepHunk(by));
  return true;
}

/** Whether there is a text to find in; where there is none, the browser finds by itself. */
export function findInText(place: Place): boolean {
  if (!place.text || document.querySelector(OTHER)) return false;
  place.text.find();
  return true;
}

export function goToLine(place: Place): boolean {
  if (!place.text || document.querySelector(OTHER)) return false;
  place.text.goToLine();
  return true;
}

/** Whether a text is shown that symbols can be gone to in; a dialog over it is answered first. */
export function goToSymbol(place: Place): boolean {
  if (shownOf(place.tabs.get())?.kind !== "file" || document.querySelector("dialog[open]:not(.picker)")) return false;
  place.picking.set("symbol");
  return true;
}

function stepHunk(by: 1 | -1): string {
  const hunks = [...document.querySelectorAll<HTMLElement>(".tab-panel .hunk .diff")];
  const here = hunks.findIndex((hunk) => hunk.contains(document.activeElement));
  const at = here < 0 && by < 0 ? hunks.length - 1 : (here + by + hunks.length) % hunks.length;
  const hunk = hunks[at];
  if (!hunk) return "Nothing is changed here";
  hunk.focus();
  hunk.closest(".hunk")?.scrollIntoView({ block: "nearest" });
  const of = hunk.closest<HTMLElement>(".file")?.getAttribute("aria-label");
  return `Change ${at + 1} of ${hunks.length}${of ? ` in ${of}` : ""}`;
}
