/** Looks for lines in all files, and goes to the one that is chosen. */
import type { FormEvent, KeyboardEvent } from "react";
import { Marked } from "../parts/Marked";
import { escaped } from "../parts/escape";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { type Asked, type Found, type Hit, columnOf, excerptOf, told } from "./search";

export function SearchView() {
  const { search } = usePlace();
  return (
    <>
      <h2 className="side-title">Search</h2>
      <Form />
      {useStore(search.begun) ? (
        <Answered />
      ) : (
        <Empty icon="search" title="Nothing was looked for yet">
          <p>Lines of any file that hold a text, or fit a regular expression.</p>
        </Empty>
      )}
    </>
  );
}

function Form() {
  const { search } = usePlace();
  const form = useStore(search.form);
  const put = (part: Partial<Asked>): void => search.form.set({ ...form, ...part });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    search.run();
  };
  return (
    <form className="search" role="search" aria-label="In all files" onSubmit={submit}>
      <label>
        Look for
        <input
          type="text"
          className="search-pattern"
          value={form.text}
          maxLength={2_000}
          spellCheck={false}
          onChange={(event) => put({ text: event.target.value })}
        />
      </label>
      <label>
        Only in files
        <input
          type="text"
          value={form.glob}
          placeholder="*.py, docs/**"
          spellCheck={false}
          onChange={(event) => put({ glob: event.target.value })}
        />
      </label>
      <div className="search-row">
        <div className="search-ways">
          <label className="search-way">
            <input
              type="checkbox"
              checked={form.matchCase}
              onChange={(event) => put({ matchCase: event.target.checked })}
            />
            Match case
          </label>
          <label className="search-way">
            <input type="checkbox" checked={form.regex} onChange={(event) => put({ regex: event.target.checked })} />
            Regular expression
          </label>
        </div>
        <button type="submit" className="primary" disabled={!form.text}>
          Search
        </button>
      </div>
    </form>
  );
}

function Answered() {
  const { search } = usePlace();
  const { value, error, loading } = useStore(search.answer);
  if (loading) return <Loading what="what fits" />;
  if (error) return <Failure error={error} retry={() => search.run()} />;
  if (!value) return null;
  return (
    <>
      <p className="search-told" role="status">
        {told(value)}
      </p>
      <Files found={value} />
    </>
  );
}

function Files({ found }: { found: Found }) {
  return (
    <div className="hits" onKeyDown={step}>
      {found.files.map(({ path, hits }) => (
        <section key={path} aria-label={escaped(path)}>
          <h3 className="hits-file">
            <span>{escaped(path)}</span>
            <span className="chip">{hits.length}</span>
          </h3>
          <ul>
            {hits.map((hit) => (
              <li key={hit.line}>
                <OneHit path={path} hit={hit} />
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function OneHit({ path, hit }: { path: string; hit: Hit }) {
  const place = usePlace();
  const { text, marks } = excerptOf(hit);
  return (
    <button type="button" className="hit" onClick={() => place.openFile(path, hit.line, columnOf(hit))}>
      <span className="hit-line">
        <span className="sr">Line </span>
        {hit.line}
      </span>
      <code>
        <Marked text={text} marks={marks} />
      </code>
    </button>
  );
}

/** Arrows go from hit to hit, across files. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!by) return;
  const hits = [...event.currentTarget.querySelectorAll<HTMLElement>(".hit")];
  hits[hits.findIndex((hit) => hit === document.activeElement) + by]?.focus();
  event.preventDefault();
}
