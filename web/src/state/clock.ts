/** The time in words, told anew twice a minute. */
import { Store, useStore } from "./store";

const tick = new Store(Date.now());
setInterval(() => tick.set(Date.now()), 30_000);

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "long" });
const UNITS = [
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** How far `at` is away: "5 minutes ago", "in 23 hours". */
export function useAgo(at: string): string {
  useStore(tick);
  const seconds = (Date.parse(at) - Date.now()) / 1000;
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return relative.format(Math.trunc(seconds / length), unit);
  }
  return seconds <= 0 ? "just now" : "in a moment";
}

/** By the clock here, to the second. */
export function clockTime(at: string): string {
  return new Date(at).toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
}
