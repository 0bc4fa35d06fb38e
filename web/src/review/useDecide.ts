/** Carries a decision to the server, and says how it went. */
import { useState } from "react";
import type { Refused } from "../api/call";
import type { Methods } from "../api/types";
import { undoing } from "../history/undoing";
import { usePlace } from "../shell/place";
import { asRefused } from "../state/store";

type Word = "accept" | "deny" | "edit";

const SAID = {
  accept: "Accepted.",
  deny: "Denied.",
  edit: "Accepted as you edited it.",
  hold: "Approved. Nothing was done yet: it is when the agent asks for it again.",
};

/** The change that was made, where the answer to the agent names one. */
function transactionOf(envelope: Record<string, unknown> | undefined): string | undefined {
  const data = envelope?.data as { transactionId?: string; committed?: boolean } | undefined;
  return data?.committed ? data.transactionId : undefined;
}

export function useDecide(refresh: () => void) {
  const place = usePlace();
  const [running, setRunning] = useState<keyof typeof SAID | null>(null);
  const [error, setError] = useState<Refused | null>(null);
  const decide = <M extends Word>(method: M, params: Methods[M]["params"]): void => {
    const word = "hold" in params && params.hold ? "hold" : method;
    setRunning(word);
    setError(null);
    place.room
      .call(method, params)
      .then((done) => {
        if (done.envelope?.ok === false) place.say(`Accepted, but not done. ${done.summary ?? ""}`.trim());
        else place.say(SAID[word], undoing(place, transactionOf(done.envelope)));
        refresh();
      })
      .catch((refused: unknown) => setError(asRefused(refused)))
      .finally(() => {
        setRunning(null);
        void place.room.pending.refresh();
      });
  };
  return { running, error, decide };
}
