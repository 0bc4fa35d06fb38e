/** What the status line tells of the shown file: where the cursor is, what differs, and who changed it last. */
import { useState } from "react";
import { escaped } from "../parts/escape";
import { usePlace } from "../shell/place";
import { useAgo } from "../state/clock";
import { useStore } from "../state/store";
import type { FileState, OpenFile } from "./files";
import { useLooked } from "./useLooked";

export function FileStatus({ path }: { path: string }) {
  const { files, room } = usePlace();
  const [file] = useState(() => files.of(path));
  const state = useStore(file);
  const { line, column, lines } = useStore(file.cursor);
  const shown = escaped(path); // as the log tells paths
  const last = useStore(room.log).value?.entries.find((entry) => entry.paths.includes(shown));
  return (
    <span className="status-file" role="group" aria-label="Shown file">
      <span className="status-path">{shown}</span>
      {state.phase === "ready" && state.binary !== null ? (
        <span>{state.picture || state.binary || "binary"}</span>
      ) : null}
      {state.phase === "ready" && state.binary === null ? (
        <>
          <span>{state.language}</span>
          <span>
            {lineOf(state, line, lines)}, column {column}
          </span>
          <Deltas file={file} />
          <span>{standing(state)}</span>
        </>
      ) : null}
      {last ? <LastOfFile at={last.at} by={last.actor.name} /> : null}
    </span>
  );
}

/** Which line the cursor is in, of how many, as far as that is known of a part. */
function lineOf({ part }: FileState, line: number, lines: number): string {
  if (!part) return `Line ${line} of ${lines}`;
  if (part.firstLine === null) return `Line ${line} of this part`;
  return `Line ${part.firstLine + line - 1}${part.totalLines === null ? "" : ` of ${part.totalLines}`}`;
}

function standing({ saving, theirs, dirty, truncated }: FileState): string {
  if (saving) return "Saving…";
  if (theirs === "gone") return "Gone from disk";
  if (theirs) return "Changed on disk";
  if (truncated) return "Read only";
  return dirty ? "Not saved" : "Saved";
}

/** The lines on disk that differ from the last commit; nothing where the folder is in no repository. */
function Deltas({ file }: { file: OpenFile }) {
  const looked = useLooked(file, file.deltas);
  if (!looked?.value || looked.error) return null;
  const { value } = looked;
  if (value.untracked) return <span>not in git yet</span>;
  return (
    <span className="counts" title="Lines on disk that differ from the last commit">
      <span className="sr">Since the last commit: </span>
      <span className="plus">+{value.added}</span> <span className="minus">−{value.removed}</span>
    </span>
  );
}

function LastOfFile({ at, by }: { at: string; by: string }) {
  return (
    <span className="status-last">
      Changed {useAgo(at)} by {by}
    </span>
  );
}
