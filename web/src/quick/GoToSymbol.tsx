/** Goes to a definition in the file that is shown, by letters of its name. */
import { useState } from "react";
import { Marked } from "../parts/Marked";
import { Picker } from "../parts/Picker";
import { Failure, Loading } from "../parts/states";
import { type Place, usePlace } from "../shell/place";
import { Resource, useStore } from "../state/store";
import { shownOf } from "../state/tabs";
import { type Fitting, fitting } from "./symbols";

/** More aren't drawn: who looks for one of them types some letters. */
const ROWS = 500;

export function GoToSymbol() {
  const place = usePlace();
  const [query, setQuery] = useState("");
  const [path] = useState(() => shownOf(place.tabs.get())?.about ?? "");
  const [found] = useState(() => symbolsOf(place, path));
  const { value, error } = useStore(found);
  const fit = value && fitting(value.symbols, query);
  const rows = fit && fit.slice(0, ROWS);
  return (
    <Picker
      title="Go to a symbol"
      hint="Letters of its name"
      query={query}
      setQuery={setQuery}
      rows={rows}
      drawn={(row) => <Definition row={row} nested={!query.trim()} />}
      choose={({ symbol }) => place.openFile(path, symbol.line)}
      close={() => place.picked("symbol")}
    >
      {error ? (
        <Failure error={error} retry={() => void found.refresh()} />
      ) : value ? (
        <p className="picker-told" role="status">
          {told(value, fit?.length ?? 0)}
        </p>
      ) : (
        <Loading what="the symbols" />
      )}
    </Picker>
  );
}

/** Of what is shown: what was typed and isn't saved counts. */
function symbolsOf(place: Place, path: string) {
  const file = place.files.of(path);
  const found = new Resource(async () => {
    const typed = file.get().dirty ? { text: file.text() } : {};
    return await place.room.call("symbols", { path, ...typed });
  });
  void found.refresh();
  return found;
}

function Definition({ row: { symbol, marks }, nested }: { row: Fitting; nested: boolean }) {
  return (
    <>
      <span className="pick-path" style={nested ? { paddingInlineStart: `${symbol.level}em` } : {}}>
        <Marked text={symbol.name} marks={marks} />
      </span>{" "}
      <span className="pick-kind">
        {symbol.kind}, line {symbol.line}
      </span>
    </>
  );
}

function told(found: { unparsed: string; faulty: boolean; cut: boolean; symbols: unknown[] }, count: number): string {
  if (found.unparsed) return `Nothing is known of this file: ${found.unparsed}.`;
  const fit = count === 1 ? "1 symbol." : count ? `${count} symbols.` : found.symbols.length ? "None fits." : "None.";
  if (count > ROWS) return `The first ${ROWS} of ${count} symbols.`;
  const more = found.cut ? " There are more." : "";
  return found.faulty ? `${fit}${more} Not all of the file could be read.` : fit + more;
}
