/** What happens to a call that would change something, decided in advance. */
import { type KeyboardEvent, useState } from "react";
import type { Refused } from "../api/call";
import { Failure } from "../parts/states";
import { useSettled } from "../parts/useSettled";
import { usePlace } from "../shell/place";
import { asRefused, useStore } from "../state/store";

const MODES = [
  { mode: "manual", title: "Manual", says: "Every change waits for you." },
  { mode: "plan", title: "Plan", says: "Changes run while a plan that you accepted is open." },
  { mode: "auto", title: "Auto", says: "Changes run at once. You can undo each." },
];

export function ModeSwitch() {
  const place = usePlace();
  const { value } = useStore(place.room.mode);
  const live = useStore(place.room.line).kind === "live";
  const [error, setError] = useState<Refused | null>(null);
  const [asked, ask] = useState<string | null>(null);
  const settled = useSettled(value?.mode ?? "");
  const choose = (mode: string) =>
    settled.guard(() => {
      setError(null);
      ask(mode);
      place.room
        .call("mode", { mode })
        .then(
          () => place.say(`Mode: ${mode}.`),
          (refused: unknown) => setError(asRefused(refused)),
        )
        .finally(() => ask(null));
    });
  return (
    <fieldset className="modes" disabled={!live || asked !== null} onKeyDown={step}>
      <legend>What agents may do</legend>
      <div className="segments">
        {MODES.map(({ mode, title }) => (
          <label key={mode} className="segment" data-mode={mode}>
            <input type="radio" name="mode" value={mode} checked={value?.mode === mode} onChange={choose(mode)} />
            {title}
          </label>
        ))}
      </div>
      <p className="quiet">
        {asked !== null ? `Switching to ${asked}…` : (MODES.find(({ mode }) => mode === value?.mode)?.says ?? "\u00a0")}
      </p>
      {error ? <Failure error={error} /> : null}
    </fieldset>
  );
}

/** Arrows go from mode to mode and choose none: what agents may do is changed by Space or a click. */
function step(event: KeyboardEvent<HTMLElement>): void {
  const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
  if (!by) return;
  event.preventDefault();
  const modes = [...event.currentTarget.querySelectorAll("input")];
  const at = modes.findIndex((mode) => mode === document.activeElement);
  modes[(at + by + modes.length) % modes.length]?.focus();
}
