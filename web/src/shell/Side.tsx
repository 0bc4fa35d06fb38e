/** The left bar: a rail of views, and the one that is chosen. */
import { Boundary } from "../parts/Boundary";
import { Icon } from "../parts/Icon";
import { useStore } from "../state/store";
import { type Pane, usePlace } from "./place";
import { SIDE } from "./views";

export function Rail() {
  const place = usePlace();
  const side = useStore(place.side);
  const pane = useStore(place.pane);
  const waiting = useStore(place.room.pending).value?.length ?? 0;
  const show = (id: string): void => {
    place.side.set(id);
    place.pane.set("side");
  };
  const turnTo = (to: Pane): void => place.pane.set(to);
  return (
    <nav className="rail" aria-label="Views" data-part tabIndex={-1}>
      {SIDE.map(({ id, title, icon }) => (
        <button
          key={id}
          type="button"
          className="rail-button"
          aria-current={side === id ? "true" : undefined}
          data-here={pane === "side" && side === id}
          onClick={() => show(id)}
        >
          <Icon name={icon} />
          <span>{title}</span>
        </button>
      ))}
      <button
        type="button"
        className="rail-button narrow-only"
        data-here={pane === "middle"}
        onClick={() => turnTo("middle")}
      >
        <Icon name="pen" />
        <span>Open</span>
      </button>
      <button
        type="button"
        className="rail-button narrow-only"
        data-here={pane === "inbox"}
        onClick={() => turnTo("inbox")}
      >
        <Icon name="inbox" />
        <span>Inbox</span>
        {waiting ? <span className="badge">{waiting}</span> : null}
      </button>
    </nav>
  );
}

export function Side() {
  const side = useStore(usePlace().side);
  const chosen = SIDE.find(({ id }) => id === side) ?? SIDE[0];
  if (!chosen) return null;
  const View = chosen.view;
  return (
    <section className="side" aria-label={chosen.title} data-part tabIndex={-1}>
      <Boundary key={chosen.id}>
        <View />
      </Boundary>
    </section>
  );
}
