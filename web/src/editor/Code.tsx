/** The editor: CodeMirror, loaded when the first file is opened. */
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { bracketMatching, foldGutter, foldKeymap, indentOnInput } from "@codemirror/language";
import { diff } from "@codemirror/merge";
import { gotoLine, highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { type ChangeSpec, Compartment, EditorState, type Extension, Text, Transaction } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { compare, marks, textIn } from "./changes";
import type { Disk, OpenFile } from "./files";
import { language, speak } from "./language";
import { look, nonce } from "./look";

const reading = new Compartment();

/** `before` is what the text is marked against. */
type CodeProps = { file: OpenFile; readOnly: boolean; before: string | null };

export default function Code({ file, readOnly, before }: CodeProps) {
  const place = usePlace();
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const { round } = useStore(file);
  const goal = useStore(file.goal);
  const { path } = file;

  useEffect(() => {
    if (!host.current) return;
    const state = file.kept instanceof EditorState ? file.kept : stateOf(file);
    const made = new EditorView({ state, parent: host.current });
    view.current = made;
    const leave = place.showText(textIn(made));
    return () => {
      leave();
      file.kept = made.state;
      made.destroy();
      view.current = null;
    };
  }, [place, file]);

  useEffect(() => {
    if (!view.current) return;
    view.current.dispatch({}); // it has another name, where it was moved
    void speak(view.current, path);
  }, [file, path]);

  useEffect(() => {
    if (view.current) bring(view.current, file);
  }, [file, round]);

  useEffect(() => {
    if (view.current) compare(view.current, before);
  }, [file, before]);

  useEffect(() => {
    view.current?.dispatch({ effects: reading.reconfigure(EditorState.readOnly.of(readOnly)) });
  }, [readOnly, round]);

  useEffect(() => {
    if (!goal || !view.current) return;
    const here = file.reach(goal);
    if (here === null) return; // its part is on its way, and comes with another round
    const { doc } = view.current.state;
    const line = doc.line(Math.min(Math.max(here, 1), doc.lines));
    const at = Math.min(line.from + Math.max(goal.column - 1, 0), line.to);
    view.current.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    if (!goal.still) view.current.focus();
    file.goal.set(null);
  }, [file, goal, round]);

  return <div className="code" ref={host} />;
}

/** Have it hold the file's text: cursor, view and undo stay. What replaces typed text can be undone, others' work can't. */
function bring(view: EditorView, file: OpenFile): void {
  const { doc } = view.state;
  const text = file.text();
  const changes = diff(doc.toString(), text, { scanLimit: 500, timeout: 100 }).map(
    ({ fromA, toA, fromB, toB }): ChangeSpec => ({ from: fromA, to: toA, insert: text.slice(fromB, toB) }),
  );
  if (!changes.length) return;
  const undoable = Transaction.addToHistory.of(file.get().replaced);
  view.dispatch({ changes, annotations: [undoable, isolateHistory.of("full")] });
}

function stateOf(file: OpenFile): EditorState {
  return EditorState.create({ doc: file.text(), extensions: extensionsOf(file) });
}

/** They hold nothing but the file, so that a state outlives the view that it was made for. */
function extensionsOf(file: OpenFile): Extension[] {
  return [
    EditorView.cspNonce.of(nonce()),
    EditorView.contentAttributes.of(() => ({ "aria-label": `Text of ${file.shown}`, tabindex: "0" })), // it may be moved
    reading.of([]),
    language.of([]),
    lineNumbers({ formatNumber: (line) => file.numberOf(line) }),
    marks,
    foldGutter(),
    highlightSpecialChars(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    search({ top: true }),
    history(),
    keymap.of([
      { key: "Mod-s", run: () => (void file.save(), true) },
      { key: "Mod-g", run: (view) => askPlace(file) || gotoLine(view), scope: "editor search-panel" },
      ...defaultKeymap,
      ...historyKeymap,
      ...foldKeymap,
      ...searchKeymap,
      indentWithTab,
    ]),
    look,
    telling(file),
  ];
}

/** Of a long file any line is gone to, also one that isn't here. */
function askPlace(file: OpenFile): boolean {
  const field = file.get().part ? document.querySelector<HTMLInputElement>("#part-place") : null;
  field?.select();
  return field !== null;
}

/** Tells the file what was typed, and where the cursor stands. */
function telling(file: OpenFile): Extension {
  let base: Disk | null = null;
  let saved = Text.empty;
  return EditorView.updateListener.of(({ state, docChanged, selectionSet }) => {
    if (docChanged) {
      if (base !== file.get().base) {
        base = file.get().base;
        saved = Text.of(base.text.split("\n"));
      }
      file.changed(() => state.doc.toString(), !saved.eq(state.doc));
    }
    if (docChanged || selectionSet) {
      const { head } = state.selection.main;
      const line = state.doc.lineAt(head);
      file.cursor.set({ line: line.number, column: head - line.from + 1, lines: state.doc.lines });
    }
  });
}
