/** A text with some of its characters marked. What would act or hide is made visible. */
import { escaped } from "./escape";

export function Marked({ text, marks }: { text: string; marks: ReadonlySet<number> }) {
  return (
    <>
      {runsOf(text, marks).map(([run, marked], at) =>
        marked ? <mark key={at}>{escaped(run)}</mark> : <span key={at}>{escaped(run)}</span>,
      )}
    </>
  );
}

/** Characters that stand together and are marked alike; `marks` holds places in `text`. */
function runsOf(text: string, marks: ReadonlySet<number>): [string, boolean][] {
  const runs: [string, boolean][] = [];
  let at = 0;
  for (const character of text) {
    const marked = marks.has(at);
    const last = runs[runs.length - 1];
    if (last && last[1] === marked) last[0] += character;
    else runs.push([character, marked]);
    at += character.length;
  }
  return runs;
}
