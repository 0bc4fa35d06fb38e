/**
 * The shared worker: one stream of events for each folder, however many tabs of this browser show it.
 *
 * A browser opens at most six connections to one server. The worker belongs to no tab, so that none can hold up
 * another: a tab that is hidden, stalled or frozen finds what it was told when it goes on, and the last one that is
 * closed ends the worker. The server is told which tabs the stream is for, and counts each as there.
 */
import { type Line, Stream } from "./events";
import { type ToTab, type ToWorker, goneOf, heldLock } from "./sharing";

type Join = Extract<ToWorker, { ask: "join" }>;

/** A tab; `unseen` until it was told to take its first look. */
type Member = { port: MessagePort; tab: string; unseen: boolean; left: AbortController };

/** What comes and goes within this time is told to the server at once. */
const GATHERED_MS = 100;
/** Tabs that the server takes. */
const MOST_TABS = 200;

class Shared {
  readonly #members = new Set<Member>();
  readonly #stream: Stream;
  #line: Line = { kind: "connecting" };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string, workspace: string, ended: () => void) {
    this.#stream = new Stream(() => this.#headers(key), workspace, {
      line: (line) => this.#stands(line),
      told: (event) => this.#tell({ tell: "told", event }),
      anew: () => this.#members.forEach((member) => this.#anew(member)),
      signedOut: () => (ended(), this.#tell({ tell: "signed out" })),
    });
  }

  get empty(): boolean {
    return this.#members.size === 0;
  }

  add(member: Member): void {
    this.#members.add(member);
    send(member, { tell: "line", line: this.#line });
    if (this.#members.size === 1) void this.#stream.run();
    else this.#renew();
    if (this.#line.kind === "live") this.#anew(member);
  }

  remove(member: Member): void {
    this.#members.delete(member);
    if (!this.empty) return this.#renew();
    clearTimeout(this.#timer);
    this.#stream.stop();
  }

  retry(): void {
    this.#stream.retry();
  }

  #headers(key: string): Record<string, string> {
    const tabs = new Set([...this.#members].map(({ tab }) => tab));
    return { authorization: `Bearer ${key}`, "workroom-tab": [...tabs].slice(-MOST_TABS).join(",") };
  }

  #renew(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#stream.renew(), GATHERED_MS);
  }

  #stands(line: Line): void {
    this.#line = line;
    this.#tell({ tell: "line", line });
    if (line.kind === "live") this.#members.forEach((member) => member.unseen && this.#anew(member));
  }

  #anew(member: Member): void {
    member.unseen = false;
    send(member, { tell: "anew" });
  }

  #tell(told: ToTab): void {
    this.#members.forEach((member) => send(member, told));
  }
}

function send({ port }: Member, told: ToTab): void {
  port.postMessage(told);
}

const streams = new Map<string, Shared>();
const alive = heldLock();

function join(port: MessagePort, { key, workspace, tab, lock }: Join): void {
  const name = `${key} ${workspace}`;
  const shared = streams.get(name) ?? new Shared(key, workspace, () => streams.delete(name));
  streams.set(name, shared);
  const member: Member = { port, tab, unseen: true, left: new AbortController() };
  const leave = (): void => {
    if (member.left.signal.aborted) return;
    member.left.abort();
    shared.remove(member);
    if (shared.empty && streams.get(name) === shared) streams.delete(name);
    port.close();
  };
  shared.add(member);
  void goneOf(lock, member.left.signal).then((gone) => gone && leave());
  port.addEventListener("message", ({ data }: MessageEvent<ToWorker>) => {
    if (data.ask === "retry") shared.retry();
    if (data.ask === "leave") leave();
  });
}

addEventListener("connect", (event) => {
  const port = (event as MessageEvent).ports[0];
  if (!port) return;
  const first = ({ data }: MessageEvent<ToWorker>): void => {
    if (data.ask !== "join") return;
    port.removeEventListener("message", first);
    join(port, data);
  };
  port.addEventListener("message", first);
  port.start();
  void alive.then((lock) => port.postMessage({ tell: "alive", lock } satisfies ToTab));
});
