/** The room: the left bar, the middle with its tabs, the inbox, the status line. */
import { useEffect, useState } from "react";
import { Inbox } from "../inbox/Inbox";
import { Boundary } from "../parts/Boundary";
import { useFocusBack } from "../parts/useFocusBack";
import { GoToSymbol } from "../quick/GoToSymbol";
import { QuickOpen } from "../quick/QuickOpen";
import { nameOf } from "../parts/paths";
import type { Room } from "../state/room";
import { useStore } from "../state/store";
import { Divider, useWidths } from "./Divider";
import { Line } from "./Line";
import { Middle } from "./Middle";
import { Notice } from "./Notice";
import { Place, PlaceProvider } from "./place";
import { Palette } from "./Palette";
import { Rail, Side } from "./Side";
import { StatusLine } from "./StatusLine";
import { TopBar } from "./TopBar";
import { useKeys } from "./useKeys";

type ShellProps = { room: Room; folders: string[]; choose: (path: string) => void; note: string };

export function Shell({ room, folders, choose, note }: ShellProps) {
  const [place] = useState(() => new Place(room));
  const pane = useStore(place.pane);
  const picking = useStore(place.picking);
  const inboxOpen = useStore(place.inboxOpen);
  const widths = useWidths();
  useTitle(room);
  useEffect(() => void place.tree.begin(), [place]);
  useKeys(place);
  useFocusBack();
  useTurnedTo(room);
  useEffect(() => {
    if (note) place.say(note);
  }, [place, note]);
  return (
    <PlaceProvider value={place}>
      <div className="shell" data-pane={pane} data-inbox={inboxOpen ? "open" : "closed"} style={widths}>
        <TopBar folders={folders} choose={choose} />
        <Line />
        <Rail />
        <main className="panes">
          <Side />
          <Divider of="side" />
          <Middle />
          <Divider of="inbox" />
          <Boundary>
            <Inbox />
          </Boundary>
        </main>
        <StatusLine />
        <Notice />
        {picking === "command" ? <Palette /> : null}
        {picking === "file" ? <QuickOpen /> : null}
        {picking === "symbol" ? <GoToSymbol /> : null}
      </div>
    </PlaceProvider>
  );
}

/** Git is used elsewhere too, and what changes no file is not told: look when the window is turned to. */
function useTurnedTo(room: Room): void {
  useEffect(() => {
    const look = (): void => void room.git.refresh();
    addEventListener("focus", look);
    return () => removeEventListener("focus", look);
  }, [room]);
}

/** The window's title tells what waits. */
function useTitle(room: Room): void {
  const waiting = useStore(room.pending).value?.length ?? 0;
  const name = nameOf(room.path) || room.path;
  useEffect(() => {
    document.title = `${waiting ? `(${waiting}) ` : ""}${name} - Workroom`;
  }, [name, waiting]);
}
