/** The grammar of a file, by its name; loaded when it is first needed. */
import { LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { Compartment } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { nameOf } from "../parts/paths";

/** Where it stands among an editor's extensions. */
export const language = new Compartment();

export async function speak(view: EditorView, path: string): Promise<void> {
  const found = LanguageDescription.matchFilename(languages, nameOf(path));
  const loaded = await found?.load().catch(() => null); // without its grammar it is plain text
  if (loaded && view.dom.isConnected) view.dispatch({ effects: language.reconfigure(loaded) });
}
