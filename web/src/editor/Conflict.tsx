/** What was typed, and what somebody else wrote meanwhile: the person says what is kept. Nothing is until then. */
import { Icon } from "../parts/Icon";
import { usePlace } from "../shell/place";
import type { Disk, OpenFile } from "./files";

type Props = { file: OpenFile; theirs: Disk | "gone"; by: string };

export function Conflict({ file, theirs, by }: Props) {
  const place = usePlace();
  const who = by || "somebody else";
  const keep = async (): Promise<void> => {
    if (await file.keepMine()) place.say(`${file.path} holds your text. What ${who} wrote is in the history.`);
  };
  const take = async (): Promise<void> => {
    if (await file.takeTheirs()) place.say(`${file.path} holds what is on disk.`);
  };
  return (
    <div className="conflict" role="alert">
      <p>
        <Icon name="warning" />
        {theirs === "gone"
          ? `${who} deleted this file, and you have changes that aren't saved.`
          : `${who} changed this file while you did. Nothing of either is lost; say what is kept.`}
      </p>
      <div className="actions">
        <button type="button" onClick={() => void keep()}>
          Keep mine
        </button>
        {theirs === "gone" ? null : (
          <>
            <button type="button" onClick={() => void take()}>
              Take theirs
            </button>
            <button
              type="button"
              className="primary"
              onClick={() => file.merging.set({ began: file.text, text: file.text })}
            >
              Merge…
            </button>
          </>
        )}
      </div>
    </div>
  );
}
