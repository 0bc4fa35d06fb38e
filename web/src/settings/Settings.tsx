/** What the person decides in advance, setting by setting: for this folder, or for all of theirs. */
import { useState } from "react";
import type { Refused } from "../api/call";
import type { SettingRow } from "../api/types";
import { Failure, Loading } from "../parts/states";
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { asRefused, useStore } from "../state/store";
import { read, type Kind, kindOf, written } from "./values";

export function Settings() {
  const { room } = usePlace();
  const { value, error } = useStore(room.settings);
  const [sought, seek] = useState("");
  if (!value) {
    if (!error) return <Loading what="the settings" />;
    return <Failure error={error} retry={() => void room.settings.refresh()} />;
  }
  const words = sought.toLowerCase().split(/\s+/);
  const found = value.settings.filter((one) => {
    const text = `${one.name} ${one.aliases.join(" ")} ${one.documentation}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  return (
    <article className="review" aria-labelledby="settings-title">
      <div className="review-scroll">
        <header className="facts">
          <h2 id="settings-title">Settings</h2>
          <p className="facts-line">They hold for this folder. Each change is a line of the audit log.</p>
          <input
            type="text"
            value={sought}
            onChange={(event) => seek(event.target.value)}
            placeholder="Find a setting"
            aria-label="Find a setting"
          />
        </header>
        {found.map((row) => (
          <Setting key={`${row.name} ${JSON.stringify(row.value)}`} row={row} />
        ))}
        {found.length ? null : <p className="quiet">No setting is called so.</p>}
      </div>
    </article>
  );
}

function Setting({ row }: { row: SettingRow }) {
  const place = usePlace();
  const live = useStore(place.room.line).kind === "live";
  const kind = kindOf(row);
  const [text, setText] = useState(written(row.value));
  const [error, setError] = useState<Refused | null>(null);
  const [running, setRunning] = useState(false);
  const settled = useSettled(`${row.name} ${live}`);
  const change = (ask: () => Promise<unknown>): (() => void) =>
    settled.guard(() => {
      setError(null);
      setRunning(true);
      ask()
        .then(() => place.say(`${row.name} is changed.`))
        .catch((refused: unknown) => setError(asRefused(refused)))
        .finally(() => setRunning(false));
    });
  const set = change(async () => place.room.call("settings.set", { key: row.name, value: read(kind, text) }));
  const unset = change(() => place.room.call("settings.unset", { key: row.name }));
  return (
    <section className="setting" aria-label={row.name}>
      <h3>
        <code>{row.name}</code> <span className="chip">{row.source}</span>
      </h3>
      <p className="quiet">{row.documentation}</p>
      <div className="setting-row">
        <Value kind={kind} name={row.name} text={text} write={setText} />
        <button type="button" disabled={!live || running || text === written(row.value)} onClick={set}>
          {running ? "Setting…" : "Set"}
        </button>
        {row.source === "workspace" ? (
          <button type="button" disabled={!live || running} onClick={unset}>
            Take back
          </button>
        ) : null}
      </div>
      {error ? <Failure error={error} /> : null}
    </section>
  );
}

type ValueProps = { kind: Kind; name: string; text: string; write: (text: string) => void };

function Value({ kind, name, text, write }: ValueProps) {
  if (kind === "boolean") {
    return (
      <select value={text} aria-label={name} onChange={(event) => write(event.target.value)}>
        <option>true</option>
        <option>false</option>
      </select>
    );
  }
  if (kind === "list") {
    const rows = Math.min(8, text.split("\n").length + 1);
    return <textarea aria-label={name} rows={rows} value={text} onChange={(event) => write(event.target.value)} />;
  }
  return <input type="text" aria-label={name} value={text} onChange={(event) => write(event.target.value)} />;
}
