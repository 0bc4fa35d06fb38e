/** The tab of the settings: there is one. */
import type { Tab } from "../state/tabs";

export function settingsTab(): Tab {
  return { id: "settings", kind: "settings", title: "Settings", about: "" };
}
