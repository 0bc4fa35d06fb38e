/** What is changed of one file, hunk by hunk, each to be staged or unstaged by itself. */
import { useEffect, useMemo, useState } from "react";
import { Refused } from "../api/call";
import { tool } from "../api/tool";
import type { Tools } from "../api/types";
import { DiffLines } from "../parts/DiffLines";
import { type Hunk, parseDiff } from "../parts/diff";
import { escaped } from "../parts/escape";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { Resource, asRefused, useStore } from "../state/store";
import type { Tab } from "../state/tabs";
import { CONTEXT, type Side, actionOf, sideAndPath } from "./sides";

type Patch = Tools["editor_git_hunks"]["answers"];

export function Hunks({ tab }: { tab: Tab }) {
  const { room } = usePlace();
  const [side, path] = sideAndPath(tab);
  const load = (): Promise<Patch> =>
    tool(room.call, "editor_git_hunks", { path, against: side, context_lines: CONTEXT });
  const [patch] = useState(() => new Resource(load));
  const seen = useStore(room.git).value;
  const { value, error } = useStore(patch);
  useEffect(() => void patch.refresh(), [patch, seen]); // whenever git was looked at, this is
  if (error) return <Failure error={error} retry={() => void patch.refresh()} />;
  return value ? <Patched patch={value} side={side} /> : <Loading what="what is changed" />;
}

function Patched({ patch, side }: { patch: Patch; side: Side }) {
  const place = usePlace();
  const { busy, error, stage } = useStaging(patch, side);
  const hunks = useMemo(() => parseDiff(escaped(patch.patch)).sections.flatMap((one) => one.hunks), [patch]);
  const verb = side === "index" ? "Unstage" : "Stage";
  const left = patch.hunks.length - hunks.length;
  return (
    <article className="review" aria-label={`Changes of ${escaped(patch.path)}`}>
      <div className="document-bar">
        <span className="document-path">{escaped(patch.path)}</span>
        <span className="chip">{side === "index" ? "staged" : "not staged"}</span>
        <button type="button" onClick={() => place.openFile(patch.path)}>
          Open the file
        </button>
      </div>
      <div className="review-scroll">
        {error ? <Failure error={error} /> : null}
        {hunks.map((hunk, at) => (
          <div key={at} className="hunk">
            <div className="hunk-head git-group-head">
              <span className="quiet">{hunk.header}</span>
              {isWhole(hunk, patch.hunks[at]) ? (
                <button type="button" disabled={busy} onClick={() => stage(at)}>
                  {verb} hunk {at + 1}
                </button>
              ) : (
                <span className="quiet">Not all of it can be shown: take the file as a whole.</span>
              )}
            </div>
            <DiffLines lines={hunk.lines} />
          </div>
        ))}
        {left > 0 ? <p className="quiet">{left} more hunks are too long to be shown here.</p> : null}
        {patch.patch ? null : <Empty icon="check" title={`Nothing of it is ${side === "index" ? "staged" : "left"}`} />}
        {patch.patch && !patch.hunks.length ? <pre className="rest">{escaped(patch.patch)}</pre> : null}
      </div>
    </article>
  );
}

/** Whether all lines of a hunk are there to be seen, and nothing else among them. */
function isWhole(hunk: Hunk, told: Patch["hunks"][number] | undefined): boolean {
  const count = (kind: string): number => hunk.lines.filter((line) => line.kind === kind).length;
  const odd = hunk.lines.some((line) => line.kind === "plain" && !line.text.startsWith("\\"));
  return told !== undefined && !odd && count("added") === told.added && count("removed") === told.removed;
}

/** Stages a hunk of exactly this patch; another one is refused, and shown as it is then. */
function useStaging(patch: Patch, side: Side) {
  const { room } = usePlace();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<Refused | null>(null);
  const ask = async (at: number): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await tool(room.call, "editor_git_stage", {
        action: actionOf(side),
        paths: [patch.path],
        hunks: [at],
        context_lines: CONTEXT,
        ...(patch.patch_version ? { patch_version: patch.patch_version } : {}),
      });
    } catch (refused) {
      setError(asRefused(refused));
    }
    await room.git.refresh();
    setBusy(false);
  };
  return { busy, error, stage: (at: number) => void ask(at) };
}
