/** The last line: how live the page is, the mode, and the shown file; else what was changed last and by whom. */
import { FileStatus } from "../editor/FileStatus";
import { useAgo } from "../state/clock";
import { useStore } from "../state/store";
import { shownOf } from "../state/tabs";
import type { EntryRow } from "../api/types";
import { usePlace } from "./place";

export function StatusLine() {
  const { room, tabs, stepped } = usePlace();
  const line = useStore(room.line);
  const mode = useStore(room.mode).value;
  const last = useStore(room.log).value?.entries[0];
  const shown = shownOf(useStore(tabs));
  const live = line.kind === "live";
  return (
    <footer className="status" aria-label="Status" data-part tabIndex={-1}>
      <span className="status-live" data-live={live}>
        <span className="dot" aria-hidden="true" />
        {live ? "Live" : line.kind === "connecting" ? "Connecting" : "Not live"}
      </span>
      {mode ? <span>Mode: {mode.mode}</span> : null}
      <span className="grow" />
      <span role="status">{useStore(stepped)}</span>
      {shown?.kind === "file" ? (
        <FileStatus key={shown.id} path={shown.about} />
      ) : last ? (
        <LastChange entry={last} />
      ) : null}
    </footer>
  );
}

function LastChange({ entry }: { entry: EntryRow }) {
  const ago = useAgo(entry.at);
  return (
    <span className="status-last">
      Last change {ago} by {entry.actor.name}: {entry.title || entry.paths.join(", ")}
    </span>
  );
}
