/** Editing a request before it is accepted: the yes is then to what the person made of it. */
import { Suspense, lazy, useEffect, useState } from "react";
import type { ProposalAnswer, ShowAnswer } from "../api/types";
import { Icon } from "../parts/Icon";
import { Failure, Loading } from "../parts/states";
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { Resource, useStore } from "../state/store";
import { begin, begunOf, type Draft, draftOf, edited, type Obstacle } from "./editing";
import { useDecide } from "./useDecide";

const Writing = lazy(() => import("../editor/Writing"));

type EditProps = { shown: ShowAnswer; back: () => void; refresh: () => void };

export function Edit({ shown, back, refresh }: EditProps) {
  const { room } = usePlace();
  const [proposal] = useState(() => new Resource(() => room.call("proposal", { words: shown.id })));
  const { value, error } = useStore(proposal);
  useEffect(() => void proposal.refresh(), [proposal]);
  if (value) return <Editing proposal={value} shown={shown} back={back} refresh={refresh} />;
  return error ? <Failure error={error} retry={() => void proposal.refresh()} /> : <Loading what="the contents" />;
}

function Editing({ proposal, shown, back, refresh }: EditProps & { proposal: ProposalAnswer }) {
  const [files] = useState(() => proposal.files.map(draftOf));
  const [texts, setTexts] = useState(() => begunOf(shown.id));
  const write = (path: string, text: string): void => {
    const now = { ...begunOf(shown.id), [path]: text };
    begin(shown.id, now);
    setTexts(now);
  };
  const drafts = files.filter((file): file is Draft => "path" in file);
  const contents = edited(drafts, texts);
  return (
    <>
      <div className="review-scroll">
        <header className="facts">
          <h2 id="review-title">Edit before accepting</h2>
          <p className="facts-line">
            What stands here when you accept is what is done; the agent is told the difference. Tab indents; Escape,
            then Tab leaves a text.
          </p>
        </header>
        {files.map((file) =>
          "path" in file ? (
            <File
              key={file.path}
              draft={file}
              text={texts[file.path] ?? file.before}
              write={(text) => write(file.path, text)}
            />
          ) : (
            <Uneditable key={file.shown} file={file} />
          ),
        )}
      </div>
      <Bar proposal={proposal} shown={shown} contents={contents} back={back} refresh={refresh} />
    </>
  );
}

function File({ draft, text, write }: { draft: Draft; text: string; write: (text: string) => void }) {
  const changed = text !== draft.before;
  const [first] = useState(text);
  return (
    <div className="file">
      <div className="file-head">
        <span className="path grow">{draft.shown}</span>
        {changed ? <span className="chip chip-pending">edited by you</span> : null}
        {draft.flags.map((flag) => (
          <span key={flag} className="chip chip-warning">
            {flag}, not escaped here
          </span>
        ))}
      </div>
      <Suspense fallback={<Loading what="the editor" />}>
        <Writing path={draft.path} label={`${draft.shown}, to be edited`} text={first} write={write} />
      </Suspense>
    </div>
  );
}

function Uneditable({ file }: { file: Obstacle }) {
  return (
    <div className="file">
      <div className="file-head">
        <span className="path grow">{file.shown}</span>
        <span className="quiet">{file.obstacle} It stays as proposed.</span>
      </div>
    </div>
  );
}

type BarProps = EditProps & { proposal: ProposalAnswer; contents: Record<string, string> };

function Bar({ proposal, shown, contents, back, refresh }: BarProps) {
  const live = useStore(usePlace().room.line).kind === "live";
  const { running, error, decide } = useDecide(refresh);
  const settled = useSettled([proposal.fingerprint, live, running].join());
  const count = Object.keys(contents).length;
  const accept = settled.guard(() => decide("edit", { words: shown.id, contents, fingerprint: proposal.fingerprint }));
  return (
    <footer className="decision" aria-label="Your decision" data-fresh={settled.fresh}>
      {error ? <Failure error={error} retry={back} /> : null}
      <div className="decision-row">
        <span className="grow quiet">
          {count ? `${count} ${count === 1 ? "file" : "files"} edited` : "Nothing is edited yet"}
        </span>
        <button type="button" onClick={back}>
          <Icon name="back" /> Back
        </button>
        <button type="button" className="accept" disabled={!live || running !== null || !count} onClick={accept}>
          <Icon name="check" /> {running ? "Accepting…" : "Accept as edited"}
        </button>
      </div>
    </footer>
  );
}
