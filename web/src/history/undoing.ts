/** What a notice offers after a change: to take it back at once. */
import type { Place, Said } from "../shell/place";
import { asRefused } from "../state/store";

const PATIENCE_MS = 500;

/** Say what is on its way, where it takes a while. */
export async function saying<T>(place: Place, text: string, work: Promise<T>): Promise<T> {
  const timer = setTimeout(() => place.say(text), PATIENCE_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}

export function sayWhy(place: Place, error: unknown): void {
  const { message, nextStep } = asRefused(error);
  place.say(`${message} ${nextStep}`.trim());
}

/** `id` is the transaction's; nothing is offered where there is none. */
export function undoing(place: Place, id: string | null | undefined): Said["offer"] {
  if (!id) return undefined;
  return {
    says: "Undo",
    run: () =>
      void saying(place, "Undoing…", place.room.call("undo", { id })).then(
        () => place.say("Undone."),
        (error: unknown) => sayWhy(place, error),
      ),
  };
}
