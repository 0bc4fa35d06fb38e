/** One of the person's methods, asked over HTTP with the page's key. */
import { TAB } from "./tab";
import type { ErrorCode, Methods } from "./types";

/** What the server refused: a code, what is wrong, what can be done, and more. */
export class Refused extends Error {
  constructor(
    readonly code: ErrorCode | "OFFLINE" | "SIGNED_OUT",
    message: string,
    readonly nextStep: string,
    readonly details: Record<string, unknown> = {},
  ) {
    super(message);
  }
}

export type Call = <M extends keyof Methods>(
  method: M,
  params: Methods[M]["params"],
  workspace?: string | null,
) => Promise<Methods[M]["answer"]>;

export function headersOf(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}`, "workroom-tab": TAB };
}

/** Calls with this key; `signedOut` is told when the key counts no more. */
export function caller(key: string, signedOut: (why: Refused) => void): Call {
  return async (method, params, workspace) => {
    const body = JSON.stringify({ method, params, ...(workspace ? { workspace } : {}) });
    const headers = { ...headersOf(key), "content-type": "application/json" };
    const answer = await ask("/page/v1/call", { method: "POST", headers, body, cache: "no-store" });
    if (answer.status === 401) {
      const why = signedOutElsewhere();
      signedOut(why);
      throw why;
    }
    return answer.body.result as never;
  };
}

export function signedOutElsewhere(): Refused {
  return new Refused("SIGNED_OUT", "This page was signed out.", "`workroom page` prints a link that signs it in.");
}

/** What a page is known by: `key` is secret, `id` names it to the person. */
export interface Key {
  key: string;
  id: string;
}

/** A key for a one-time code. */
export async function signIn(code: string): Promise<Key> {
  const headers = { "content-type": "application/json" };
  const answer = await ask("/page/v1/sign-in", { method: "POST", headers, body: JSON.stringify({ code }) });
  return { key: String(answer.body.key), id: String(answer.body.id) };
}

/** What a file holds; `picture` is its type where it is one, told by these very bytes: `image/png`. */
export type Content = { bytes: ArrayBuffer; picture: string };

/** A file as it is. Its key goes in a header, so nothing shows these bytes but what the page makes of them. */
export async function contentOf(key: string, path: string, workspace: string): Promise<Content> {
  const headers = { ...headersOf(key), "content-type": "application/json" };
  const body = JSON.stringify({ path, workspace });
  const response = await send("/page/v1/bytes", { method: "POST", headers, body, cache: "no-store" });
  if (response.status === 401) throw signedOutElsewhere();
  if (!response.ok) throw refusal((await bodyOf(response)).error as Record<string, unknown> | undefined);
  return { bytes: await response.arrayBuffer(), picture: response.headers.get("workroom-picture") ?? "" };
}

type Answered = { status: number; body: Record<string, unknown> };

async function ask(path: string, request: RequestInit): Promise<Answered> {
  const response = await send(path, request);
  const body = await bodyOf(response);
  if (response.ok || response.status === 401) return { status: response.status, body };
  throw refusal(body.error as Record<string, unknown> | undefined);
}

async function send(path: string, request: RequestInit): Promise<Response> {
  try {
    return await fetch(path, request);
  } catch {
    throw new Refused("OFFLINE", "Workroom can't be reached.", "Is the server running? `workroom serve` starts it.");
  }
}

/** What isn't whole says nothing of what was done. */
async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  try {
    return (await response.json()) as Record<string, unknown>;
  } catch {
    if (!response.ok) return {};
    const next = "What was asked for may have been done: look, then try again.";
    throw new Refused("OFFLINE", "The answer of Workroom was cut off.", next);
  }
}

function refusal(error: Record<string, unknown> | undefined): Refused {
  return new Refused(
    (error?.code as ErrorCode) ?? "INTERNAL",
    String(error?.message ?? "The server's answer can't be read."),
    String(error?.next_step ?? (error ? "" : "Try again. If it stays so, `workroom doctor` looks for what is wrong.")),
    (error?.details as Record<string, unknown>) ?? {},
  );
}
