/** The files that this tab of the browser had open before it was loaded anew, or that an ended one left, are open again. */
import { fileTab } from "../state/tabs";
import type { Place } from "./place";

/** Which tab was shown, in each folder: for a reload alone, as a browser keeps it for a tab of its own. */
const SHOWN = "workroom.shown";

export function reopen({ room, tabs, files }: Place): void {
  const key = `${SHOWN}:${room.path}`;
  const shown = sessionStorage.getItem(key);
  tabs.restore(files.dirty.map(fileTab), shown); // typed before a sign-out, or a look at another folder
  const done = room.buffers.subscribe(() => {
    const { value } = room.buffers.get();
    if (!value) return;
    done();
    tabs.restore(
      value.filter(({ mine }) => mine).map(({ path }) => fileTab(path)),
      shown,
    );
  });
  tabs.subscribe(() => {
    const { active } = tabs.get();
    if (active !== null) sessionStorage.setItem(key, active);
    else sessionStorage.removeItem(key);
  });
}
