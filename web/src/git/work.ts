/** What a person does with git from the left bar: one thing at a time, and what came of it stays said. */
import type { Refused } from "../api/call";
import { tool } from "../api/tool";
import type { Room } from "../state/room";
import { Store, asRefused } from "../state/store";

/** `good` is false where nothing failed, and it wasn't done. */
export type Told = { text: string; good: boolean };

export type WorkState = {
  /** What is on its way now; empty when nothing is. */
  doing: string;
  told: Told | null;
  error: Refused | null;
  /** The message for a commit: it is kept while other views are shown. */
  message: string;
};

/** How many paths a call to stage takes. */
const PATHS = 1_000;

export class Work extends Store<WorkState> {
  constructor(private readonly room: Room) {
    super({ doing: "", told: null, error: null, message: "" });
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

  /** Commit what is staged, or every change; the message goes when it was used. */
  commit(all: boolean): Promise<void> {
    const { message } = this.get();
    return this.#run("Committing", async () => {
      const done = await tool(this.room.call, "editor_git_commit", { message, stage_all: all });
      if (done.committed && this.get().message === message) this.write("");
      const unsigned = done.unsigned ? "It isn't signed, as the configuration asks for." : "";
      return { text: lines(done.summary, skipped(done.hooks_skipped), unsigned), good: done.committed };
    });
  }

  async #run(doing: string, work: () => Promise<Told>): Promise<void> {
    if (this.get().doing) return;
    this.set({ ...this.get(), doing, told: null, error: null });
    try {
      const told = await work();
      this.set({ ...this.get(), doing: "", told });
    } catch (error) {
      this.set({ ...this.get(), doing: "", error: asRefused(error) });
    }
    await this.room.git.refresh(); // staging is in no history, so that no event tells of it
  }
}

function skipped(hooks: string[] | undefined): string {
  return hooks?.length ? `Hooks that weren't run: ${hooks.join(", ")}.` : "";
}

function lines(...parts: string[]): string {
  return parts.filter(Boolean).join("\n");
}
