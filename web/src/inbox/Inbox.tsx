/** Everything that waits for the person, and what they have decided in advance: the mode. */
import type { WaitingRow } from "../api/types";
import { Icon } from "../parts/Icon";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { settingsTab } from "../settings/tab";
import { clockTime, useAgo } from "../state/clock";
import { useStore } from "../state/store";
import { lookAlikes, shortOf, titleOf } from "./alike";
import { ModeSwitch } from "./ModeSwitch";
import { OpenPlan } from "./OpenPlan";

export function Inbox() {
  const { room, tabs, pane, inboxOpen } = usePlace();
  const { value, error } = useStore(room.pending);
  return (
    <section className="inbox" aria-label="Inbox" data-part tabIndex={-1}>
      <div className="inbox-head">
        <h2>
          Inbox {value?.length ? <span className="badge">{value.length}</span> : null}
          <span className="sr">{value ? `${value.length} waiting` : ""}</span>
        </h2>
        <button
          type="button"
          className="icon-button"
          title="Settings"
          onClick={() => {
            tabs.show(settingsTab());
            pane.set("middle");
          }}
        >
          <Icon name="settings" />
          <span className="sr">Settings</span>
        </button>
        <button
          type="button"
          className="icon-button wide-only"
          title="Hide the inbox (Alt+I shows it)"
          onClick={() => inboxOpen.set(false)}
        >
          <Icon name="chevron" />
          <span className="sr">Hide the inbox</span>
        </button>
      </div>
      <ModeSwitch />
      <OpenPlan />
      {error ? <Failure error={error} retry={() => void room.pending.refresh()} /> : null}
      {value ? <Waiting rows={value} /> : error ? null : <Loading what="the inbox" />}
    </section>
  );
}

function Waiting({ rows }: { rows: WaitingRow[] }) {
  if (!rows.length) {
    return (
      <Empty icon="inbox" title="Nothing waits for you">
        <p>When an agent needs your yes, it stands here, with all that it would do.</p>
      </Empty>
    );
  }
  return (
    <ul className="cards">
      {rows.map((row) => (
        <Card key={row.id} row={row} alike={lookAlikes(rows, row.id).length} />
      ))}
    </ul>
  );
}

function Card({ row, alike }: { row: WaitingRow; alike: number }) {
  const place = usePlace();
  const { active } = useStore(place.tabs);
  const ago = useAgo(row.createdAt);
  const tab = `review-${row.id}`;
  const open = (): void => {
    place.tabs.show({ id: tab, kind: "review", title: titleOf(row), about: row.id });
    place.pane.set("middle");
  };
  return (
    <li>
      <button type="button" className="card" onClick={open} aria-current={active === tab ? "true" : undefined}>
        <span className="card-title">{titleOf(row)}</span>
        <span className="card-meta">
          <span className="who who-agent">{row.asker}</span>
          <span>{ago}</span>
          <span className="id" title={row.id}>
            {shortOf(row.id)}
          </span>
        </span>
        <span className="card-chips">
          <span className="chip">{row.kind}</span>
          {row.destructive ? (
            <span className="chip chip-danger">
              <Icon name="warning" /> destructive
            </span>
          ) : null}
          {row.asks.map((reason) => (
            <span key={reason} className="chip chip-warning">
              {reason}
            </span>
          ))}
          {row.flags.map((flag) => (
            <span key={flag} className="chip chip-warning">
              {flag}, shown escaped
            </span>
          ))}
          {alike ? (
            <span className="chip chip-warning">
              looks like {alike === 1 ? "another" : `${alike} others`}; asked {clockTime(row.createdAt)}
            </span>
          ) : null}
        </span>
      </button>
    </li>
  );
}
