/** From signed out to a room: each state on the way has its own face. */
import { useEffect, useState } from "react";
import { SignedOut } from "../signin/SignedOut";
import { Empty, Failure, Loading } from "../parts/states";
import { Room } from "../state/room";
import { type Session, session } from "../state/session";
import { Resource, useStore } from "../state/store";
import { Shell } from "./Shell";

const LAST = "workroom.folder";

export function App() {
  const now = useStore(session);
  if (now.phase === "signed out") return <SignedOut why={now.why} />;
  if (now.phase === "signing in") return <Waiting what="the page" />;
  return <Entrance key={now.key} signed={now} />;
}

type SignedIn = Extract<Session, { phase: "signed in" }>;

/** Finds the folder to begin with: the one of the last time, else the first that is open. */
function Entrance({ signed }: { signed: SignedIn }) {
  const [status] = useState(() => new Resource(() => signed.call("status", {})));
  const [chosen, setChosen] = useState<string | null>(null);
  const { value, error } = useStore(status);
  useEffect(() => void status.refresh(), [status]);
  if (!value) {
    if (!error) return <Waiting what="your folders" />;
    return (
      <main className="gate">
        <Failure error={error} retry={() => void status.refresh()} />
      </main>
    );
  }
  const folders = [...new Set([...value.workspaces.map((one) => one.path), ...value.known])];
  const last = localStorage.getItem(LAST);
  const path = chosen ?? (last && folders.includes(last) ? last : folders[0]);
  if (!path) return <Nowhere retry={() => void status.refresh()} />;
  const choose = (folder: string): void => {
    localStorage.setItem(LAST, folder);
    setChosen(folder);
  };
  return <InRoom key={path} path={path} signed={signed} folders={folders} choose={choose} />;
}

type InRoomProps = { path: string; signed: SignedIn; folders: string[]; choose: (path: string) => void };

function InRoom({ path, signed, folders, choose }: InRoomProps) {
  const [room, setRoom] = useState<Room | null>(null);
  useEffect(() => {
    const entered = new Room(path, signed.key, signed.call);
    entered.begin();
    setRoom(entered);
    return () => entered.end();
  }, [path, signed]);
  if (!room) return <Waiting what="the folder" />;
  return <Shell room={room} folders={folders} choose={choose} note={signed.note} />;
}

function Waiting({ what }: { what: string }) {
  return (
    <main className="gate">
      <Loading what={what} />
    </main>
  );
}

function Nowhere({ retry }: { retry: () => void }) {
  return (
    <main className="gate">
      <Empty icon="folder" title="No folder is open yet">
        <p>Open one in a terminal, or let an agent's client start in it:</p>
        <pre className="command">workroom open FOLDER</pre>
        <button type="button" onClick={retry}>
          Look again
        </button>
      </Empty>
    </main>
  );
}
