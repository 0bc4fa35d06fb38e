/** Tells a request from others that look like it: when each was asked, and what each would do that the other wouldn't. */
import { useEffect, useState } from "react";
import type { ShowAnswer, WaitingRow } from "../api/types";
import { differences, shortOf } from "../inbox/alike";
import { Icon } from "../parts/Icon";
import { usePlace } from "../shell/place";
import { clockTime } from "../state/clock";

const MOST_LINES = 4;

export function Alike({ shown, others }: { shown: ShowAnswer; others: WaitingRow[] }) {
  if (!others.length) return null;
  return (
    <div className="notes notes-warning alike">
      <Icon name="warning" />
      <div>
        <strong>
          {others.length === 1 ? "Another request looks" : `${others.length} other requests look`} like this one, which
          is <span className="id">{shortOf(shown.id)}</span>
        </strong>
        <ul>
          {others.map((row) => (
            <Other key={row.id} shown={shown} row={row} />
          ))}
        </ul>
      </div>
    </div>
  );
}

function Other({ shown, row }: { shown: ShowAnswer; row: WaitingRow }) {
  const { room } = usePlace();
  const [only, setOnly] = useState<string[] | null>(null);
  useEffect(() => {
    let over = false;
    room
      .call("show", { id: row.id })
      .then((other) => {
        if (!over) setOnly(differences(shown.body, other.body));
        return room.call("show", { id: shown.id }); // the one that is looked at is the one shown last
      })
      .catch(() => undefined);
    return () => {
      over = true;
    };
  }, [room, row.id, shown.body, shown.id]);
  return (
    <li>
      <span className="id">{shortOf(row.id)}</span> by {row.asker}, asked at {clockTime(row.createdAt)}
      {only === null ? null : only.length ? (
        <>
          . Only in this one:
          <pre>{only.slice(0, MOST_LINES).join("\n")}</pre>
        </>
      ) : (
        " would do exactly the same."
      )}
    </li>
  );
}
