/** What every view of a shell is given: the room, the tabs, and where the left bar and the inbox stand. */
import { createContext, useContext } from "react";
import type { Room } from "../state/room";
import { Store } from "../state/store";
import { TabList } from "../state/tabs";

/** What a narrow window shows of the three: on a wide one all are there. */
export type Pane = "side" | "middle" | "inbox";

export class Place {
  readonly tabs = new TabList();
  /** The id of the view on the left. */
  readonly side = new Store<string>("changes");
  readonly pane = new Store<Pane>("inbox");
  readonly inboxOpen = new Store(true);
  /** Whether the list of keys is shown. */
  readonly help = new Store(false);
  /** Told to screen readers, and shown for a moment. */
  readonly notice = new Store("");

  constructor(readonly room: Room) {}

  say(text: string): void {
    this.notice.set("");
    this.notice.set(text);
  }
}

const Context = createContext<Place | null>(null);
export const PlaceProvider = Context.Provider;

export function usePlace(): Place {
  const place = useContext(Context);
  if (!place) throw new Error("a view stands outside of the shell");
  return place;
}
