/** What every view of a shell is given: the room, the tabs, and where the left bar and the inbox stand. */
import { createContext, useContext } from "react";
import type { Room } from "../state/room";
import { type OpenFiles, filesOf } from "../editor/files";
import { Tree } from "../files/tree";
import { Work } from "../git/work";
import { Past } from "../changes/past";
import { Search } from "../search/search";
import { Follower } from "../presence/follow";
import { Store } from "../state/store";
import type { ShownText } from "./steps";
import { TabList, fileTab } from "../state/tabs";
import { reopen } from "./reopen";

/** A sentence for a moment, and what it offers. */
export type Said = { text: string; offer?: { says: string; run: () => void } | undefined };

/** What is found by typing in a dialog. */
export type Picked = "file" | "command" | "symbol";

/** What a narrow window shows of the three: on a wide one all are there. */
export type Pane = "side" | "middle" | "inbox";

/** How long all else waits for the texts that are looked at: the server has few cores, and git takes one of them. */
const FIRST_MS = 150;

export class Place {
  readonly tabs = new TabList();
  /** The id of the view on the left. */
  readonly side = new Store<string>("files");
  readonly pane = new Store<Pane>("inbox");
  readonly inboxOpen = new Store(true);
  /** Whether the list of keys is shown. */
  readonly help = new Store(false);
  /** Which dialog is shown in which one of many is found. */
  readonly picking = new Store<Picked | null>(null);
  /** Told to screen readers, and shown for a moment. */
  readonly notice = new Store<Said>({ text: "" });
  /** Which change was gone to last in what is shown. */
  readonly stepped = new Store<string>("");
  readonly #texts: ShownText[] = [];
  readonly tree: Tree;
  readonly files: OpenFiles;
  readonly work: Work;
  readonly search: Search;
  readonly past: Past;
  readonly follower: Follower;

  constructor(readonly room: Room) {
    let shown = this.tabs.get().active;
    this.tabs.subscribe(() => {
      if (shown !== this.tabs.get().active) this.stepped.set("");
      shown = this.tabs.get().active;
    });
    this.tree = new Tree(room.call);
    this.files = filesOf(room.path, room.call);
    this.work = new Work(room);
    this.search = new Search(room.call);
    this.past = new Past(room);
    this.follower = new Follower(this);
    reopen(this);
    room.follow(async (committed) => {
      const files = this.files.follow(committed).then((moved) => {
        this.#retitle(moved);
        void this.follower.committed(committed);
      });
      await Promise.race([files, new Promise((resolve) => setTimeout(resolve, FIRST_MS))]);
      void this.tree.follow(committed);
    });
  }

  /** The text that is shown, where one is: in a dialog over the page, else in the page. */
  get text(): ShownText | undefined {
    return this.#texts.at(-1);
  }

  /** A text is shown now; answers what takes it away. */
  showText(text: ShownText): () => void {
    this.#texts.push(text);
    return () => {
      this.#texts.splice(this.#texts.indexOf(text), 1);
      this.stepped.set("");
    };
  }

  /** Say it, with what can be done about it. */
  say(text: string, offer?: Said["offer"]): void {
    this.notice.set({ text, offer });
  }

  /** That dialog was closed; another may stand in its place already. */
  picked(what: Picked): void {
    if (this.picking.get() === what) this.picking.set(null);
  }

  /** This page has moved a path. */
  moved(from: string, to: string): void {
    this.#retitle(this.files.moved(from, to));
  }

  #retitle(moved: [string, string][]): void {
    for (const [old, now] of moved) this.tabs.rename(`file:${old}`, fileTab(now));
  }

  /** Show a file in a tab, at a line where one is given. */
  openFile(path: string, line?: number, column = 1): void {
    this.tabs.show(fileTab(path));
    this.pane.set("middle");
    if (line) this.files.of(path).goTo({ line, column });
  }

  /** Show a file where its cursor stands, and go on there. */
  goToFile(path: string): void {
    const { line, column } = this.files.of(path).cursor.get();
    this.openFile(path, line, column);
  }

  /** Show what another opened or changed; the focus stays where it is. */
  glance(path: string, by: string, line?: number): void {
    this.tabs.glance({ ...fileTab(path), by });
    this.pane.set("middle");
    if (line) this.files.of(path).goTo({ line, column: 1, still: true });
  }

  /** Close a tab; a file with changes that aren't saved stays, and that is said. */
  closeTab(id: string): void {
    const tab = this.tabs.get().open.find((one) => one.id === id);
    if (tab?.kind === "file") {
      if (this.files.of(tab.about).get().dirty) {
        const discard = () => (this.files.closed(tab.about), this.tabs.close(id));
        this.say(`${tab.about} has changes that aren't saved.`, { says: "Close without saving", run: discard });
        return;
      }
      this.files.closed(tab.about);
    }
    this.tabs.close(id);
  }
}

const Context = createContext<Place | null>(null);
export const PlaceProvider = Context.Provider;

export function usePlace(): Place {
  const place = useContext(Context);
  if (!place) throw new Error("a view stands outside of the shell");
  return place;
}
