/**
 * The files that are open in this page, each with what it held when it was read or saved last, and what it holds now.
 *
 * A save says what it began from. A file that others change follows them while nothing was typed into it; once there
 * was, it is flagged, and the person decides what is kept.
 */
import { escaped } from "../parts/escape";
import type { Call, Refused } from "../api/call";
import { tool } from "../api/tool";
import type { Committed, Tools } from "../api/types";
import { Resource, Store, asRefused } from "../state/store";
import type { View } from "./views";

export type Disk = { text: string; version: string };

/** Where to go in a text; `still` leaves the focus where it is, `shown` counts lines from the first that is here. */
export type Goal = { line: number; column: number; still?: boolean; shown?: boolean };

/** Which bytes of a long file are here. Numbers of lines are null where nobody has counted so far into it. */
export type Part = {
  start: number;
  end: number;
  /** How many lines are here, the first and the last perhaps not whole. */
  lines: number;
  firstLine: number | null;
  totalLines: number | null;
};

/** How a part is named to the server; `{}` is the whole file, or its beginning. */
export type Where = { start_byte: number } | { end_byte: number } | { start_line: number } | Record<string, never>;

/** Lines that are shown before the one that was asked for. */
const BEFORE = 40;

export type Merging = { readonly began: () => string; text: () => string };

export type FileState = {
  phase: "loading" | "ready" | "failed";
  error: Refused | null;
  base: Disk;
  language: string;
  encoding: string;
  size: number;
  /** Only a part of the file is here, this one; it can't be saved. */
  truncated: boolean;
  part: Part | null;
  lossy: boolean;
  /** It is no text: what it is as far as that is known ("PNG image"), and nothing to edit. */
  binary: string | null;
  /** The type of the picture that it is: `image/png`. */
  picture: string;
  dirty: boolean;
  saving: boolean;
  /** What stands on disk in the place of `base`, when that isn't what this was edited from; "gone" where nothing does. */
  theirs: Disk | "gone" | null;
  /** Who changed it, and how. */
  by: string;
  /** Counts up when the editor is to hold `base`. */
  round: number;
  /** Whether that came in the place of what was typed, which the editor's undo can bring back then. */
  replaced: boolean;
};

type Read = Tools["editor_open"]["answers"];

const EMPTY: FileState = {
  phase: "loading",
  error: null,
  base: { text: "", version: "" },
  language: "plaintext",
  encoding: "",
  size: 0,
  truncated: false,
  part: null,
  lossy: false,
  binary: null,
  picture: "",
  dirty: false,
  saving: false,
  theirs: null,
  by: "",
  round: 0,
  replaced: false,
};

export class OpenFile extends Store<FileState> {
  static #opened = 0;
  /** It is the same file wherever it is moved: who types in it goes on there. */
  readonly id = `opened-${++OpenFile.#opened}`;
  /** The text as it stands in the editor; asked when it is needed, for it may be long. */
  text: () => string = () => this.get().base.text;
  /** Where to go as soon as it is shown; lines count from 1. */
  readonly goal = new Store<Goal | null>(null);
  readonly cursor = new Store<{ line: number; column: number; lines: number }>({ line: 1, column: 1, lines: 0 });
  /** How it is shown, kept while another tab is. */
  readonly view = new Store<View>("edit");
  /** What the last commit holds of it. */
  readonly committed = new Resource(() => tool(this.call, "editor_git_show", { path: this.path }));
  /** The lines on disk that differ from that. */
  readonly deltas = new Resource(() => tool(this.call, "editor_git_hunks", { path: this.path, against: "head" }));
  /** The editor's own state (undo, selection), kept while another tab is shown. */
  kept: unknown = null;
  /** A merge by hand, until it is saved or cancelled: what it began from, and what it holds now. */
  readonly merging = new Store<Merging | null>(null);
  #where: Where = {};
  #going = false;
  /** What was read last, by which the next part's lines are known. */
  #read: Read | null = null;
  readonly #disk = new Resource(() => tool(this.call, "editor_open", { path: this.path, ...this.#where }));

  constructor(
    /** Another one when its person has signed in anew. */
    public call: Call,
    /** From the root; where it goes when the file is moved. */
    public path: string,
  ) {
    super(EMPTY);
    void this.load();
  }

  /** Read it anew: what was typed is replaced, and an undo in the editor brings it back. It stays where that fails. */
  async load(): Promise<boolean> {
    await this.#disk.refresh();
    const { value, error } = this.#disk.get();
    if (error) this.#missed(error);
    else if (value) this.#put(value);
    return error === null;
  }

  /** Show another part; what stands in the way of that is answered, and this one stays. */
  async go(where: Where, goal?: Goal): Promise<Refused | null> {
    const before = this.#where;
    this.#where = where;
    await this.#disk.refresh();
    const { value, error } = this.#disk.get();
    if (error) this.#where = before;
    else if (value) this.#put(value);
    if (goal && !error) this.goal.set(goal);
    return error;
  }

  /** Show the part that has this line, with some before it; where there is no such line, perhaps only those. */
  async goLine(line: number): Promise<Refused | null> {
    this.#going = true;
    const error = await this.go({ start_line: Math.max(1, line - BEFORE) });
    this.#going = false;
    return error ?? (this.lineOf(line) === null ? this.go({ start_line: line }) : null);
  }

  /** A line of the file as a line of what is shown; null while its part is on its way. */
  reach({ line, shown }: Goal): number | null {
    if (shown) return line;
    const here = this.lineOf(line);
    if (here === null && !this.#going) void this.goLine(line).then((error) => error && this.goal.set(null));
    return here;
  }

  lineOf(line: number): number | null {
    const { part } = this.get();
    if (!part) return line;
    const here = part.firstLine === null ? 0 : line - part.firstLine + 1;
    return here >= 1 && here <= part.lines ? here : null;
  }

  /** What a line that is shown is called: its number, or how far it is from the first where that isn't known. */
  numberOf(here: number): string {
    const { part } = this.get();
    if (!part) return String(here);
    return part.firstLine === null ? `+${here}` : String(part.firstLine + here - 1);
  }

  /** The editor tells what is in it now. */
  changed(text: () => string, dirty: boolean): void {
    this.text = text;
    if (dirty !== this.get().dirty) this.set({ ...this.get(), dirty });
  }

  /** Show that place, in a view that has lines. */
  goTo(goal: Goal): void {
    if (this.view.get() !== "read") this.view.set("edit");
    this.goal.set(goal);
  }

  /** Save what is in the editor over `onto`; what it was edited from, where that isn't said. */
  async save(text = this.text(), onto?: string): Promise<boolean> {
    const { base, saving, truncated, binary } = this.get();
    if (saving || truncated || binary !== null) return false;
    this.set({ ...this.get(), saving: true, error: null });
    try {
      const said = { path: this.path, content: text, expected_version: onto ?? base.version };
      const answer = await tool(this.call, "editor_save", said);
      if (answer.saved) this.#saved(text, answer.version);
      return answer.saved;
    } catch (error) {
      this.set({ ...this.get(), error: asRefused(error) });
      return false;
    } finally {
      this.set({ ...this.get(), saving: false });
      await this.#look(); // whoever was first: what was told of meanwhile, or is why nothing was saved
    }
  }

  /** Its path, to be read. */
  get shown(): string {
    return escaped(this.path);
  }

  get isGone(): boolean {
    const { theirs, error } = this.get();
    return theirs === "gone" || error?.code === "NOT_FOUND";
  }

  /** It stands at another path now. */
  arrived(): void {
    if (this.get().dirty) this.set({ ...this.get(), theirs: null, error: null });
    else void this.#look();
  }

  /** Of a conflict: what is in the editor counts, over what stands on disk. */
  async keepMine(text = this.text()): Promise<boolean> {
    const { theirs } = this.get();
    return theirs === "gone" ? this.#makeAgain(text) : this.save(text, theirs?.version);
  }

  /** The same of what was merged; it stays where it can't be saved, or others were first once more. */
  async saveMerge({ text }: Merging): Promise<boolean> {
    if (!(await this.keepMine(text()))) return false;
    this.merging.set(null);
    await this.load();
    return true;
  }

  /** Of a conflict: what stands on disk counts. */
  takeTheirs(): Promise<boolean> {
    return this.load();
  }

  /** Somebody has changed this file. */
  async follow(committed: Committed): Promise<void> {
    this.set({ ...this.get(), by: escaped(committed.actor) });
    await this.#look();
  }

  /** See what stands on disk. What was typed into stays as it is, also where that was done while the answer came. */
  async #look(): Promise<void> {
    await this.#disk.refresh();
    const { value, error } = this.#disk.get();
    const { base, dirty, phase, saving } = this.get();
    if (saving) return; // what is on disk may be the save's own, which looks again
    if (error) this.#missed(error);
    else if (value && phase === "ready" && value.version === base.version) this.#same(value);
    else if (value && dirty && !value.truncated && textOf(value) === this.text())
      this.#saved(this.text(), value.version); // it was saved, and the answer was lost; or another wrote the same
    else if (value && dirty) this.set({ ...this.get(), theirs: { text: textOf(value), version: value.version } });
    else if (value) this.#put(value);
  }

  /** Its text is what was read before; more may stand around it. */
  #same(answer: Read): void {
    const { size, language } = answer;
    this.set({ ...this.get(), theirs: null, size, language, part: this.#partOf(answer) });
  }

  #missed(error: Refused): void {
    if (!this.get().dirty) this.#fail(error);
    else if (error.code === "NOT_FOUND") this.set({ ...this.get(), theirs: "gone" });
    else this.set({ ...this.get(), error });
  }

  /** It can't be read; where that is because it is no text, it is said what it is. */
  #fail(error: Refused): void {
    const { bytes, kind, picture } = error.details;
    if (typeof kind === "string") this.#hold({ binary: kind, size: Number(bytes), picture: String(picture ?? "") });
    else this.set({ ...this.get(), phase: "failed", error });
  }

  async #makeAgain(text: string): Promise<boolean> {
    const made = await tool(this.call, "editor_create", { path: this.path, content: text }).catch((error: unknown) => {
      this.set({ ...this.get(), error: asRefused(error) });
      return null;
    });
    if (made) await this.load();
    return made !== null;
  }

  #put(answer: Read): void {
    const text = textOf(answer);
    const part = this.#partOf(answer);
    this.#where = part && part.start > 0 ? { start_byte: part.start } : {};
    this.text = () => text;
    this.cursor.set({ ...this.cursor.get(), lines: text.split("\n").length });
    this.#hold({
      base: { text, version: answer.version },
      language: answer.language,
      encoding: answer.encoding ?? "",
      size: answer.size,
      truncated: answer.truncated,
      part,
      lossy: answer.lossy === true,
      picture: answer.picture ?? "",
    });
  }

  #partOf(answer: Read): Part | null {
    const { start_byte: start = 0, end_byte: end = 0, first_line: told, total_lines: totalLines = null } = answer;
    const firstLine = told ?? firstLineBy(answer, this.#read, this.get().part);
    this.#read = answer;
    const text = textOf(answer);
    const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0);
    return answer.truncated ? { start, end, lines, firstLine, totalLines } : null;
  }

  /** This is what stands on disk. */
  #hold(known: Partial<FileState>): void {
    const { round, by, dirty } = this.get();
    this.set({ ...EMPTY, phase: "ready", ...known, by, round: round + 1, replaced: dirty });
  }

  #saved(text: string, version: string): void {
    const now = this.text();
    this.set({ ...this.get(), base: { text, version }, dirty: now !== text, theirs: null, error: null });
  }
}

export class OpenFiles {
  readonly #files = new Map<string, OpenFile>();

  constructor(private call: Call) {}

  /** Somebody has come in, anew or from another folder: what was typed stands as it was left. */
  enter(call: Call): void {
    this.call = call;
    for (const [path, file] of [...this.#files]) {
      file.call = call;
      if (!file.get().dirty) this.#files.delete(path);
    }
  }

  /** The file at this path, opened once. */
  of(path: string): OpenFile {
    const file = this.#files.get(path) ?? new OpenFile(this.call, path);
    this.#files.set(path, file);
    return file;
  }

  /** It is shown no more. */
  closed(path: string): void {
    this.#files.delete(path);
    void tool(this.call, "editor_buffers_close", { path }).catch(() => undefined); // the server finds out by itself
  }

  /**
   * A path was moved: what is open of it and below goes on there, with all that was typed. Answers old and new.
   *
   * What was typed into a file that once stood there gives way to none; of two such texts each stays where it is.
   */
  moved(from: string, to: string): [string, string][] {
    const gone: [string, string][] = [];
    for (const [path, file] of [...this.#files]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      const now = to + path.slice(from.length);
      const typed = this.#files.get(now)?.get().dirty === true;
      if (typed && file.get().dirty) continue;
      this.#files.delete(path);
      gone.push([path, now]);
      if (typed) continue;
      file.path = now;
      this.#files.set(now, file);
      file.arrived();
    }
    return gone;
  }

  get dirty(): string[] {
    return [...this.#files.values()].filter((file) => file.get().dirty).map((file) => file.path);
  }

  /** A commit is told: what it touched follows. Answers what it moved, as old and new path. */
  async follow(committed: Committed): Promise<[string, string][]> {
    const whole = committed.total > committed.paths.length;
    const touched = [...this.#files.values()].filter((file) => whole || committed.paths.includes(file.path));
    await Promise.all(touched.map((file) => file.follow(committed)));
    if (!committed.entry || !touched.some((file) => file.isGone)) return [];
    const told = await tool(this.call, "editor_changes", { entry: committed.entry }).catch(() => null);
    return (told?.changes ?? []).flatMap(({ moved_from, path }) => (moved_from ? this.moved(moved_from, path) : []));
  }
}

/** Of each folder that was looked at. As long as the page lives: what was typed outlives a sign-out and a look elsewhere. */
const folders = new Map<string, OpenFiles>();

/** The open files of a folder, for who comes in. */
export function filesOf(folder: string, call: Call): OpenFiles {
  const files = folders.get(folder) ?? new OpenFiles(call);
  folders.set(folder, files);
  files.enter(call);
  return files;
}

/** How many files hold what isn't saved, in whichever folder. */
export function countUnsaved(): number {
  return [...folders.values()].reduce((sum, { dirty }) => sum + dirty.length, 0);
}

/** The number of a part's first line, by that of the part beside it that was read of the same file. */
function firstLineBy(answer: Read, last: Read | null, part: Part | null): number | null {
  if (!last || !part || part.firstLine === null || last.size !== answer.size || last.mtime !== answer.mtime)
    return null;
  if (answer.start_byte === part.start) return part.firstLine;
  const between =
    answer.start_byte === part.end ? last.content : answer.end_byte === part.start ? answer.content : null;
  if (between === null || /\r(?!\n)/.test(between)) return null;
  const lines = between.split("\n").length - 1;
  return answer.start_byte === part.end ? part.firstLine + lines : part.firstLine - lines;
}

function textOf(answer: Read): string {
  return withOneLineEnd(answer.content);
}

/** The editor has one kind of line end; a save keeps those that the file has. */
export function withOneLineEnd(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
