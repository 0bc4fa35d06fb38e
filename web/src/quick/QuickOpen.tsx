/** Opens a file by some letters of its path. */
import { useEffect, useRef, useState } from "react";
import { tool } from "../api/tool";
import type { Tools } from "../api/types";
import { Marked } from "../parts/Marked";
import { Picker } from "../parts/Picker";
import { Failure, Loading } from "../parts/states";
import { type Place, usePlace } from "../shell/place";
import { goToSymbol } from "../shell/steps";
import { Resource, useStore } from "../state/store";
import { placesOf } from "./places";

const ROWS = 50;

type Found = Tools["editor_find"]["answers"];
type Match = Found["matches"][number];

export function QuickOpen() {
  const place = usePlace();
  const [query, setQuery] = useState("");
  const { answer, error, again } = useFound(place, query);
  const type = (text: string): void => void ((text === "@" && goToSymbol(place)) || setQuery(text));
  const current = answer?.query === query ? answer.found : null;
  return (
    <Picker
      title="Open a file"
      hint="Letters of its path"
      query={query}
      setQuery={type}
      rows={current && current.matches}
      drawn={(match) => <Path match={match} />}
      choose={(match) => place.goToFile(match.path)}
      close={() => place.picked("file")}
    >
      {error ? (
        <Failure error={error} retry={again} />
      ) : answer ? (
        <Told found={answer.found} />
      ) : (
        <Loading what="the paths" />
      )}
    </Picker>
  );
}

/** What was found for the newest query that is answered: one question is on its way at a time, the newest after it. */
function useFound(place: Place, query: string) {
  const asked = useRef(query);
  const [found] = useState(
    () =>
      new Resource(async () => {
        const query = asked.current;
        return { query, found: await tool(place.room.call, "editor_find", { query, limit: ROWS }) };
      }),
  );
  useEffect(() => {
    asked.current = query;
    void found.refresh();
  }, [found, query]);
  const { value, error } = useStore(found);
  return { answer: value, error, again: () => void found.refresh() };
}

function Path({ match: { path, positions } }: { match: Match }) {
  const marks = placesOf(path, positions);
  const start = path.lastIndexOf("/") + 1;
  const inName = new Set([...marks].map((at) => at - start));
  return (
    <span className="pick-path">
      <span className="pick-folder">
        <Marked text={path.slice(0, start)} marks={marks} />
      </span>
      <Marked text={path.slice(start)} marks={inName} />
    </span>
  );
}

function Told({ found: { matches, more, truncated } }: { found: Found }) {
  const count = matches.length;
  const files = count === 1 ? "1 file fits" : `${count} files fit`;
  return (
    <p className="picker-told" role="status">
      {count ? (more ? `The best ${count}; more fit.` : `${files}.`) : "No file fits."}
      {truncated ? " Not every path was looked at." : ""}
    </p>
  );
}
