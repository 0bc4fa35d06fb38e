/** What a person does with git from the left bar: one thing at a time, and what came of it stays said. */
import type { Refused } from "../api/call";
import { tool } from "../api/tool";
import type { Room } from "../state/room";
import { Store, asRefused } from "../state/store";

/** `good` is false where nothing failed, and it wasn't done. */
export type Told = { text: string; good: boolean };

/**
 * The question whether the last commit is taken back; `sha` is the one that was the last when it was asked, `force`
 * where it was refused, for `why`.
 */
export type Undoing = { sha: string; force: boolean; why: string };

export type WorkState = {
  /** What is on its way now; empty when nothing is. */
  doing: string;
  told: Told | null;
  error: Refused | null;
  /** The message for a commit: it is kept while other views are shown. */
  message: string;
  undoing: Undoing | null;
};

const DOING = {
  fetch: "Fetching from the remote",
  pull: "Pulling from the remote",
  push: "Pushing to the remote",
};

/** How many paths a call to stage takes. */
const PATHS = 1_000;

export class Work extends Store<WorkState> {
  constructor(private readonly room: Room) {
    super({ doing: "", told: null, error: null, message: "", undoing: null });
  }

  write(message: string): void {
    this.set({ ...this.get(), message });
  }

  stage(action: "stage" | "unstage", paths: string[]): Promise<void> {
    return this.#run(action === "stage" ? "Staging" : "Unstaging", async () => {
      let done = { ok: true, summary: "" };
      for (let at = 0; at < paths.length; at += PATHS) {
        const part = paths.slice(at, at + PATHS);
        done = await tool(this.room.call, "editor_git_stage", { action, paths: part });
      }
      return {
        text: paths.length > PATHS ? `All ${paths.length} paths were gone through.` : done.summary,
        good: done.ok,
      };
    });
  }

  /** Commit what is staged, or every change, as it is shown: other things come to be staged unheard. The message goes when it was used. */
  commit(all: boolean): Promise<void> {
    const { message } = this.get();
    const seen = this.room.git.get().value;
    const version = all ? seen?.version : seen?.staged_version;
    const meant = version ? { expected_version: version } : {};
    return this.#run("Committing", async () => {
      const done = await tool(this.room.call, "editor_git_commit", { message, stage_all: all, ...meant });
      if (done.committed && this.get().message === message) this.write("");
      const unsigned = done.unsigned ? "It isn't signed, as the configuration asks for." : "";
      return { text: lines(done.summary, skipped(done.hooks_skipped), unsigned), good: done.committed };
    });
  }

  sync(action: "fetch" | "pull" | "push"): Promise<void> {
    return this.#run(DOING[action], async () => {
      const done = await tool(this.room.call, "editor_git_sync", { action });
      return { text: lines(done.summary, skipped(done.hooks_skipped)), good: done.ok };
    });
  }

  /** Put every change aside, or bring the newest back; the answer names hooks by itself. */
  stash(action: "push" | "pop"): Promise<void> {
    return this.#run(action === "push" ? "Putting changes aside" : "Bringing changes back", async () => {
      const done = await tool(this.room.call, "editor_git_stash", { action });
      return { text: done.summary, good: done.ok };
    });
  }

  askUndo(): void {
    const sha = this.room.git.get().value?.head ?? "";
    this.set({ ...this.get(), told: null, error: null, undoing: { sha, force: false, why: "" } });
  }

  keepCommit(): void {
    this.set({ ...this.get(), error: null, undoing: null });
  }

  /** Take the last commit back, as was asked; its message is there for the next one. */
  undo(): Promise<void> {
    const { sha = "", force = false } = this.get().undoing ?? {};
    return this.#run("Undoing the commit", async () => {
      try {
        const meant = sha ? { expected_sha: sha } : {};
        const done = await tool(this.room.call, "editor_git_undo_commit", { force, ...meant });
        this.write(this.get().message || done.message);
        const outside = done.outside ? `${done.outside} of its paths lie outside of this folder.` : "";
        return { text: lines(`Undid ${done.undone_sha.slice(0, 7)}; its changes are staged.`, outside), good: true };
      } catch (error) {
        this.set({ ...this.get(), undoing: forcing(sha, asRefused(error)) });
        throw error;
      }
    });
  }

  async #run(doing: string, work: () => Promise<Told>): Promise<void> {
    if (this.get().doing) return;
    this.set({ ...this.get(), doing, told: null, error: null, undoing: null }); // a question is about what was then
    try {
      const told = await work();
      this.set({ ...this.get(), doing: "", told });
    } catch (error) {
      this.set({ ...this.get(), doing: "", error: asRefused(error) });
    }
    await this.room.git.refresh(); // staging is in no history, so that no event tells of it
  }
}

/** The question that a refusal leaves open: only what was pushed, and a merge, can be forced. */
function forcing(sha: string, { details }: Refused): Undoing | null {
  if (details.pushed) {
    const why = `It is in ${String(details.pushed)}: whoever fetched it keeps it, and the next push will be refused.`;
    return { sha, force: true, why };
  }
  return details.merge ? { sha, force: true, why: "It is a merge: the branch goes back to its first parent." } : null;
}

function skipped(hooks: string[] | undefined): string {
  return hooks?.length ? `Hooks that weren't run: ${hooks.join(", ")}.` : "";
}

function lines(...parts: string[]): string {
  return parts.filter(Boolean).join("\n");
}
