/** An editor for a text that is no file yet; loaded when it is first needed. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { language, speak } from "./language";
import { look, nonce } from "./look";

/** `text` is what it begins with; lines end with `\n`. */
type WritingProps = { path: string; label: string; text: string; write: (text: string) => void };

export default function Writing({ path, label, text, write }: WritingProps) {
  const host = useRef<HTMLDivElement>(null);
  const written = useRef(write);
  written.current = write;
  useEffect(() => {
    if (!host.current) return;
    const extensions = [
      EditorView.cspNonce.of(nonce()),
      EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
      language.of([]),
      lineNumbers(),
      highlightSpecialChars(),
      highlightSelectionMatches(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      search({ top: true }),
      history(),
      keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
      look,
      EditorView.updateListener.of(({ state, docChanged }) => {
        if (docChanged) written.current(state.doc.toString());
      }),
    ];
    const view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: host.current });
    void speak(view, path);
    return () => view.destroy();
  }, [path, label, text]);
  return <div className="writing" ref={host} />;
}
