/** The views that a file has, by what can be done with it. */
import type { FileState } from "./files";

export const VIEWS = {
  edit: "Edit",
  read: "Read",
  preview: "Preview",
  picture: "Picture",
  unsaved: "Unsaved",
  head: "Since commit",
};
export type View = keyof typeof VIEWS;

/** They show or change the whole text. */
const WHOLE: readonly View[] = ["edit", "unsaved", "head"];

/** In their order; what is no text has none, and a file that is there in part is only read. */
export function viewsOf({ binary, language, picture, truncated }: FileState): View[] {
  if (binary !== null) return [];
  return (Object.keys(VIEWS) as View[]).filter(
    (one) =>
      (one !== "preview" || language === "markdown") &&
      (one !== "picture" || picture) &&
      !(truncated && WHOLE.includes(one)),
  );
}

/** What is shown where `chosen` isn't to be had. */
export function viewOf(state: FileState, chosen: View): View {
  return state.truncated && WHOLE.includes(chosen) ? "read" : chosen;
}
