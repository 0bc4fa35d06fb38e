/** Carries a decision to the server, and says how it went. */
import { useState } from "react";
import type { Refused } from "../api/call";
import type { Methods } from "../api/types";
import { usePlace } from "../shell/place";
import { asRefused } from "../state/store";

type Word = "accept" | "deny" | "edit";

const SAID = {
  accept: "Accepted.",
  deny: "Denied.",
  edit: "Accepted as you edited it.",
  hold: "Approved. Nothing was done yet: it is when the agent asks for it again.",
};

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
        const failed = done.envelope?.ok === false;
        place.say(`${failed ? "Accepted, but not done. " : `${SAID[word]} `}${done.summary ?? ""}`.trim());
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
