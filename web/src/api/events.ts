/**
 * The stream of a workspace's events, by fetch: a key never stands in an address.
 *
 *     connecting ──ready──> live ──cut, silence──> lost ──after a while, or `retry`──> connecting
 *                                                   (goes on behind the last number: no gap, no duplicate)
 */
import type { Events } from "./types";

export type Told = {
  [Type in keyof Events]: Events[Type] & { type: Type; number: number; at: number };
}[keyof Events];

export type Line = { kind: "connecting" } | { kind: "live" } | { kind: "lost"; until: number } | { kind: "over" };

export interface Listener {
  /** How the line stands. */
  line(line: Line): void;
  /** One event; each number once, in order. */
  told(event: Told): void;
  /** Nothing is known of what was before: take a new look. The stream goes on behind it; that it is live comes next. */
  anew(): void;
  /** The key counts no more. */
  signedOut(): void;
}

const SILENT_MS = 40_000;
/** The server says something every 15 seconds. */
const FIRST_MS = 500;
const LONGEST_MS = 10_000;
/** How long a stream that is opened anew on purpose may count as live before it is. */
const RENEWED_MS = 1_000;

export class Stream {
  #last: number | null = null;
  #stopped = false;
  #renewed = false;
  #wait = FIRST_MS;
  #wake: (() => void) | null = null;
  #abort: AbortController | null = null;

  /** `headers` are asked for at each connection. */
  constructor(
    private readonly headers: () => Record<string, string>,
    private readonly workspace: string,
    private readonly listener: Listener,
  ) {}

  /** Follow until `stop`. */
  async run(): Promise<void> {
    addEventListener("online", this.retry);
    while (!this.#stopped) {
      const late = setTimeout(() => this.listener.line({ kind: "connecting" }), this.#renewed ? RENEWED_MS : 0);
      this.#renewed = false;
      const ended = await this.#follow(() => clearTimeout(late)).catch(() => "cut" as const);
      clearTimeout(late);
      if (this.#stopped) break;
      if (this.#renewed) continue;
      if (ended === "signed out") return this.listener.signedOut();
      this.listener.line({ kind: "lost", until: Date.now() + this.#wait });
      await this.#pause();
      this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
    }
    this.listener.line({ kind: "over" });
  }

  stop(): void {
    this.#stopped = true;
    removeEventListener("online", this.retry);
    this.#abort?.abort();
    this.#wake?.();
  }

  /** Connect anew, with other headers, behind what was told last; a line that is lost is tried at its time. */
  renew(): void {
    if (!this.#abort) return;
    this.#renewed = true;
    this.#abort.abort();
  }

  /** Try again now. */
  readonly retry = (): void => this.#wake?.();

  async #follow(heard: () => void): Promise<"cut" | "signed out"> {
    const abort = (this.#abort = new AbortController());
    try {
      return await this.#read(abort, heard);
    } finally {
      this.#abort = null;
    }
  }

  async #read(abort: AbortController, heard: () => void): Promise<"cut" | "signed out"> {
    const since = this.#last === null ? "" : `&since=${this.#last}`;
    const path = `/page/v1/events?workspace=${encodeURIComponent(this.workspace)}${since}`;
    const response = await fetch(path, { headers: this.headers(), signal: abort.signal, cache: "no-store" });
    if (response.status === 401) return "signed out";
    if (!response.ok || !response.body) return "cut";
    let silence = setTimeout(() => abort.abort(), SILENT_MS);
    try {
      for await (const block of blocks(response.body)) {
        clearTimeout(silence);
        silence = setTimeout(() => abort.abort(), SILENT_MS);
        heard();
        this.#hear(block);
      }
    } finally {
      clearTimeout(silence);
    }
    return "cut";
  }

  #hear(block: string): void {
    const { event, data } = fields(block);
    if (!data) return;
    const body = JSON.parse(data) as Told;
    if (event === "ready" || event === "resync") {
      const known = this.#last !== null && event === "ready";
      this.#last = body.number;
      this.#wait = FIRST_MS;
      if (!known) this.listener.anew();
      this.listener.line({ kind: "live" });
      return;
    }
    if (this.#last !== null && body.number <= this.#last) return;
    this.#last = body.number;
    this.listener.told(body);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#wait);
      this.#wake = () => {
        clearTimeout(timer);
        this.#wait = FIRST_MS;
        resolve();
      };
    });
  }
}

/** The blocks of a stream of server-sent events: what stands between empty lines. */
async function* blocks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let held = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    held += value;
    let end = held.indexOf("\n\n");
    while (end >= 0) {
      yield held.slice(0, end);
      held = held.slice(end + 2);
      end = held.indexOf("\n\n");
    }
  }
}

function fields(block: string): { event: string; data: string } {
  let event = "message";
  let data = "";
  for (const line of block.split("\n")) {
    if (line.startsWith("event: ")) event = line.slice(7);
    else if (line.startsWith("data: ")) data += line.slice(6);
  }
  return { event, data };
}
