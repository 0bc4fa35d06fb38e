/** Runs a command that is found by words of its title. */
import { useState } from "react";
import { Picker } from "../parts/Picker";
import { usePlace } from "./place";
import { fitting } from "./commands";

export function Palette() {
  const place = usePlace();
  const [query, setQuery] = useState("");
  const rows = fitting(place, query);
  return (
    <Picker
      title="Run a command"
      hint="Words of its title"
      query={query}
      setQuery={setQuery}
      rows={rows}
      drawn={({ title, keys }) => (
        <>
          <span className="pick-path">{title}</span>
          {keys ? <kbd>{keys}</kbd> : null}
        </>
      )}
      choose={({ run }) => run(place)}
      close={() => place.picked("command")}
    >
      {rows.length ? null : (
        <p className="picker-told" role="status">
          No command fits.
        </p>
      )}
    </Picker>
  );
}
