/** What reaches the remote, the stash, and the way back from the last commit, which is asked about first. */
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { type Undoing } from "./work";

export function Ways() {
  const { work } = usePlace();
  const busy = useStore(work).doing !== "";
  const one = (says: string, run: () => void) => (
    <button type="button" disabled={busy} onClick={run}>
      {says}
    </button>
  );
  return (
    <>
      <div className="git-ways" role="group" aria-label="Remote">
        {one("Fetch", () => void work.sync("fetch"))}
        {one("Pull", () => void work.sync("pull"))}
        {one("Push", () => void work.sync("push"))}
      </div>
      <div className="git-ways" role="group" aria-label="Stash and commit">
        {one("Stash", () => void work.stash("push"))}
        {one("Pop", () => void work.stash("pop"))}
        {one("Undo commit…", () => work.askUndo())}
      </div>
    </>
  );
}

export function AskUndo({ undoing: { sha, force, why } }: { undoing: Undoing }) {
  const { work } = usePlace();
  const settled = useSettled(`${sha} ${force}`); // the harder question stands where the first one stood
  return (
    <section className="git-ask" aria-label="Undo the last commit">
      <p>{force ? why : "Take the last commit back? Its changes stay staged, and no file is touched."}</p>
      {settled.missed ? <p role="status">That click came too soon. Read it, then click.</p> : null}
      <div className="git-actions" data-fresh={settled.fresh}>
        <button type="button" autoFocus onClick={() => work.keepCommit()}>
          Keep it
        </button>
        <button type="button" className="deny" onClick={settled.guard(() => void work.undo())}>
          {force ? "Undo it all the same" : "Undo it"}
        </button>
      </div>
    </section>
  );
}
