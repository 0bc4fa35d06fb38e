/** A file in a tab: read, edited, previewed, and held against what was saved and what was committed. */
import { Suspense, lazy, useEffect, useState } from "react";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import type { Tab } from "../state/tabs";
import { Binary } from "./Binary";
import { Conflict } from "./Conflict";
import { MergeDialog } from "./MergeDialog";
import { PartBar } from "./PartBar";
import { Picture } from "./Picture";
import { type FileState, type OpenFile, withOneLineEnd } from "./files";
import { useLooked } from "./useLooked";
import { VIEWS, type View, viewOf, viewsOf } from "./views";

const Code = lazy(() => import("./Code"));
const Preview = lazy(() => import("./Preview"));
const Difference = lazy(async () => ({ default: (await import("./Compare")).Difference }));

export function FileView({ tab }: { tab: Tab }) {
  const { files } = usePlace();
  const [file] = useState(() => files.of(tab.about));
  const state = useStore(file);
  const view = viewOf(state, useStore(file.view));
  if (state.phase === "loading") return <Loading what={file.shown} />;
  if (state.phase === "failed" && state.error) return <Unreadable file={file} state={state} />;
  if (state.binary !== null) return <NoText file={file} state={state} />;
  return (
    <article className="document" aria-label={file.shown}>
      <Bar file={file} state={state} view={view} choose={(one) => file.view.set(one)} />
      {state.theirs ? <Conflict file={file} theirs={state.theirs} by={state.by} /> : null}
      <MergeDialog file={file} state={state} />
      {state.error ? <Failure error={state.error} /> : null}
      {state.part ? <PartBar file={file} part={state.part} size={state.size} /> : null}
      <Suspense fallback={<Loading what="the editor" />}>
        <Shown file={file} state={state} view={view} />
      </Suspense>
    </article>
  );
}

function Shown({ file, state, view }: { file: OpenFile; state: FileState; view: View }) {
  if (view === "picture") return <Picture file={file} state={state} />;
  if (view === "preview") return <Preview text={file.text()} path={file.path} round={state.round} />;
  if (view === "unsaved") {
    if (!state.dirty) return <Empty icon="check" title="All is saved" />;
    return <Difference path={file.path} before={state.base.text} after={file.text()} says="What isn't saved yet" />;
  }
  if (view === "head") return <SinceHead file={file} />;
  return <Lines file={file} state={state} readOnly={view === "read"} />;
}

/** The text with marks beside what differs from the last commit; from what is saved, where no commit has the file. */
function Lines({ file, state, readOnly }: { file: OpenFile; state: FileState; readOnly: boolean }) {
  const held = useLooked(file, file.committed)?.value;
  const known = held?.exists && !held.binary && !held.truncated;
  const before = known ? withOneLineEnd(held.content) : state.base.text;
  return <Code file={file} readOnly={readOnly} before={state.truncated ? null : before} />;
}

function SinceHead({ file }: { file: OpenFile }) {
  useLooked(file, file.committed);
  const { value, error } = useStore(file.committed);
  useEffect(() => void file.committed.refresh(), [file]);
  if (!value) return error ? <Failure error={error} /> : <Loading what="the last commit" />;
  if (value.binary) return <Empty icon="files" title="The committed file is no text" />;
  const before = value.exists ? withOneLineEnd(value.content) : "";
  if (value.exists && before === file.text())
    return <Empty icon="check" title="Nothing differs from the last commit" />;
  return <Difference path={file.path} before={before} after={file.text()} says="What differs from the last commit" />;
}

type BarProps = { file: OpenFile; state: FileState; view: View; choose: (view: View) => void };

function Bar({ file, state, view, choose }: BarProps) {
  const views = viewsOf(state);
  return (
    <div className="document-bar">
      <span className="document-path">{file.shown}</span>
      {state.truncated ? <span className="chip">a part, read only</span> : null}
      {state.lossy ? <span className="chip">holds bytes that are no text</span> : null}
      {views.length > 1 ? (
        <div className="segments" role="group" aria-label="View">
          {views.map((one) => (
            <button key={one} type="button" aria-pressed={view === one} onClick={() => choose(one)}>
              {VIEWS[one]}
            </button>
          ))}
        </div>
      ) : null}
      {state.truncated ? null : (
        <button
          type="button"
          className="primary"
          disabled={!state.dirty || state.saving}
          onClick={() => void file.save()}
        >
          {state.saving ? "Saving…" : "Save"}
        </button>
      )}
    </div>
  );
}

/** A picture is shown; of other bytes it is said what they are. */
function NoText({ file, state }: { file: OpenFile; state: FileState }) {
  return (
    <article className="document" aria-label={file.shown}>
      {state.picture ? <Picture file={file} state={state} named /> : <Binary file={file} state={state} />}
    </article>
  );
}

function Unreadable({ file, state }: { file: OpenFile; state: FileState }) {
  if (!state.error) return null;
  if (file.isGone) {
    return (
      <Empty icon="files" title={`${file.shown} is gone`}>
        <p>
          {state.by ? `${state.by} deleted or moved it` : "It was deleted or moved"}; the history can bring it back.
        </p>
        <button type="button" onClick={() => void file.load()}>
          Look again
        </button>
      </Empty>
    );
  }
  return <Failure error={state.error} retry={() => void file.load()} />;
}
