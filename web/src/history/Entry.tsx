/** One entry of the history: who changed what and when, and the ways back from it, each looked at before it is taken. */
import { useEffect, useState } from "react";
import type { EntryRow, Tools } from "../api/types";
import { DiffText } from "../parts/DiffText";
import { escaped } from "../parts/escape";
import { Failure, Loading } from "../parts/states";
import { useKeptFocus } from "../parts/useKeptFocus";
import { usePlace } from "../shell/place";
import { clockTime, useAgo } from "../state/clock";
import { Resource, useStore } from "../state/store";
import type { Tab } from "../state/tabs";
import { TakeBack, type Way } from "./TakeBack";

export function Entry({ tab }: { tab: Tab }) {
  const { tabs } = usePlace();
  const [way, setWay] = useState<Way | null>(null);
  useEffect(() => {
    if (!tab.asks) return;
    setWay(tab.asks);
    tabs.show({ ...tab, asks: undefined }); // asked once
  }, [tab, tabs]);
  const { value: entry, error, refresh } = useEntry(Number(tab.about));
  useKeptFocus(way ?? "", ".review");
  if (!entry) return error ? <Failure error={error} retry={refresh} /> : <Loading what="the change" />;
  return (
    <article className="review" aria-labelledby="entry-title" tabIndex={-1}>
      <div className="review-scroll">
        <Facts entry={entry} />
        {way ? null : <Changed number={entry.number} />}
        {way ? <TakeBack key={way} way={way} entry={entry} done={() => setWay(null)} /> : null}
      </div>
      {way ? null : <Ways entry={entry} choose={setWay} />}
    </article>
  );
}

/** The entry as the list has it; by itself where the list doesn't reach back so far. */
function useEntry(number: number) {
  const { room, past } = usePlace();
  const { entries } = useStore(past);
  const listed = entries.find((one) => one.number === number) ?? null;
  const [alone] = useState(
    () => new Resource(async () => (await room.call("log", { limit: 1, before: number + 1 })).entries[0] ?? null),
  );
  const { value, error } = useStore(alone);
  const missing = listed === null;
  useEffect(() => {
    if (missing) void alone.refresh();
  }, [alone, missing, entries]);
  return { value: listed ?? value, error, refresh: () => void alone.refresh() };
}

function Facts({ entry }: { entry: EntryRow }) {
  const ago = useAgo(entry.at);
  return (
    <header className="facts">
      <p className="facts-kind">
        <span className="chip">{entry.cause}</span>
        <span className="id" title={entry.transactionId}>
          {entry.number}
        </span>
        {entry.undoneBy !== null ? <span className="chip">undone by {entry.undoneBy}</span> : null}
        {entry.undoes !== null ? <span className="chip">takes back {entry.undoes}</span> : null}
      </p>
      <h2 id="entry-title">{entry.title || entry.cause}</h2>
      <p className="facts-line">
        By <span className="who">{entry.actor.name}</span> ({entry.actor.kind}) {ago}, at {clockTime(entry.at)}
        {entry.approvalId && entry.decidedBy ? `; ${entry.decidedBy} said yes` : ""}
      </p>
      {[...entry.warnings, ...entry.flags.map((flag) => `shown escaped: ${flag}`)].map((note) => (
        <p key={note} className="notes notes-warning">
          {note}
        </p>
      ))}
    </header>
  );
}

/** What it changed; patches come as they are, so they are escaped here. */
function Changed({ number }: { number: number }) {
  const { room } = usePlace();
  const [changed] = useState(
    () =>
      new Resource(async () => {
        const answer = await room.call("tool", { name: "editor_changes", arguments: { entry: number } });
        return answer as unknown as Tools["editor_changes"]["answers"];
      }),
  );
  const { value, error } = useStore(changed);
  useEffect(() => void changed.refresh(), [changed]);
  if (!value) {
    if (!error) return <Loading what="what it changed" />;
    return <Failure error={error} retry={() => void changed.refresh()} />;
  }
  return (
    <section aria-labelledby="changed-title" className="files">
      <h3 id="changed-title">
        What it changed{" "}
        <span className="counts">
          {value.changes.length} {value.changes.length === 1 ? "path" : "paths"}
        </span>
      </h3>
      {value.changes.map((row) => (
        <div key={row.path} className="files">
          {row.patch ? (
            <DiffText text={escaped(row.patch)} />
          ) : (
            <pre className="rest">
              {row.kind} {escaped(row.path)}
            </pre>
          )}
          {row.truncated ? <p className="quiet">The rest of this patch is too long to be shown here.</p> : null}
        </div>
      ))}
      {value.truncated ? <p className="quiet">There are more paths than these.</p> : null}
    </section>
  );
}

function Ways({ entry, choose }: { entry: EntryRow; choose: (way: Way) => void }) {
  const newest = useStore(usePlace().past).entries[0]?.number === entry.number;
  const takesBack = entry.undoes !== null;
  return (
    <footer className="decision" aria-label="Ways back">
      <div className="decision-row">
        <span className="grow quiet">You see what a way back does before it is taken.</span>
        <button
          type="button"
          disabled={newest}
          title={newest ? "Nothing was changed since" : undefined}
          onClick={() => choose("rewind")}
        >
          Rewind to here
        </button>
        <button type="button" disabled={entry.undoneBy !== null} onClick={() => choose("undo")}>
          {takesBack ? "Redo what this took back" : "Undo this"}
        </button>
      </div>
    </footer>
  );
}
