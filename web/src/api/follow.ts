/**
 * A workspace's events for this tab: by the worker that all tabs of this browser share, else by a stream of its own.
 */
import { headersOf } from "./call";
import { type Listener, Stream } from "./events";
import { type ToTab, type ToWorker, goneOf, heldLock } from "./sharing";
import { TAB } from "./tab";

export interface Following {
  /** Try again now. */
  retry(): void;
  stop(): void;
}

export function follow(key: string, workspace: string, listener: Listener): Following {
  const url = workerUrl();
  if (!url || !("SharedWorker" in globalThis) || !navigator.locks) return alone(key, workspace, listener);
  const shared = new SharedLine(url, key, workspace, listener);
  shared.begin();
  return shared;
}

function alone(key: string, workspace: string, listener: Listener): Following {
  const stream = new Stream(() => headersOf(key), workspace, listener);
  void stream.run();
  return stream;
}

class SharedLine implements Following {
  #port: MessagePort | null = null;
  #over = new AbortController();
  #instead: Following | null = null;

  constructor(
    private readonly url: string,
    private readonly key: string,
    private readonly workspace: string,
    private readonly listener: Listener,
  ) {}

  begin(): void {
    addEventListener("pagehide", this.#leave);
    addEventListener("pageshow", this.#back);
    void this.#join();
  }

  retry(): void {
    this.#instead?.retry();
    this.#say({ ask: "retry" });
  }

  stop(): void {
    removeEventListener("pagehide", this.#leave);
    removeEventListener("pageshow", this.#back);
    this.#leave();
    this.#instead?.stop();
  }

  async #join(): Promise<void> {
    const over = (this.#over = new AbortController());
    const lock = await mine;
    if (over.signal.aborted) return;
    const worker = new SharedWorker(this.url, { type: "module", name: "workroom" });
    worker.addEventListener("error", () => this.#alone(over)); // it can't be had: an older server's, or none is there
    this.#port = worker.port;
    worker.port.addEventListener("message", ({ data }: MessageEvent<ToTab>) => {
      if (!over.signal.aborted) this.#hear(data, over);
    });
    worker.port.start();
    this.#say({ ask: "join", key: this.key, workspace: this.workspace, tab: TAB, lock });
  }

  #hear(told: ToTab, over: AbortController): void {
    if (told.tell === "line") this.listener.line(told.line);
    else if (told.tell === "told") this.listener.told(told.event);
    else if (told.tell === "anew") this.listener.anew();
    else if (told.tell === "signed out") this.listener.signedOut();
    else void goneOf(told.lock, over.signal).then((gone) => gone && this.#again());
  }

  /** The worker has gone; the next one has this tab take a new look. */
  #again(): void {
    this.#leave();
    this.listener.line({ kind: "connecting" });
    void this.#join();
  }

  #alone(over: AbortController): void {
    if (over.signal.aborted) return;
    this.#leave();
    this.#instead = alone(this.key, this.workspace, this.listener);
  }

  readonly #leave = (): void => {
    this.#over.abort();
    this.#say({ ask: "leave" });
    this.#port = null;
  };

  /** A browser keeps pages that were left, and shows them again as they were. */
  readonly #back = (event: PageTransitionEvent): void => {
    if (event.persisted && !this.#instead) void this.#join();
  };

  #say(asked: ToWorker): void {
    this.#port?.postMessage(asked);
  }
}

/** Held as long as this page lives. */
const mine: Promise<string> = navigator.locks ? heldLock() : Promise.resolve("");

/** What makes an address that scripts are loaded from; the page has one, which knows one address. */
type Made = { createScriptURL(asked: string): string };
type Addresses = { createPolicy(name: string, rules: Made): Made };

let made: string | undefined;

function workerUrl(): string | undefined {
  const address = document.querySelector<HTMLMetaElement>('meta[name="worker"]')?.content;
  if (!address || made) return made;
  const types = (globalThis as { trustedTypes?: Addresses }).trustedTypes;
  made = types
    ? types.createPolicy("workroom-worker", { createScriptURL: () => address }).createScriptURL(address)
    : address;
  return made;
}
