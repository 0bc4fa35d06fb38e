/** Which folder this is, how it looks, and the way out. */
import { Icon } from "../parts/Icon";
import { People } from "../presence/People";
import { signOut } from "../state/session";
import { useStore } from "../state/store";
import { switchTheme, theme } from "../state/theme";
import { Help } from "./Help";
import { Mark } from "./Mark";
import { usePlace } from "./place";
import { showInbox } from "./useKeys";

const THEME_ICONS = { system: "system", light: "sun", dark: "moon" } as const;

export function TopBar({ folders, choose }: { folders: string[]; choose: (path: string) => void }) {
  const place = usePlace();
  const now = useStore(theme);
  return (
    <header className="topbar">
      <Mark />
      <h1 className="sr">Workroom</h1>
      <label className="folder">
        <span className="sr">Folder</span>
        <select value={place.room.path} onChange={(event) => choose(event.target.value)}>
          {folders.map((path) => (
            <option key={path} value={path}>
              {named(path, folders)}
            </option>
          ))}
        </select>
      </label>
      <span className="topbar-path" title={place.room.path}>
        {place.room.path}
      </span>
      <People />
      <button type="button" className="icon-button" onClick={() => place.help.set(true)} title="Keys (?)">
        <span aria-hidden="true">?</span>
        <span className="sr">Keys</span>
      </button>
      <button type="button" className="icon-button" onClick={switchTheme} title={`Colours: ${now}`}>
        <Icon name={THEME_ICONS[now]} />
        <span className="sr">Colours: {now}</span>
      </button>
      <button type="button" className="icon-button" onClick={() => void signOut()} title="Sign out">
        <Icon name="leave" />
        <span className="sr">Sign out</span>
      </button>
      <Announced />
      <HiddenInbox />
      <Help />
    </header>
  );
}

/** Tells screen readers how many requests wait, as often as that changes. */
function Announced() {
  const waiting = useStore(usePlace().room.pending).value?.length ?? 0;
  return (
    <span className="sr" role="status">
      {waiting ? `${waiting} ${waiting === 1 ? "request waits" : "requests wait"} in the inbox` : ""}
    </span>
  );
}

/** What is left of an inbox that was hidden: how many wait, in sight, and the way back. */
function HiddenInbox() {
  const place = usePlace();
  const waiting = useStore(place.room.pending).value?.length ?? 0;
  if (useStore(place.inboxOpen)) return null;
  return (
    <button type="button" className="wide-only" onClick={() => showInbox(place)} title="Show the inbox (Alt+I)">
      <Icon name="inbox" />
      Inbox {waiting ? <span className="badge">{waiting}</span> : null}
      <span className="sr">{waiting} waiting</span>
    </button>
  );
}

/** The folder's name; with its parent where two have the same. */
function named(path: string, all: string[]): string {
  const last = (one: string, count: number): string => one.split("/").slice(-count).join("/");
  const name = last(path, 1);
  return all.filter((one) => last(one, 1) === name).length > 1 ? last(path, 2) : name;
}
