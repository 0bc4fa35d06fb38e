/** Changed files of one state, each to be staged or unstaged, and all of them at once. */
import { escaped } from "../parts/escape";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import type { Change, Group } from "./groups";
import { sideTab } from "./sides";

/** More than these are counted, and not drawn. */
const DRAWN = 300;

export function Changed({ group }: { group: Group }) {
  const { work } = usePlace();
  const busy = useStore(work).doing !== "";
  const { title, action, changes } = group;
  const verb = action === "stage" ? "Stage" : "Unstage";
  const more = changes.length - DRAWN;
  return (
    <section className="git-group" aria-label={title}>
      <div className="git-group-head">
        <h3>
          {title} <span className="chip">{changes.length}</span>
        </h3>
        <button
          type="button"
          disabled={busy}
          onClick={() =>
            void work.stage(
              action,
              changes.flatMap(({ paths }) => paths),
            )
          }
        >
          {verb} all<span className="sr"> of {title}</span>
        </button>
      </div>
      <ul>
        {changes.slice(0, DRAWN).map((change) => (
          <One key={change.path} {...{ change, action, verb, busy }} />
        ))}
      </ul>
      {more > 0 ? <p className="git-quiet quiet">and {more} more</p> : null}
    </section>
  );
}

type OneProps = { change: Change; action: Group["action"]; verb: string; busy: boolean };

function One({ change, action, verb, busy }: OneProps) {
  const place = usePlace();
  const shown = escaped(change.path);
  const from = change.from ? ` from ${escaped(change.from)}` : "";
  const open = (): void => {
    if (!change.side) return place.openFile(change.path);
    place.tabs.show(sideTab(change.side, change.path));
    place.pane.set("middle");
  };
  return (
    <li className="git-row" data-mark={change.mark.letter}>
      <span className="git-mark" aria-hidden="true">
        {change.mark.letter}
      </span>
      <button
        type="button"
        className="git-path"
        title={shown}
        aria-label={`${shown}${from}, ${change.mark.says}`}
        onClick={open}
      >
        <span className="git-name">
          {shown}
          <span className="quiet">{from}</span>
        </span>
      </button>
      <button
        type="button"
        className="icon-button"
        title={`${verb} ${shown}`}
        disabled={busy}
        onClick={() => void place.work.stage(action, change.paths)}
      >
        <span aria-hidden="true">{action === "stage" ? "+" : "−"}</span>
        <span className="sr">
          {verb} {shown}
        </span>
      </button>
    </li>
  );
}
