/** Yes, no, or a part; nothing by default, nothing by a key alone, and nothing by a click that came too soon. */
import { useState } from "react";
import type { ShowAnswer } from "../api/types";
import { Icon } from "../parts/Icon";
import { Failure } from "../parts/states";
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { statusOf } from "./Facts";
import { type Part, partOf, type Selection } from "./selection";
import { useDecide } from "./useDecide";

type DecisionProps = { shown: ShowAnswer; selection: Selection; refresh: () => void; edit: () => void };

export function Decision(props: DecisionProps) {
  return props.shown.status === "pending" ? <Open {...props} /> : <Done shown={props.shown} />;
}

function Open({ shown, selection, refresh, edit }: DecisionProps) {
  const { room } = usePlace();
  const live = useStore(room.line).kind === "live";
  const waiting = useStore(room.pending).value ?? [];
  const [words, setWords] = useState("");
  const { running, error, decide } = useDecide(refresh);
  const settled = useSettled([shown.sha256, live, running, ...waiting.map((row) => row.id)].join());
  const part = partOf(shown, selection);
  const nothing = part?.count === 0;
  const off = !live || running !== null;
  const said = `${shown.id} ${words}`.trim();
  const accept = settled.guard(() => decide("accept", { words: said, ...(part ? named(part) : {}) }));
  const hold = settled.guard(() => decide("accept", { words: said, hold: true, ...(part ? named(part) : {}) }));
  const deny = settled.guard(() => decide("deny", { words: said }));
  return (
    <footer className="decision" aria-label="Your decision" data-fresh={settled.fresh}>
      {error ? <Failure error={error} retry={refresh} /> : null}
      <p className="decision-note" role="status">
        {settled.missed ? "That click came too soon after the page had changed. Look again, then click." : ""}
      </p>
      <div className="decision-row decision-asks">
        <input
          type="text"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          placeholder="A word to the agent, or why not"
          aria-label="A word to the agent"
          maxLength={2_000}
        />
        {shown.editable ? (
          <button type="button" disabled={off || shown.obstacle !== ""} onClick={edit}>
            <Icon name="pen" /> Edit first
          </button>
        ) : null}
        <button type="button" className="deny" disabled={off} onClick={deny}>
          <Icon name="close" /> {running === "deny" ? "Denying…" : "Deny"}
        </button>
        {shown.kind === "plan" ? null : (
          <button
            type="button"
            disabled={off || nothing || shown.obstacle !== ""}
            title="Say yes to exactly this; it is done when the agent asks for it again"
            onClick={hold}
          >
            {running === "hold" ? "Approving…" : "Approve for later"}
          </button>
        )}
        <button type="button" className="accept" disabled={off || nothing || shown.obstacle !== ""} onClick={accept}>
          <Icon name="check" /> {running === "accept" ? "Accepting…" : label(shown, part)}
        </button>
      </div>
    </footer>
  );
}

function named(part: Part): { files?: string[]; hunks?: string[] } {
  return { ...(part.files.length ? { files: part.files } : {}), ...(part.hunks.length ? { hunks: part.hunks } : {}) };
}

function label(shown: ShowAnswer, part: Part | null): string {
  if (!part) return shown.kind === "transaction" ? "Accept all" : "Accept";
  return part.count === 0 ? "Nothing is taken" : `Accept ${part.count} of ${part.total}`;
}

function Done({ shown }: { shown: ShowAnswer }) {
  const place = usePlace();
  const next = useStore(place.room.pending).value?.[0];
  return (
    <footer className="decision" aria-label="Your decision">
      <p className="decision-done" role="status">
        This is {statusOf(shown)}. {shown.facts.find((fact) => fact.startsWith("decided by")) ?? ""}
      </p>
      <div className="decision-row">
        <button type="button" onClick={() => place.tabs.close(`review-${shown.id}`)}>
          Close
        </button>
        {next ? (
          <button type="button" onClick={() => place.pane.set("inbox")} className="narrow-only">
            Back to the inbox
          </button>
        ) : null}
      </div>
    </footer>
  );
}
