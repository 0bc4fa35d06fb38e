/** Two texts held against each other: what was added and removed in one, or both side by side to be merged by hunk. */
import { MergeView, unifiedMergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView, lineNumbers } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { look, nonce } from "./look";

const UNCHANGED = { margin: 3, minSize: 6 };

/** What became of `before`, as one text that can only be read. */
export function Difference({ before, after, says }: { before: string; after: string; says: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!host.current) return;
    const merge = unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: UNCHANGED });
    const extensions = [...common(says), EditorState.readOnly.of(true), merge];
    const view = new EditorView({ doc: after, extensions, parent: host.current });
    return () => view.destroy();
  }, [before, after, says]);
  return <div className="code" ref={host} />;
}

type MergeProps = { theirs: string; mine: string; changed: (text: () => string) => void };

/** Theirs on the left, mine on the right; an arrow takes a hunk over, and the right one can be typed into. */
export function Merge({ theirs, mine, changed }: MergeProps) {
  const host = useRef<HTMLDivElement>(null);
  const tell = useRef(changed);
  tell.current = changed;
  useEffect(() => {
    if (!host.current) return;
    const follow = EditorView.updateListener.of((update) => {
      if (update.docChanged) tell.current(() => update.state.doc.toString());
    });
    const view = new MergeView({
      a: { doc: theirs, extensions: [...common("On disk"), EditorState.readOnly.of(true)] },
      b: { doc: mine, extensions: [...common("Yours"), follow] },
      parent: host.current,
      revertControls: "a-to-b",
      collapseUnchanged: UNCHANGED,
    });
    return () => view.destroy();
  }, [theirs, mine]);
  return <div className="code merge" ref={host} />;
}

function common(says: string): Extension[] {
  return [
    EditorView.cspNonce.of(nonce()),
    EditorView.contentAttributes.of({ "aria-label": says }),
    EditorView.lineWrapping,
    lineNumbers(),
    look,
  ];
}
