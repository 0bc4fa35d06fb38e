/** What reaches the remote, the stash, and the way back from the last commit, which is asked about first. */
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

export function AskUndo({ undoing: { force, why } }: { undoing: Undoing }) {
  const { work } = usePlace();
  return (
    <section className="git-ask" aria-label="Undo the last commit">
      <p>{force ? why : "Take the last commit back? Its changes stay staged, and no file is touched."}</p>
      <div className="git-actions">
        <button type="button" autoFocus onClick={() => work.keepCommit()}>
          Keep it
        </button>
        <button type="button" className="deny" onClick={() => void work.undo()}>
          {force ? "Undo it all the same" : "Undo it"}
        </button>
      </div>
    </section>
  );
}
