/** What was typed, and what somebody else wrote meanwhile: the person says what is kept. Nothing is until then. */
import { Suspense, lazy, useEffect, useRef, useState } from "react";
import { Icon } from "../parts/Icon";
import { Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import type { Disk, OpenFile } from "./files";

const Merge = lazy(async () => ({ default: (await import("./Compare")).Merge }));

type Props = { file: OpenFile; theirs: Disk | "gone"; by: string };

export function Conflict({ file, theirs, by }: Props) {
  const [merging, setMerging] = useState(false);
  const place = usePlace();
  const who = by || "somebody else";
  const keep = async (): Promise<void> => {
    if (await file.keepMine()) place.say(`${file.path} holds your text. What ${who} wrote is in the history.`);
  };
  const take = async (): Promise<void> => {
    await file.takeTheirs();
    place.say(`${file.path} holds what is on disk.`);
  };
  return (
    <div className="conflict" role="alert">
      <p>
        <Icon name="warning" />
        {theirs === "gone"
          ? `${who} deleted this file, and you have changes that aren't saved.`
          : `${who} changed this file while you did. Nothing of either is lost; say what is kept.`}
      </p>
      <div className="actions">
        <button type="button" onClick={() => void keep()}>
          Keep mine
        </button>
        {theirs === "gone" ? null : (
          <>
            <button type="button" onClick={() => void take()}>
              Take theirs
            </button>
            <button type="button" className="primary" onClick={() => setMerging(true)}>
              Merge…
            </button>
          </>
        )}
      </div>
      {merging && theirs !== "gone" ? <Merging file={file} theirs={theirs} close={() => setMerging(false)} /> : null}
    </div>
  );
}

function Merging({ file, theirs, close }: { file: OpenFile; theirs: Disk; close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const merged = useRef(file.text);
  useEffect(() => dialog.current?.showModal(), []);
  const save = async (): Promise<void> => {
    const text = merged.current();
    if (await file.save(text, theirs.version)) await file.load();
    close();
  };
  return (
    <dialog ref={dialog} className="merging" aria-labelledby="merging-title" onClose={close}>
      <h2 id="merging-title">Merge {file.path}</h2>
      <p className="soft">
        On disk at the left, yours at the right, where you can type. What you don't take over stays yours.
      </p>
      <Suspense fallback={<Loading what="the comparison" />}>
        <Merge
          path={file.path}
          theirs={theirs.text}
          mine={() => merged.current()}
          changed={(text) => (merged.current = text)}
        />
      </Suspense>
      <div className="actions">
        <button type="button" onClick={close}>
          Cancel
        </button>
        <button type="button" className="primary" onClick={() => void save()}>
          Save the merge
        </button>
      </div>
    </dialog>
  );
}
