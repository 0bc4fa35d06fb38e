/** Who is signed in: the code in the address becomes a key, which stays in this browser for this address alone. */
import { type Call, caller, type Key, type Refused, signedOutElsewhere, signIn } from "../api/call";
import { asRefused, Store } from "./store";

export type Session =
  | { phase: "signing in" }
  | { phase: "signed out"; why: Refused | null }
  | { phase: "signed in"; key: string; id: string; call: Call; note: string };

const KEPT = "workroom.key";

export const session = new Store<Session>({ phase: "signing in" });

/** Take the code from the address at once, so that it stands in no history and no screenshot. */
export function takeCode(): string | null {
  const code = /^#(code_[0-9a-f]+)$/.exec(location.hash)?.[1] ?? null;
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  return code;
}

/** Sign in with the code, else with the key that is kept. */
export async function begin(code: string | null): Promise<void> {
  session.set({ phase: "signing in" });
  const kept = keptKey();
  if (code === null) {
    if (kept) enter(kept);
    else session.set({ phase: "signed out", why: null });
    return;
  }
  try {
    const key = await signIn(code);
    localStorage.setItem(KEPT, JSON.stringify(key));
    enter(key);
  } catch (error) {
    const why = asRefused(error);
    if (kept) enter(kept, `${why.message} This page was signed in before, and still is.`);
    else session.set({ phase: "signed out", why });
  }
}

/** Forget the key, here and at the server. */
export async function signOut(): Promise<void> {
  const now = session.get();
  leave();
  if (now.phase === "signed in") await now.call("pages.revoke", { name: now.id }).catch(() => undefined);
}

/** Other tabs of this browser sign in and out together with this one. */
export function followOtherTabs(): void {
  addEventListener("storage", (event) => {
    if (event.key !== KEPT) return;
    const kept = keptKey();
    if (kept) {
      if (session.get().phase === "signed out") enter(kept); // who is in stays so: a key is a page's own
    } else if (session.get().phase !== "signed out") session.set({ phase: "signed out", why: signedOutElsewhere() });
  });
}

function enter({ key, id }: Key, note = ""): void {
  session.set({ phase: "signed in", key, id, call: caller(key, leave), note });
}

/** What a stream calls when it is told that the key counts no more. */
export function leaveQuietly(): void {
  leave(signedOutElsewhere());
}

function leave(why: Refused | null = null): void {
  const now = session.get();
  const own = now.phase === "signed in" && keptKey()?.id === now.id; // another tab may have signed in anew
  if (why === null || own) localStorage.removeItem(KEPT);
  session.set({ phase: "signed out", why });
}

function keptKey(): Key | null {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? "null") as Key | null;
    return typeof kept?.key === "string" && typeof kept.id === "string" ? kept : null;
  } catch {
    return null;
  }
}
