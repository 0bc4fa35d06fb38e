/** The visible list of what the left bar and the tabs can show; each is a folder of its own. */
import type { ComponentType } from "react";
import { Changes } from "../changes/Changes";
import { Entry } from "../history/Entry";
import { FileView } from "../editor/FileView";
import { Files } from "../files/Files";
import { Git } from "../git/Git";
import { Hunks } from "../git/Hunks";
import type { IconName } from "../parts/Icon";
import { Review } from "../review/Review";
import { SearchView } from "../search/SearchView";
import { Settings } from "../settings/Settings";
import type { Tab } from "../state/tabs";

export type SideView = { id: string; title: string; icon: IconName; view: ComponentType };

/** In the order of the left bar. */
export const SIDE: SideView[] = [
  { id: "files", title: "Files", icon: "files", view: Files },
  { id: "search", title: "Search", icon: "search", view: SearchView },
  { id: "changes", title: "Changes", icon: "changes", view: Changes },
  { id: "git", title: "Git", icon: "git", view: Git },
];

export type TabView = { icon: IconName; view: ComponentType<{ tab: Tab }> };

/** By a tab's kind. */
export const TABS: Record<string, TabView> = {
  entry: { icon: "history", view: Entry },
  file: { icon: "pen", view: FileView },
  git: { icon: "git", view: Hunks },
  review: { icon: "question", view: Review },
  settings: { icon: "settings", view: Settings },
};
