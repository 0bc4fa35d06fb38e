/** The folder's repository: where its branch stands, what is changed by state, and the way to a commit. */
import { type FormEvent, useEffect } from "react";
import type { Git as Status } from "../files/marks";
import { escaped } from "../parts/escape";
import { Icon } from "../parts/Icon";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { Changed } from "./Changed";
import { groupsOf } from "./groups";
import { AskUndo, Ways } from "./Ways";

export function Git() {
  const { room } = usePlace();
  const { value, error } = useStore(room.git);
  useEffect(() => void room.git.refresh(), [room]); // not all is told; the window does the same
  const none = error?.code === "NOT_FOUND";
  return (
    <>
      <div className="side-title side-head">
        <h2>Git</h2>
        <button type="button" className="icon-button" title="Look again" onClick={() => void room.git.refresh()}>
          <Icon name="history" />
          <span className="sr">Look again</span>
        </button>
      </div>
      {none ? (
        <NoRepository />
      ) : error ? (
        <Failure error={error} retry={() => void room.git.refresh()} />
      ) : value ? null : (
        <Loading what="what git says" />
      )}
      {value && !none ? <Repository status={value} /> : null}
    </>
  );
}

function NoRepository() {
  return (
    <Empty icon="git" title="This folder is in no git repository">
      <p>
        Its changes are in the history all the same. To begin a repository, run this there in a terminal, then look
        again:
      </p>
      <pre className="command">git init</pre>
    </Empty>
  );
}

function Repository({ status }: { status: Status }) {
  const groups = groupsOf(status);
  return (
    <>
      <Branch status={status} />
      <Ways />
      <Commit />
      <Outcome />
      {groups.length ? (
        groups.map((group) => <Changed key={group.title} group={group} />)
      ) : (
        <p className="git-quiet quiet">Nothing is changed since the last commit.</p>
      )}
    </>
  );
}

function Branch({ status }: { status: Status }) {
  return (
    <section className="git-branch" aria-label="Branch">
      <p>
        <Icon name="git" /> <strong>{status.branch ? escaped(status.branch) : "No branch (detached)"}</strong>
      </p>
      <p className="quiet">{status.upstream ? apart(status, escaped(status.upstream)) : "It has no upstream."}</p>
    </section>
  );
}

function apart({ ahead, behind }: Status, upstream: string): string {
  if (!ahead && !behind) return `Level with ${upstream}`;
  const parts = [ahead ? `${ahead} ahead of` : "", behind ? `${behind} behind` : ""].filter(Boolean);
  return `${parts.join(", ")} ${upstream}`;
}

function Commit() {
  const { work } = usePlace();
  const { doing, message } = useStore(work);
  /** Done, there is nothing to commit yet: the next message is written then. */
  const commit = async (all: boolean): Promise<void> => {
    await work.commit(all);
    if (document.activeElement === document.body) document.getElementById("git-message")?.focus();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void commit(false);
  };
  const off = !message.trim() || doing !== "";
  return (
    <form className="git-commit" aria-label="Commit" onSubmit={submit}>
      <label className="sr" htmlFor="git-message">
        Message
      </label>
      <textarea
        id="git-message"
        rows={3}
        placeholder="Message: what, then why"
        value={message}
        onChange={(event) => work.write(event.target.value)}
      />
      <div className="git-actions">
        <button type="submit" className="primary" disabled={off}>
          Commit staged
        </button>
        <button type="button" disabled={off} onClick={() => void commit(true)}>
          Commit all
        </button>
      </div>
    </form>
  );
}

/** What is on its way, and what came of the last thing that was asked for. */
function Outcome() {
  const { work } = usePlace();
  const { doing, told, error, undoing } = useStore(work);
  return (
    <div className="git-outcome">
      <div role="status">
        {doing ? (
          <p className="loading">
            <span className="spinner" aria-hidden="true" />
            {doing}…
          </p>
        ) : told ? (
          <pre className={told.good ? "git-told" : "git-told notes-warning"}>{escaped(told.text)}</pre>
        ) : null}
      </div>
      {error ? <Failure error={error} /> : null}
      {undoing ? <AskUndo undoing={undoing} /> : null}
    </div>
  );
}
