/** Who else works in the folder, at which file, and what they did last; each can be followed. */
import { useEffect } from "react";
import type { PresentRow } from "../api/types";
import { usePlace } from "../shell/place";
import { useAgo } from "../state/clock";
import { useStore } from "../state/store";

export function People() {
  const { room, follower } = usePlace();
  const others = (useStore(room.presence).value ?? []).filter((row) => !row.mine);
  const followed = useStore(follower);
  useEndByHand();
  if (!others.length) return null;
  return (
    <ul className="people" aria-label="Who is here">
      {others.map((row) => (
        <li key={row.session}>
          <Person row={row} followed={row.session === followed?.session} />
        </li>
      ))}
    </ul>
  );
}

function Person({ row, followed }: { row: PresentRow; followed: boolean }) {
  const { follower } = usePlace();
  const ago = useAgo(row.at);
  const did = row.did ? `${DID[row.did] ?? row.did} ${row.path}, ${ago}` : `came ${ago}`;
  return (
    <button
      type="button"
      className="person"
      aria-pressed={followed}
      title={`${row.actor.name} ${did}. Click to be shown what they open or change, until you type or click elsewhere.`}
      onClick={() => follower.toggle(row)}
    >
      {followed ? "Following" : "Follow"} <strong>{row.actor.name}</strong>
      <span className="person-did">{did}</span>
    </button>
  );
}

const DID: Record<string, string> = { edit: "edited" };

/** Keys that go somewhere without doing anything. */
const MOVES = new Set(["Alt", "AltGraph", "CapsLock", "Control", "F6", "Meta", "Shift", "Tab"]);

/** Whoever types or clicks is no longer led. */
function useEndByHand(): void {
  const { follower } = usePlace();
  const followed = useStore(follower);
  useEffect(() => {
    if (!followed) return;
    const act = (event: KeyboardEvent | PointerEvent): void => {
      if (event.target instanceof Element && event.target.closest(".people")) return;
      if (event instanceof KeyboardEvent && MOVES.has(event.key)) return;
      follower.end();
    };
    addEventListener("keydown", act, true);
    addEventListener("pointerdown", act, true);
    return () => {
      removeEventListener("keydown", act, true);
      removeEventListener("pointerdown", act, true);
    };
  }, [follower, followed]);
}
