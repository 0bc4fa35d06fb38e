/** A text that holds unified diffs, as files and hunks; every line of it is shown. */
import { useMemo } from "react";
import { DiffLines } from "./DiffLines";
import { parseDiff, type Section } from "./diff";

export function DiffText({ text }: { text: string }) {
  const diff = useMemo(() => parseDiff(text), [text]);
  const before = diff.before.join("\n").trim();
  return (
    <div className="files">
      {before ? <pre className="rest">{before}</pre> : null}
      {diff.sections.map((section, at) => (
        <OneFile key={at} section={section} />
      ))}
    </div>
  );
}

function OneFile({ section }: { section: Section }) {
  const facts = section.head.filter((line) => !/^(diff --git|--- |\+\+\+ |index )/.test(line));
  return (
    <div className="file" role="group" aria-label={section.path}>
      <div className="file-head">
        <span className="path">{section.path}</span>
      </div>
      {facts.length ? <pre className="file-facts">{facts.join("\n")}</pre> : null}
      {section.hunks.map((hunk, at) => (
        <div key={at} className="hunk">
          <div className="hunk-head">
            <span className="quiet">{hunk.header}</span>
          </div>
          <DiffLines lines={hunk.lines} />
        </div>
      ))}
    </div>
  );
}
