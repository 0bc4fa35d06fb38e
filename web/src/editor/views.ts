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

/** In their order; what is no text has none, and of a file that is there in part nothing is edited. */
export function viewsOf({ binary, language, picture, truncated }: FileState): View[] {
  if (binary !== null) return [];
  return (Object.keys(VIEWS) as View[]).filter(
    (one) =>
      (one !== "preview" || language === "markdown") &&
      (one !== "picture" || picture) &&
      !(truncated && (one === "edit" || one === "unsaved")),
  );
}

/** What is shown where `chosen` isn't to be had. */
export function viewOf(state: FileState, chosen: View): View {
  return state.truncated && chosen === "edit" ? "read" : chosen;
}
