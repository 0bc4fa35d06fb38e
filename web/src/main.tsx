/** The page begins: the code leaves the address first, before anything else is done. */
import { createRoot } from "react-dom/client";
import { Boundary } from "./parts/Boundary";
import { countUnsaved } from "./editor/files";
import { isBegun } from "./review/editing";
import { App } from "./shell/App";
import { begin, followOtherTabs, takeCode } from "./state/session";
import { applyTheme } from "./state/theme";
import "./styles/base.css";
import "./styles/shell.css";
import "./styles/inbox.css";
import "./styles/files.css";
import "./styles/git.css";
import "./styles/search.css";

const code = takeCode();
applyTheme();
followOtherTabs();
addEventListener("beforeunload", (event) => {
  if (countUnsaved() || isBegun()) event.preventDefault(); // the browser asks before what was typed is lost
});
addEventListener("hashchange", () => {
  const another = takeCode(); // a new link that is opened in the same tab
  if (another) void begin(another);
});
const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <Boundary>
      <App />
    </Boundary>,
  );
}
void begin(code);
