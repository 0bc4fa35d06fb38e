/** What was changed, by anyone, newest first. */
import { Empty, Failure, Loading } from "../parts/states";
import type { EntryRow } from "../api/types";
import { useAgo } from "../state/clock";
import { useStore } from "../state/store";
import { usePlace } from "../shell/place";

export function Changes() {
  const { room } = usePlace();
  const { value, error } = useStore(room.log);
  return (
    <>
      <h2 className="side-title">Changes</h2>
      {value ? <Entries entries={value.entries} /> : error ? <Failure error={error} /> : <Loading what="the changes" />}
    </>
  );
}

function Entries({ entries }: { entries: EntryRow[] }) {
  if (!entries.length) return <Empty icon="changes" title="Nothing was changed yet" />;
  return (
    <ol className="entries">
      {entries.map((entry) => (
        <Entry key={entry.number} entry={entry} />
      ))}
    </ol>
  );
}

function Entry({ entry }: { entry: EntryRow }) {
  const place = usePlace();
  const { active } = useStore(place.tabs);
  const ago = useAgo(entry.at);
  const tab = `entry-${entry.number}`;
  const open = (): void => {
    place.tabs.show({ id: tab, kind: "entry", title: entry.title || entry.cause, about: String(entry.number) });
    place.pane.set("middle");
  };
  const more = entry.total - entry.paths.length;
  return (
    <li data-undone={entry.undoneBy !== null}>
      <button type="button" className="entry" onClick={open} aria-current={active === tab ? "true" : undefined}>
        <span className="entry-title">
          {entry.title || entry.cause}
          {entry.undoneBy !== null ? <span className="chip">undone</span> : null}
        </span>
        <span className="entry-paths">
          {entry.paths.slice(0, 3).join(", ")}
          {entry.paths.length > 3 || more > 0 ? ` and ${entry.total - Math.min(3, entry.paths.length)} more` : ""}
        </span>
        <span className="entry-meta">
          <span className={`who who-${entry.actor.kind}`}>{entry.actor.name}</span>
          <time dateTime={entry.at} title={entry.at}>
            {ago}
          </time>
          <span className="counts">
            <span className="plus">+{entry.added}</span> <span className="minus">−{entry.removed}</span>
          </span>
        </span>
      </button>{" "}
    </li>
  );
}
