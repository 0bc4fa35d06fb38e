/** Light or dark: as the system has it, unless it is switched here. */
import { Store } from "./store";

export type Theme = "system" | "light" | "dark";

const KEPT = "workroom.theme";
const THEMES: Theme[] = ["system", "light", "dark"];

const kept = localStorage.getItem(KEPT) as Theme | null;
export const theme = new Store<Theme>(kept && THEMES.includes(kept) ? kept : "system");

export function applyTheme(): void {
  document.documentElement.dataset.theme = theme.get();
}

/** The next of system, light, dark. */
export function switchTheme(): void {
  const next = THEMES[(THEMES.indexOf(theme.get()) + 1) % THEMES.length] ?? "system";
  localStorage.setItem(KEPT, next);
  theme.set(next);
  applyTheme();
}
