/** A merge by hand. It is there until it is saved or cancelled, whatever becomes of the other side meanwhile. */
import { type KeyboardEvent, Suspense, lazy, useEffect, useRef, useState } from "react";
import { Failure, Loading } from "../parts/states";
import { useStore } from "../state/store";
import type { FileState, Merging, OpenFile } from "./files";

const Merge = lazy(async () => ({ default: (await import("./Compare")).Merge }));

export function MergeDialog({ file, state }: { file: OpenFile; state: FileState }) {
  const merging = useStore(file.merging);
  return merging ? <Dialog file={file} state={state} merging={merging} /> : null;
}

type DialogProps = { file: OpenFile; state: FileState; merging: Merging };

function Dialog({ file, state, merging }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [refused, setRefused] = useState(false);
  useEffect(() => dialog.current?.showModal(), []);
  const close = (): void => file.merging.set(null);
  const save = async (): Promise<void> => {
    setRefused(false);
    if (!(await file.saveMerge(merging))) setRefused(true);
  };
  /** Escape leaves what holds nothing yet; what was merged is dropped by the button alone. No key saves here. */
  const press = (event: KeyboardEvent): void => {
    const saves = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s";
    if (saves || (event.key === "Escape" && merging.text() !== merging.began())) event.preventDefault();
  };
  return (
    <dialog ref={dialog} className="merging" aria-labelledby="merging-title" onClose={close} onKeyDown={press}>
      <h2 id="merging-title">Merge {file.shown}</h2>
      <p className="soft">
        On disk at the left, yours at the right, where you can type. What you don't take over stays yours.
      </p>
      {refused ? <NotSaved state={state} /> : null}
      <Suspense fallback={<Loading what="the comparison" />}>
        <Merge
          path={file.path}
          theirs={onDisk(state)}
          mine={() => merging.text()}
          changed={(text) => (merging.text = text)}
        />
      </Suspense>
      <div className="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" className="primary" disabled={state.saving} onClick={() => void save()}>
          Save the merge
        </button>
      </div>
    </dialog>
  );
}

function NotSaved({ state }: { state: FileState }) {
  if (state.error) return <Failure error={state.error} />;
  return (
    <p className="gate-why" role="alert">
      Not saved: what is on disk has changed once more. It stands at the left now.
    </p>
  );
}

/** What was edited from stands there again, where what was in conflict was taken back. */
function onDisk({ theirs, base }: FileState): string {
  if (theirs === "gone") return "";
  return (theirs ?? base).text;
}
