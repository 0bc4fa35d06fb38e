/**
 * One workspace as this page knows it: what was fetched, how live that is, and what changes it.
 *
 * A look is taken when the stream is live, and each event has what it tells of fetched anew; so nothing falls between.
 */
import { type Call, type Content, contentOf } from "../api/call";
import type { Line, Listener, Told } from "../api/events";
import { type Following, follow } from "../api/follow";
import { tool } from "../api/tool";
import type {
  Committed,
  Events,
  LogAnswer,
  ModeAnswer,
  PresentRow,
  SettingsListAnswer,
  StatusAnswer,
  Tools,
  WaitingRow,
} from "../api/types";
import { leaveQuietly } from "./session";
import { Resource, Store } from "./store";

/** How many entries of the history are asked for at once. */
export const ENTRIES = 100;

/** A plan as its agent wrote it: nothing in it is escaped. */
export type Plan = {
  status: string;
  title: string;
  objective: string;
  steps: { text: string; kind: string }[];
  risks: string[];
};

export type BufferRow = Tools["editor_buffers_list"]["answers"]["buffers"][number];

export class Room {
  readonly line = new Store<Line>({ kind: "connecting" });
  readonly status: Resource<StatusAnswer>;
  readonly pending: Resource<WaitingRow[]>;
  readonly mode: Resource<ModeAnswer>;
  readonly log: Resource<LogAnswer>;
  readonly settings: Resource<SettingsListAnswer>;
  /** The plan that waits or is in force. */
  readonly plan: Resource<Plan | null>;
  /** What git says of the folder; an error where it is in no repository. */
  readonly git: Resource<Tools["editor_git_status"]["answers"]>;
  /** Who works in the folder; what each did last is told by what came of it. */
  readonly presence: Resource<PresentRow[]>;
  /** What is open in whose view; afresh after a gap, and where files were moved. */
  readonly buffers: Resource<BufferRow[]>;
  /** The newest event, for those who want to tell of it. */
  readonly newest = new Store<Told | null>(null);
  readonly #begin: () => Following;
  #following: Following | null = null;
  readonly #listeners = new Map<keyof Events, Set<() => void>>();
  readonly #looks: (() => void)[] = [];
  readonly #followers: ((committed: Committed) => Promise<unknown>)[] = [];

  constructor(
    readonly path: string,
    private readonly key: string,
    private readonly unbound: Call,
  ) {
    this.status = this.look(async () => await this.unbound("status", {}));
    this.pending = this.look(
      async () => (await this.call("pending", {})).pending,
      "approval_staged",
      "approval_decided",
      "plan_changed",
    );
    this.mode = this.look(async () => await this.call("mode", {}), "mode_changed");
    this.log = this.look(async () => await this.call("log", { limit: ENTRIES }), "committed");
    this.settings = this.look(async () => await this.call("settings.list", {}), "settings_changed", "mode_changed");
    this.plan = this.look(async () => await this.#plan(), "plan_changed", "approval_decided", "approval_staged");
    this.git = this.look(async () => await tool(this.call, "editor_git_status", {}), "committed");
    this.presence = this.look(
      async () => (await this.call("presence.list", {})).present,
      "presence_changed",
      "buffers_changed",
      "committed",
    );
    this.buffers = this.look(async () => (await tool(this.call, "editor_buffers_list", {})).buffers);
    const listener: Listener = {
      line: (line) => this.line.set(line),
      told: (event) => this.#tell(event),
      anew: () => this.#looks.forEach((look) => look()),
      signedOut: leaveQuietly,
    };
    this.#begin = () => follow(key, path, listener);
  }

  readonly call: Call = (method, params) => this.unbound(method, params, this.path);

  /** What a file holds, text or not. */
  content(path: string): Promise<Content> {
    return contentOf(this.key, path, this.path);
  }

  /** What is fetched now, after a gap, and at each event of these types. */
  look<T>(load: () => Promise<T>, ...types: (keyof Events)[]): Resource<T> {
    const resource = new Resource(load);
    this.#looks.push(() => void resource.refresh());
    for (const type of types) this.on(type, () => void resource.refresh());
    return resource;
  }

  on(type: keyof Events, hear: () => void): () => void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(hear));
    return () => listeners.delete(hear);
  }

  async #plan(): Promise<Plan | null> {
    const answer = await this.call("tool", { name: "workspace_plan", arguments: { action: "current" } });
    const data = answer.data as { status: string; plan?: Omit<Plan, "status"> };
    return data.plan ? { ...data.plan, status: data.status } : null;
  }

  /** Hear of each commit, by whomever, before all else; after a gap of one that may have touched all. It never fails. */
  follow(hear: (committed: Committed) => Promise<unknown>): void {
    this.#followers.push(hear);
    this.#looks.push(
      () => void hear({ entry: 0, transaction_id: "", paths: [], total: Infinity, actor: "", cause: "" }),
    );
  }

  begin(): void {
    this.#following = this.#begin();
  }

  retry(): void {
    this.#following?.retry();
  }

  end(): void {
    this.#following?.stop();
  }

  #tell(event: Told): void {
    this.newest.set(event);
    const tell = (): void => this.#listeners.get(event.type)?.forEach((hear) => hear());
    if (event.type === "committed") void Promise.all(this.#followers.map((hear) => hear(event))).then(tell);
    else tell();
  }
}
