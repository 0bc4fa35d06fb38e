/** Two texts held against each other: what was added and removed in one, or both side by side to be merged by hunk. */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { gotoLine, search, searchKeymap } from "@codemirror/search";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { useEffect, useRef, useState } from "react";
import { Icon } from "../parts/Icon";
import { usePlace } from "../shell/place";
import { step, take, textIn } from "./changes";
import { language, speak } from "./language";
import { look, nonce } from "./look";

const UNCHANGED = { margin: 3, minSize: 6 };

type DifferenceProps = { path: string; before: string; after: string; says: string };

/** What became of `before`, as one text that can only be read. */
export function Difference({ path, before, after, says }: DifferenceProps) {
  const place = usePlace();
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const merge = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: UNCHANGED });
    const extensions = [...common(says), EditorState.readOnly.of(true), merge];
    const view = new EditorView({ doc: after, extensions, parent: host.current });
    void speak(view, path);
    const leave = place.showText(textIn(view));
    return () => (leave(), view.destroy());
  }, [place, path, before, after, says]);
  return <div className="code" ref={host} />;
}

/** `mine` is asked when theirs is another: what was merged until then stays. */
type MergeProps = { path: string; theirs: string; mine: () => string; changed: (text: () => string) => void };

/** Theirs on the left, mine on the right, which can be typed into; hunk by hunk, theirs is taken over. */
export function Merge({ path, theirs, mine, changed }: MergeProps) {
  const place = usePlace();
  const host = useRef<HTMLDivElement>(null);
  const right = useRef<EditorView | null>(null);
  const [told, tell] = useState("");
  const now = useRef({ mine, changed });
  now.current = { mine, changed };
  useEffect(() => {
    if (!host.current) return;
    const view = mergeOf(host.current, theirs, now.current.mine(), (text) => now.current.changed(text));
    right.current = view.b;
    for (const side of [view.a, view.b]) void speak(side, path);
    tell(step(view.b, 1));
    const leave = place.showText({ ...textIn(view.b), step: (by) => (tell(step(view.b, by, true)), "") });
    return () => (leave(), view.destroy());
  }, [place, path, theirs]);
  const act = (run: (view: EditorView) => string) => () => {
    if (right.current) tell(run(right.current));
  };
  return (
    <>
      <div className="merge-bar">
        <button type="button" onClick={act((view) => step(view, -1, true))}>
          Previous change
        </button>
        <button type="button" autoFocus onClick={act((view) => step(view, 1, true))}>
          Next change
        </button>
        <button type="button" onClick={act(take)}>
          <Icon name="check" /> Take theirs here
        </button>
        <span className="quiet" role="status">
          {told}
        </span>
      </div>
      <div className="merge-sides" aria-hidden="true">
        <span>On disk</span>
        <span>Yours: what is saved</span>
      </div>
      <div className="code merge" ref={host} />
    </>
  );
}

function mergeOf(parent: HTMLElement, theirs: string, mine: string, tell: (text: () => string) => void): MergeView {
  const follow = EditorView.updateListener.of((update) => {
    if (update.docChanged) tell(() => update.state.doc.toString());
  });
  const typing = [
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
  ];
  return new MergeView({
    a: { doc: theirs, extensions: [...common("On disk"), EditorState.readOnly.of(true)] },
    b: { doc: mine, extensions: [...common("Yours"), typing, follow] },
    parent,
    revertControls: "a-to-b",
    renderRevertControl: arrow,
    collapseUnchanged: UNCHANGED,
  });
}

/** For the mouse alone: it is pressed by it only, and keys have a button above. */
function arrow(): HTMLElement {
  const made = document.createElement("button");
  made.type = "button";
  made.tabIndex = -1;
  made.ariaHidden = "true";
  made.title = "Take theirs";
  made.textContent = "→";
  return made;
}

function common(says: string): Extension[] {
  return [
    EditorView.cspNonce.of(nonce()),
    EditorView.contentAttributes.of({ "aria-label": says, tabindex: "0" }),
    EditorView.lineWrapping,
    lineNumbers(),
    language.of([]),
    search({ top: true }),
    keymap.of([{ key: "Mod-g", run: gotoLine, scope: "editor search-panel" }, ...searchKeymap]),
    look,
  ];
}
