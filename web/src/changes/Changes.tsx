/** What was changed, by anyone, newest first: a group for each turn of a session, and older ones on request. */
import { Empty, Failure, Loading } from "../parts/states";
import type { EntryRow } from "../api/types";
import { entryTab } from "../history/tab";
import { useAgo } from "../state/clock";
import { useStore } from "../state/store";
import { usePlace } from "../shell/place";
import { type Turn, turnsOf } from "./turns";

export function Changes() {
  const { room, past } = usePlace();
  const { value, error } = useStore(room.log);
  const { entries } = useStore(past);
  return (
    <>
      <h2 className="side-title">Changes</h2>
      {error ? <Failure error={error} retry={() => void room.log.refresh()} /> : null}
      {value ? <Turns entries={entries} /> : error ? null : <Loading what="the changes" />}
    </>
  );
}

function Turns({ entries }: { entries: EntryRow[] }) {
  if (!entries.length) {
    return (
      <Empty icon="changes" title="Nothing was changed yet">
        <p>Whatever anyone changes here is listed, and each can be undone by itself.</p>
      </Empty>
    );
  }
  return (
    <>
      {turnsOf(entries).map((turn) => (
        <OneTurn key={turn.id} turn={turn} />
      ))}
      <Older count={entries.length} />
    </>
  );
}

function OneTurn({ turn }: { turn: Turn }) {
  const [newest] = turn.entries;
  const ago = useAgo(newest?.at ?? "");
  if (!newest) return null;
  const count = turn.entries.length;
  const changes = count === 1 ? "1 change" : `${count} changes`;
  const files = `${turn.files}${turn.more ? "+" : ""} ${turn.files === 1 && !turn.more ? "file" : "files"}`;
  return (
    <section className="turn" aria-label={`${newest.actor.name}: ${changes}, ${files}`}>
      <h3 className="turn-head">
        <span className={`who who-${newest.actor.kind}`}>{newest.actor.name}</span>
        <time dateTime={newest.at} title={newest.at}>
          {ago}
        </time>
        <span className="turn-sum">
          {changes}, {files}
        </span>
        <Counts of={turn} />
      </h3>
      <ol className="entries">
        {turn.entries.map((entry) => (
          <Entry key={entry.number} entry={entry} alone={count === 1} />
        ))}
      </ol>
    </section>
  );
}

function Counts({ of: { added, removed } }: { of: { added: number; removed: number } }) {
  return (
    <span className="counts">
      <span className="plus">+{added}</span> <span className="minus">−{removed}</span>
    </span>
  );
}

/** `alone`: its turn has told of it all. */
function Entry({ entry, alone }: { entry: EntryRow; alone: boolean }) {
  const place = usePlace();
  const { active } = useStore(place.tabs);
  const ago = useAgo(entry.at);
  const tab = entryTab(entry);
  const open = (): void => {
    place.tabs.show(tab);
    place.pane.set("middle");
  };
  const more = entry.total - entry.paths.length;
  return (
    <li data-undone={entry.undoneBy !== null}>
      <button type="button" className="entry" onClick={open} aria-current={active === tab.id ? "true" : undefined}>
        <span className="entry-title">
          {entry.title || entry.cause}
          {entry.undoneBy !== null ? <span className="chip">undone</span> : null}
        </span>
        <span className="entry-paths">
          {entry.paths.slice(0, 3).join(", ")}
          {entry.paths.length > 3 || more > 0 ? ` and ${entry.total - Math.min(3, entry.paths.length)} more` : ""}
        </span>
        {alone ? null : (
          <span className="entry-meta">
            <time dateTime={entry.at} title={entry.at}>
              {ago}
            </time>
            <Counts of={entry} />
          </span>
        )}
      </button>{" "}
    </li>
  );
}

/** How far back the list goes, and the way to what lies before. */
function Older({ count }: { count: number }) {
  const { past } = usePlace();
  const { more, loading, error } = useStore(past);
  return (
    <div className="older">
      {error ? <Failure error={error} /> : null}
      <p className="quiet" role="status">
        {more ? `The newest ${count} changes.` : count === 1 ? "That is the only change." : `All ${count} changes.`}
      </p>
      {more ? (
        <button type="button" disabled={loading} onClick={() => void past.older()}>
          {loading ? "Looking further back…" : "Show older changes"}
        </button>
      ) : null}
    </div>
  );
}
