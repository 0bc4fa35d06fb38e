/** What would be done, file by file and hunk by hunk, each of which can be left out. */
import { useMemo, useState } from "react";
import type { ChangeRow, ShowAnswer } from "../api/types";
import { DiffLines } from "../parts/DiffLines";
import { type Hunk, parseDiff, type Section } from "../parts/diff";
import { Icon } from "../parts/Icon";
import { hunksOf, type Selection, toggled } from "./selection";

type Select = ((selection: Selection) => void) | null;

type FilesProps = { shown: ShowAnswer; selection: Selection; select: Select };

export function Files({ shown, selection, select }: FilesProps) {
  const diff = useMemo(() => parseDiff(shown.body), [shown.body]);
  const paired = useMemo(() => pair(shown.changes, diff.sections), [shown.changes, diff]);
  const rest = diff.sections.filter((section) => ![...paired.values()].includes(section));
  const counts = shown.changes.reduce((sum, one) => ({ a: sum.a + (one.added ?? 0), r: sum.r + (one.removed ?? 0) }), {
    a: 0,
    r: 0,
  });
  const paths = shown.changes.length;
  return (
    <section aria-labelledby="files-title" className="files">
      <h3 id="files-title">
        What would be done{" "}
        <span className="counts">
          {paths} {paths === 1 ? "path" : "paths"} <span className="plus">+{counts.a}</span>{" "}
          <span className="minus">−{counts.r}</span>
        </span>
      </h3>
      {shown.changes.map((change) => (
        <File
          key={change.path}
          change={change}
          section={paired.get(change)}
          ids={hunksOf(shown, change)}
          selection={selection}
          select={select}
        />
      ))}
      {rest.map((section) => (
        <pre key={section.head[0]} className="rest">
          {[...section.head, ...section.hunks.flatMap((hunk) => [hunk.header, ...hunk.lines.map(sign)])].join("\n")}
        </pre>
      ))}
      {shown.changes.length ? null : <pre className="rest">{shown.body}</pre>}
    </section>
  );
}

type FileProps = {
  change: ChangeRow;
  section: Section | undefined;
  ids: string[];
  selection: Selection;
  select: Select;
};

function File({ change, section, ids, selection, select }: FileProps) {
  const [folded, setFolded] = useState(false);
  const left = selection.files.has(change.path) || (ids.length > 0 && ids.every((id) => selection.hunks.has(id)));
  const flip = (): void => {
    const files = toggled(selection, "files", [change.path], !left);
    select?.(toggled(files, "hunks", ids, false));
  };
  return (
    <div className="file" role="group" aria-label={change.shown} data-left={left}>
      <div className="file-head">
        {select ? <input type="checkbox" checked={!left} onChange={flip} aria-label={`Take ${change.shown}`} /> : null}
        <button type="button" className="file-name" aria-expanded={!folded} onClick={() => setFolded(!folded)}>
          <Icon name="chevron" />
          <span className={`verb verb-${change.change}`}>{change.change}</span>
          <span className="path">
            {change.origin ? <span className="quiet">{change.origin} → </span> : null}
            {change.shown}
          </span>
        </button>
        <Size change={change} />
      </div>
      {folded ? null : <Body section={section} ids={ids} selection={selection} select={left ? null : select} />}
    </div>
  );
}

function Size({ change }: { change: ChangeRow }) {
  if (change.folder) return <span className="counts">folder</span>;
  if (change.added === null) {
    return (
      <span className="counts">
        not text; {bytes(change.before)} → {bytes(change.after)}
      </span>
    );
  }
  return (
    <span className="counts" title={`${change.before} → ${change.after} bytes`}>
      <span className="plus">+{change.added}</span> <span className="minus">−{change.removed}</span>
    </span>
  );
}

type BodyProps = { section: Section | undefined; ids: string[]; selection: Selection; select: Select };

function Body({ section, ids, selection, select }: BodyProps) {
  if (!section) return null;
  const facts = section.head.filter((line) => /^(old|new|deleted|Binary|similarity)/.test(line));
  return (
    <div className="file-body">
      {facts.length ? <pre className="file-facts">{facts.join("\n")}</pre> : null}
      {section.hunks.map((hunk, at) => (
        <Piece
          key={hunk.id ?? at}
          hunk={hunk}
          alone={!hunk.id || !ids.includes(hunk.id)}
          {...{ at, selection, select }}
        />
      ))}
    </div>
  );
}

type PieceProps = { hunk: Hunk; at: number; alone: boolean; selection: Selection; select: Select };

function Piece({ hunk, at, alone, selection, select }: PieceProps) {
  const { id } = hunk;
  const left = id !== null && selection.hunks.has(id);
  return (
    <div className="hunk" data-left={left}>
      <div className="hunk-head">
        {select && id !== null && !alone ? (
          <label>
            <input
              type="checkbox"
              checked={!left}
              onChange={() => select(toggled(selection, "hunks", [id], !left))}
              aria-label={`Take hunk ${at + 1}`}
            />
            <span>Hunk {at + 1}</span>
          </label>
        ) : null}
        <span className="quiet">{hunk.header.replace(/ h[0-9a-f]{6,}$/, "")}</span>
      </div>
      <DiffLines lines={hunk.lines} />
    </div>
  );
}

/** Sections by the change that they show: by path, else in their order where that leaves no doubt. */
function pair(changes: ChangeRow[], sections: Section[]): Map<ChangeRow, Section> {
  const found = new Map<ChangeRow, Section>();
  const left = new Set(sections);
  for (const change of changes) {
    const section = [...left].find((one) => one.path === change.shown);
    if (section && !change.folder) {
      found.set(change, section);
      left.delete(section);
    }
  }
  return found;
}

function sign(line: { kind: string; text: string }): string {
  return ({ added: "+", removed: "-", kept: " " }[line.kind] ?? "") + line.text;
}

function bytes(count: number): string {
  return count < 1024
    ? `${count} B`
    : count < 1024 ** 2
      ? `${(count / 1024).toFixed(1)} KB`
      : `${(count / 1024 ** 2).toFixed(1)} MB`;
}
