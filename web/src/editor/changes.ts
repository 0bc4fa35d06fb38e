/** What a text changes of another: marks beside its lines, kept while it is typed, and the way from change to change. */
import { Chunk, getChunks, getOriginalDoc, mergeViewSiblings } from "@codemirror/merge";
import { gotoLine, openSearchPanel } from "@codemirror/search";
import { type EditorState, type Extension, StateEffect, StateField, Text } from "@codemirror/state";
import { EditorView, GutterMarker, gutter } from "@codemirror/view";
import type { ShownText } from "../shell/steps";

type Held = { original: Text; chunks: readonly Chunk[] } | null;

/** How much is compared in full before lines count as changed altogether: typing never waits for it. */
const DEPTH = { scanLimit: 500, timeout: 100 };

const against = StateEffect.define<string | null>();

const held = StateField.define<Held>({
  create: () => null,
  update(value, { effects, docChanged, newDoc, changes }) {
    const told = effects.find((effect) => effect.is(against));
    if (told) return told.value === null ? null : begin(told.value as string, newDoc);
    if (!value || !docChanged) return value;
    return { ...value, chunks: Chunk.updateB(value.chunks, value.original, newDoc, changes, DEPTH) };
  },
});

function begin(text: string, now: Text): Held {
  const original = Text.of(text.split("\n"));
  return { original, chunks: Chunk.build(original, now, DEPTH) };
}

/** Mark what is changed of `text`; null marks nothing. */
export function compare(view: EditorView, text: string | null): void {
  view.dispatch({ effects: against.of(text) });
}

type Kind = "added" | "removed" | "changed";

class Mark extends GutterMarker {
  constructor(kind: Kind) {
    super();
    this.elementClass = `cm-change-${kind}`;
  }
}

const MARKS = { added: new Mark("added"), removed: new Mark("removed"), changed: new Mark("changed") };

/** A bar beside what was added or changed, a wedge where something was removed. */
export const marks: Extension = [
  held,
  gutter({
    class: "cm-changes",
    lineMarker(view, { from }) {
      const { doc } = view.state;
      const here = chunksOf(view.state).find((chunk) => from >= startOf(chunk, doc) && from <= chunk.endB);
      return here ? MARKS[kindOf(here)] : null;
    },
    lineMarkerChange: ({ state, startState }) => state.field(held) !== startState.field(held),
  }),
];

/** What keys and commands do in the text of this view. */
export function textIn(view: EditorView): ShownText {
  const go = (by: 1 | -1): string => {
    const told = step(view, by);
    view.focus();
    return told;
  };
  return { step: go, find: () => openSearchPanel(view), goToLine: () => gotoLine(view) };
}

/** Go to the next change or the previous one, after the last to the first; what to say of it. */
export function step(view: EditorView, by: 1 | -1, entered = view.hasFocus): string {
  const { doc, selection } = view.state;
  const chunks = chunksOf(view.state);
  const here = entered || selection.main.head ? selection.main.head : -1; // where nobody was, the first is still to come
  const after = chunks.findIndex((chunk) => startOf(chunk, doc) > here);
  const before = chunks.findLastIndex((chunk) => Math.max(chunk.endB, startOf(chunk, doc)) < here);
  const at = by > 0 ? Math.max(after, 0) : before < 0 ? chunks.length - 1 : before;
  const chunk = chunks[at];
  if (!chunk) return "Nothing is changed here";
  const start = startOf(chunk, doc);
  view.dispatch({
    selection: { anchor: start },
    effects: EditorView.scrollIntoView(start, { y: "center" }),
    userEvent: "select.byChunk",
  });
  return `Change ${at + 1} of ${chunks.length}: ${sizeOf(chunk, view)}`;
}

/** Of the marks, or of what two texts differ in where both are shown. */
function chunksOf(state: EditorState): readonly Chunk[] {
  return state.field(held, false)?.chunks ?? getChunks(state)?.chunks ?? [];
}

/** A chunk at the end may begin behind the text. */
function startOf({ fromB }: Chunk, doc: Text): number {
  return doc.lineAt(Math.min(fromB, doc.length)).from;
}

function kindOf({ fromA, toA, fromB, toB }: Chunk): Kind {
  return fromA === toA ? "added" : fromB === toB ? "removed" : "changed";
}

function sizeOf(chunk: Chunk, view: EditorView): string {
  const { state } = view;
  const kind = kindOf(chunk);
  const original = state.field(held, false)?.original ?? mergeViewSiblings(view)?.a.state.doc;
  const count =
    kind === "removed"
      ? linesIn(original ?? getOriginalDoc(state), chunk.fromA, chunk.endA)
      : linesIn(state.doc, chunk.fromB, chunk.endB);
  return `${count} ${count === 1 ? "line" : "lines"} ${kind}`;
}

function linesIn(doc: Text, from: number, to: number): number {
  return doc.lineAt(Math.min(to, doc.length)).number - doc.lineAt(Math.min(from, doc.length)).number + 1;
}

/** Of two texts side by side: put into the right one what the left one has at the cursor; what to say of it. */
export function take(view: EditorView): string {
  const { doc, selection } = view.state;
  const theirs = mergeViewSiblings(view)?.a.state;
  const { head } = selection.main;
  const chunk = chunksOf(view.state).find((one) => head >= startOf(one, doc) && head <= Math.max(one.endB, one.fromB));
  if (!theirs || !chunk) return step(view, 1, true);
  const { fromA, toA, fromB, toB } = chunk;
  const more = fromA !== toA && toB <= doc.length ? view.state.lineBreak : "";
  const insert = theirs.sliceDoc(fromA, Math.max(fromA, toA - 1)) + more;
  view.dispatch({ changes: { from: fromB, to: Math.min(doc.length, toB), insert }, userEvent: "revert" });
  return chunksOf(view.state).length ? `Taken. ${step(view, 1, true)}` : "Taken. Both are the same now";
}
