/**
 * What tabs and the worker that holds their streams say to each other.
 *
 *     tab ──join, retry, leave──> worker ──one connection a folder──> server
 *         <──alive, line, anew, told, signed out──
 */
import type { Line, Told } from "./events";

/** Each holds a lock of a name of its own: that the other gets it means that its holder has gone. */
export type ToWorker =
  { ask: "join"; key: string; workspace: string; tab: string; lock: string } | { ask: "retry" } | { ask: "leave" };

export type ToTab =
  | { tell: "alive"; lock: string }
  | { tell: "line"; line: Line }
  | { tell: "told"; event: Told }
  | { tell: "anew" }
  | { tell: "signed out" };

/** Hold a lock as long as this page or worker lives; its name, once it is held. */
export function heldLock(): Promise<string> {
  const name = `workroom.${crypto.randomUUID()}`;
  return new Promise((resolve) => {
    void navigator.locks.request(name, () => {
      resolve(name);
      return new Promise(() => undefined);
    });
  });
}

/** Whoever holds the lock has gone, or `signal` was given. */
export async function goneOf(name: string, signal: AbortSignal): Promise<boolean> {
  try {
    return await navigator.locks.request(name, { mode: "shared", signal }, () => !signal.aborted);
  } catch {
    return false;
  }
}
