/** An undo, a redo or a rewind: what it would do, and then exactly that. */
import { useCallback, useEffect, useState } from "react";
import type { EntryRow, Previewed, RewindPreviewed } from "../api/types";
import { DiffText } from "../parts/DiffText";
import { Icon } from "../parts/Icon";
import { Failure, Loading } from "../parts/states";
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { asRefused, Resource, useStore } from "../state/store";
import type { Refused } from "../api/call";

export type Way = "undo" | "rewind";
/** What is done about later work that is in the way: refuse, put both together, or overwrite it and keep a copy. */
type Strategy = "refuse" | "merge" | "force";
type Preview = Previewed | RewindPreviewed;

type TakeBackProps = { way: Way; entry: EntryRow; done: () => void };

export function TakeBack({ way, entry, done }: TakeBackProps) {
  const [strategy, setStrategy] = useState<Strategy>("refuse");
  return <Look key={strategy} {...{ way, entry, done, strategy, setStrategy }} />;
}

type LookProps = TakeBackProps & { strategy: Strategy; setStrategy: (strategy: Strategy) => void };

function Look({ way, entry, done, strategy, setStrategy }: LookProps) {
  const ask = useAsk(way, entry, strategy);
  const [preview] = useState(() => new Resource(async () => (await ask({ preview: true })) as Preview));
  const { value, error } = useStore(preview);
  useEffect(() => void preview.refresh(), [preview]);
  const title = way === "rewind" ? `Rewind to after entry ${entry.number}` : entry.undoes === null ? "Undo" : "Redo";
  return (
    <section className="takeback" aria-labelledby="takeback-title">
      <h3 id="takeback-title">{title}: what would be done</h3>
      {error ? <InTheWay {...{ error, strategy, setStrategy, done }} again={preview.refresh} /> : null}
      {!value && !error ? <Loading what="what would be done" /> : null}
      {value && !error ? <Ready preview={value} title={title} {...{ ask, done, again: preview.refresh }} /> : null}
    </section>
  );
}

function useAsk(way: Way, entry: EntryRow, strategy: Strategy) {
  const { room } = usePlace();
  return useCallback(
    (more: { preview?: boolean; fingerprint?: string }) => {
      const how = { force: strategy === "force", merge: strategy === "merge", ...more };
      if (way === "rewind") return room.call("rewind", { to: String(entry.number), ...how });
      return room.call("undo", { id: String(entry.number), ...how });
    },
    [room, way, entry.number, strategy],
  );
}

type InTheWayProps = Pick<LookProps, "strategy" | "setStrategy" | "done"> & {
  error: Refused;
  again: () => Promise<void>;
};

function InTheWay({ error, strategy, setStrategy, done, again }: InTheWayProps) {
  const later = error.code === "EDIT_CONFLICT";
  return (
    <>
      {later ? <Failure error={error} /> : <Failure error={error} retry={() => void again()} />}
      <div className="decision-row">
        <button type="button" onClick={done}>
          <Icon name="back" /> Back
        </button>
        {later && strategy === "refuse" ? (
          <button type="button" onClick={() => setStrategy("merge")}>
            Keep later work: merge
          </button>
        ) : null}
        {later && strategy !== "force" ? (
          <button type="button" className="deny" onClick={() => setStrategy("force")}>
            Overwrite later work
          </button>
        ) : null}
      </div>
    </>
  );
}

type ReadyProps = {
  preview: Preview;
  title: string;
  ask: ReturnType<typeof useAsk>;
  done: () => void;
  again: () => Promise<void>;
};

function Ready({ preview, title, ask, done, again }: ReadyProps) {
  const place = usePlace();
  const live = useStore(place.room.line).kind === "live";
  const [running, setRunning] = useState(false);
  const [error, setError] = useState<Refused | null>(null);
  const settled = useSettled([preview.fingerprint, live].join());
  const act = settled.guard(() => {
    setRunning(true);
    ask({ fingerprint: preview.fingerprint })
      .then(() => {
        place.say(`${title}: done. It is an entry of its own, and can be taken back.`);
        done();
      })
      .catch((refused: unknown) => {
        setRunning(false);
        setError(asRefused(refused));
      });
  });
  return (
    <>
      {[...preview.warnings, ...preview.flags.map((flag) => `shown escaped: ${flag}`)].map((note) => (
        <p key={note} className="notes notes-warning">
          {note}
        </p>
      ))}
      <DiffText text={preview.text} />
      {error ? <Failure error={error} retry={() => (setError(null), void again())} /> : null}
      <div className="decision-row" data-fresh={settled.fresh}>
        <p className="grow quiet" role="status">
          {settled.missed ? "That click came too soon. Look again, then click." : ""}
        </p>
        <button type="button" onClick={done}>
          <Icon name="back" /> Back
        </button>
        <button type="button" className="accept" disabled={!live || running} onClick={act}>
          <Icon name="check" /> {running ? "On its way…" : title}
        </button>
      </div>
    </>
  );
}
