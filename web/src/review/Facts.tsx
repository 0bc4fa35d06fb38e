/** What Workroom itself says of a request: who asks, what it is, what is dangerous about it. */
import type { ShowAnswer, WaitingRow } from "../api/types";
import { shortOf, titleOf } from "../inbox/alike";
import { Icon } from "../parts/Icon";
import { clockTime, useAgo } from "../state/clock";

const DANGER = /^(DESTRUCTIVE|destructive): /;
const WARNING = /^(ASKED IN EVERY MODE|note): /;

export function Facts({ shown, row }: { shown: ShowAnswer; row: WaitingRow | undefined }) {
  const [, asked = "", ...rest] = shown.facts;
  const dangers = rest.filter((fact) => DANGER.test(fact));
  const warnings = rest.filter((fact) => WARNING.test(fact));
  const plain = rest.filter((fact) => !DANGER.test(fact) && !WARNING.test(fact));
  return (
    <header className="facts">
      <p className="facts-kind">
        <span className={`chip chip-${shown.status}`}>{statusOf(shown)}</span>
        <span className="chip">{shown.kind}</span>
        <span className="id" title={shown.id}>
          {shortOf(shown.id)}
        </span>
      </p>
      <h2 id="review-title">{titleOf(shown)}</h2>
      {row ? <Asked row={row} /> : <p className="facts-line">{asked}</p>}
      {plain.map((fact) => (
        <p key={fact} className="facts-line">
          {fact}
        </p>
      ))}
      {dangers.length ? <Notes kind="danger" title="This destroys" notes={dangers} /> : null}
      {warnings.length ? <Notes kind="warning" title="Look twice" notes={warnings} /> : null}
      {shown.flags.length ? (
        <Notes kind="warning" title="Shown escaped, since it could deceive" notes={shown.flags} />
      ) : null}
      {shown.obstacle ? <Notes kind="danger" title="It can't be accepted" notes={[shown.obstacle]} /> : null}
    </header>
  );
}

/** How it stands, in a person's words: what was accepted is done, but for what is approved for later and for a plan. */
export function statusOf({ status }: ShowAnswer): string {
  return status === "consumed" ? "done" : status;
}

function Asked({ row }: { row: WaitingRow }) {
  const [ago, until] = [useAgo(row.createdAt), useAgo(row.expiresAt)];
  return (
    <p className="facts-line">
      Asked by <span className="who who-agent">{row.asker}</span>{" "}
      <time dateTime={row.createdAt} title={row.createdAt}>
        {ago}
      </time>
      , at {clockTime(row.createdAt)}; ends{" "}
      <time dateTime={row.expiresAt} title={row.expiresAt}>
        {until}
      </time>
    </p>
  );
}

function Notes({ kind, title, notes }: { kind: "danger" | "warning"; title: string; notes: string[] }) {
  return (
    <div className={`notes notes-${kind}`}>
      <Icon name="warning" />
      <div>
        <strong>{title}</strong>
        <ul>
          {notes.map((note) => (
            <li key={note}>{note.replace(DANGER, "").replace(/^(ASKED IN EVERY MODE|note): /, "")}</li>
          ))}
        </ul>
      </div>
    </div>
  );
}
