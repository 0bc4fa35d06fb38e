/** What isn't an edit: a plan, a command, a page to open; every field of the call as it is. */
import type { ShowAnswer } from "../api/types";

export function Raw({ shown }: { shown: ShowAnswer }) {
  if (!shown.body.trim()) return null;
  const fields = fieldsOf(shown.body);
  return (
    <section className="raw" aria-labelledby="raw-title">
      <h3 id="raw-title">What would be done</h3>
      {fields ? (
        <dl className="fields">
          {fields.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{Array.isArray(value) ? <Argv words={value} /> : <pre>{worded(value)}</pre>}</dd>
            </div>
          ))}
        </dl>
      ) : (
        <pre>{shown.body}</pre>
      )}
    </section>
  );
}

/** Each word in a box of its own, so that none can pass for two. */
function Argv({ words }: { words: unknown[] }) {
  return (
    <ol className="argv">
      {words.map((word, at) => (
        <li key={at}>
          <code>{worded(word)}</code>
        </li>
      ))}
    </ol>
  );
}

function worded(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}

function fieldsOf(body: string): [string, unknown][] | null {
  try {
    const parsed: unknown = JSON.parse(body);
    return parsed && typeof parsed === "object" && !Array.isArray(parsed) ? Object.entries(parsed) : null;
  } catch {
    return null;
  }
}
