/** One request in full: what it would do from the real bytes, who asks, the agent's words apart, and the decision. */
import { useEffect, useState } from "react";
import type { ShowAnswer } from "../api/types";
import { lookAlikes } from "../inbox/alike";
import { Failure, Loading } from "../parts/states";
import { useKeptFocus } from "../parts/useKeptFocus";
import { usePlace } from "../shell/place";
import { Resource, useStore } from "../state/store";
import type { Tab } from "../state/tabs";
import { Alike } from "./Alike";
import { Decision } from "./Decision";
import { Edit } from "./Edit";
import { forget, isBegun } from "./editing";
import { Facts } from "./Facts";
import { Files } from "./Files";
import { Raw } from "./Raw";
import { none, type Selection } from "./selection";
import { Words } from "./Words";

export function Review({ tab }: { tab: Tab }) {
  const { room } = usePlace();
  const [shown] = useState(() => new Resource(() => room.call("show", { id: tab.about })));
  const pending = useStore(room.pending).value;
  const { value, error } = useStore(shown);
  useEffect(() => void shown.refresh(), [shown, pending]);
  useKeptFocus(value?.status ?? "", ".review");
  if (!value)
    return error ? <Failure error={error} retry={() => void shown.refresh()} /> : <Loading what="the request" />;
  return <Presented key={value.sha256} shown={value} refresh={() => void shown.refresh()} />;
}

function Presented({ shown, refresh }: { shown: ShowAnswer; refresh: () => void }) {
  const { room } = usePlace();
  const pending = useStore(room.pending).value ?? [];
  const [selection, select] = useState<Selection>(none);
  const [editing, setEditing] = useState(() => isBegun(shown.id));
  const row = pending.find((one) => one.id === shown.id);
  const waits = shown.status === "pending";
  useKeptFocus(String(editing), ".review");
  useEffect(() => {
    if (!waits) forget(shown.id);
  }, [waits, shown.id]);
  if (editing && waits) {
    return (
      <article className="review" aria-labelledby="review-title" tabIndex={-1}>
        <Edit shown={shown} back={() => setEditing(false)} refresh={refresh} />
      </article>
    );
  }
  return (
    <article className="review" aria-labelledby="review-title" tabIndex={-1}>
      <div className="review-scroll">
        <Facts shown={shown} row={row} />
        {waits ? <Alike shown={shown} others={lookAlikes(pending, shown.id)} /> : null}
        {shown.kind === "transaction" ? (
          <Files shown={shown} selection={selection} select={waits && shown.editable ? select : null} />
        ) : (
          <Raw shown={shown} />
        )}
        <Words text={shown.words} asker={row?.asker} />
      </div>
      <Decision shown={shown} selection={selection} refresh={refresh} edit={() => setEditing(true)} />
    </article>
  );
}
