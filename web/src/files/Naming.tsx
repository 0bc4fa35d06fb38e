/** Asks for a name: of a new file or folder, or a new one for what is there. */
import { escaped } from "../parts/escape";
import { type FormEvent, useState } from "react";
import type { Refused } from "../api/call";
import { Failure } from "../parts/states";
import { usePlace } from "../shell/place";
import { asRefused } from "../state/store";
import { type Asked, create, nameAsked } from "./actions";

const SAYS = { file: "Name of the new file", folder: "Name of the new folder", rename: "New name" };

/** What the button says, and what while that is on its way. */
const SAYS_DONE = { rename: ["Rename", "Renaming…"], create: ["Create", "Creating…"] };

export function Naming({ asked, done }: { asked: Asked; done: (made: string | null) => void }) {
  const place = usePlace();
  const [name, setName] = useState(nameAsked(asked));
  const [error, setError] = useState<Refused | null>(null);
  const [running, setRunning] = useState(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    setRunning(true);
    create(place, asked, name.trim())
      .then(done, (refused: unknown) => setError(asRefused(refused)))
      .finally(() => setRunning(false));
  };
  const where = escaped(asked.kind === "rename" ? asked.path : asked.folder === "." ? "the root" : asked.folder);
  return (
    <form className="naming" onSubmit={submit} onKeyDown={(event) => event.key === "Escape" && done(null)}>
      <label>
        {SAYS[asked.kind]}
        <input
          autoFocus
          value={name}
          onFocus={({ target }) => target.setSelectionRange(0, stemOf(target.value).length)}
          onChange={(event) => setName(event.target.value)}
          spellCheck={false}
        />
      </label>
      <p className="quiet">{asked.kind === "rename" ? `of ${where}` : `in ${where}; a / makes folders`}</p>
      {error ? <Failure error={error} /> : null}
      <div className="actions">
        <button type="button" onClick={() => done(null)}>
          Cancel
        </button>
        <button type="submit" className="primary" disabled={running || !name.trim()}>
          {SAYS_DONE[asked.kind === "rename" ? "rename" : "create"][running ? 1 : 0]}
        </button>
      </div>
    </form>
  );
}

/** What is changed most often of a name: all before its extension. */
function stemOf(name: string): string {
  const at = name.lastIndexOf(".");
  return at > 0 ? name.slice(0, at) : name;
}
