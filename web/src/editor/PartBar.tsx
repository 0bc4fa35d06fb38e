/** Which part of a long file is here, of how much, and the ways to all others. */
import { type FormEvent, useState } from "react";
import type { Refused } from "../api/call";
import { Icon, type IconName } from "../parts/Icon";
import { grouped, sizeOf } from "../parts/figures";
import type { Goal, OpenFile, Part, Where } from "./files";

const TOP: Goal = { line: 1, column: 1, still: true, shown: true };
const BOTTOM: Goal = { ...TOP, line: Infinity };

type Props = { file: OpenFile; part: Part; size: number };

export function PartBar({ file, part, size }: Props) {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const [asked, setAsked] = useState("");
  const number = Number(asked.replace(/[\s,._]/g, "") || NaN);

  const going = async (went: Promise<Refused | null>): Promise<boolean> => {
    setBusy(true);
    const error = await went;
    setRefused(error);
    setBusy(false);
    return error === null;
  };
  const go = (where: Where, goal: Goal) => void going(file.go(where, goal));
  const toByte = () => go({ start_byte: number }, TOP);
  const toLine = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (await going(file.goLine(number))) file.goal.set({ line: number, column: 1 });
  };
  const atStart = part.start === 0;
  const atEnd = part.end >= size;
  return (
    <div className="part-bar" role="group" aria-label="Part of the file" aria-busy={busy}>
      <p role="status">
        Bytes {grouped(part.start)} to {grouped(part.end)} of {grouped(size)} ({sizeOf(size)}){" · "}
        {linesOf(part)}
      </p>
      <div className="part-ways">
        <Way icon="first" says="Beginning" off={busy || atStart} go={() => go({}, TOP)} />
        <Way
          icon="previous"
          says="Previous part"
          off={busy || atStart}
          go={() => go({ end_byte: part.start }, BOTTOM)}
        />
        <Way icon="chevron" says="Next part" off={busy || atEnd} go={() => go({ start_byte: part.end }, TOP)} />
        <Way icon="last" says="End" off={busy || atEnd} go={() => go({ end_byte: size }, BOTTOM)} />
        <form onSubmit={(event) => void toLine(event)}>
          <input
            id="part-place"
            type="text"
            inputMode="numeric"
            aria-label="Line or byte"
            placeholder="Line or byte"
            value={asked}
            onChange={(event) => setAsked(event.target.value)}
          />
          <button type="submit" disabled={busy || !(number >= 1)}>
            Go to line
          </button>
          <button type="button" disabled={busy || !(number >= 0)} onClick={toByte}>
            Go to byte
          </button>
        </form>
      </div>
      {refused ? (
        <p className="part-refused" role="alert">
          {refused.message}
        </p>
      ) : null}
    </div>
  );
}

type WayProps = { icon: IconName; says: string; off: boolean; go: () => void };

function Way({ icon, says, off, go }: WayProps) {
  return (
    <button type="button" className="icon-button" title={says} disabled={off} onClick={go}>
      <Icon name={icon} />
      <span className="sr">{says}</span>
    </button>
  );
}

function linesOf({ firstLine, lines, totalLines }: Part): string {
  if (firstLine === null) return "so far in, lines aren't counted: +1 is the first of this part";
  const all = totalLines === null ? "; how many there are isn't counted" : ` of ${grouped(totalLines)}`;
  return `lines ${grouped(firstLine)} to ${grouped(firstLine + lines - 1)}${all}`;
}
