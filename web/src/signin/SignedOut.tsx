/** Nobody is signed in here: how one comes in, and why one is out. */
import type { Refused } from "../api/call";
import { countUnsaved } from "../editor/files";
import { Mark } from "../shell/Mark";

export function SignedOut({ why }: { why: Refused | null }) {
  const unsaved = countUnsaved();
  return (
    <main className="gate">
      <div className="gate-card">
        <Mark />
        <h1>Sign in from your terminal</h1>
        {why ? (
          <p className="gate-why" role="alert">
            {why.message} {why.nextStep}
          </p>
        ) : null}
        {unsaved ? (
          <p className="gate-why">
            What you typed into {unsaved === 1 ? "a file" : `${unsaved} files`} isn’t saved. It is kept here: open the
            link in this very tab.
          </p>
        ) : null}
        <p>This page belongs to whoever runs the server. A terminal of yours prints a link that opens it:</p>
        <pre className="command">workroom page</pre>
        <p className="quiet">
          The link counts once, and for two minutes. The key that it brings stays in this browser, for this address
          alone.
        </p>
      </div>
    </main>
  );
}
