/** Says when the page isn't live: what it shows may be old then, and it decides nothing. */
import { useEffect, useState } from "react";
import { useStore } from "../state/store";
import { usePlace } from "./place";

const PATIENCE_MS = 700;
/** How long a first connection may take before it is spoken of. */

export function Line() {
  const { room } = usePlace();
  const line = useStore(room.line);
  const [late, setLate] = useState(false);
  const live = line.kind === "live";
  useEffect(() => {
    const timer = setTimeout(() => setLate(!live), live ? 0 : PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [live]);
  if (live || !late) return null;
  return (
    <div className="line" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>
        <strong>Not live.</strong> What you see may be old, and nothing can be decided until Workroom answers again.
      </span>
      <button type="button" onClick={() => room.retry()}>
        Try now
      </button>
    </div>
  );
}
