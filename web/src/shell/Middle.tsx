/** The middle: tabs, and what the shown one holds. */
import { type KeyboardEvent, useEffect } from "react";
import { Boundary } from "../parts/Boundary";
import { Icon } from "../parts/Icon";
import { Empty } from "../parts/states";
import { useKeptFocus } from "../parts/useKeptFocus";
import { useStore } from "../state/store";
import { type Tab, shownOf } from "../state/tabs";
import { usePlace } from "./place";
import { TABS } from "./views";

export function Middle() {
  const place = usePlace();
  const tabs = useStore(place.tabs);
  const { open, active } = tabs;
  const shown = shownOf(tabs);
  useKeptFocus(active ?? "", shown ? `#${CSS.escape(`tab-${shown.id}`)}` : ".middle");
  const View = shown ? TABS[shown.kind]?.view : undefined;
  return (
    <section className="middle" aria-label="Open" data-part tabIndex={-1}>
      {open.length ? <TabStrip open={open} active={active} /> : null}
      {shown && View ? (
        <div className="tab-panel" role="tabpanel" id="tab-panel" aria-labelledby={`tab-${shown.id}`}>
          <Boundary key={shown.kind === "file" ? place.files.of(shown.about).id : shown.id}>
            <View tab={shown} />
          </Boundary>
        </div>
      ) : (
        <Empty icon="files" title="Nothing is open">
          <p>
            A click on the left or <kbd>Ctrl+P</kbd> opens a file. What agents ask is in the inbox. <kbd>?</kbd> shows
            the keys.
          </p>
        </Empty>
      )}
    </section>
  );
}

/** Whether a file has changes that aren't saved, and whether others changed it meanwhile. */
function FileMark({ path }: { path: string }) {
  const place = usePlace();
  const { dirty, theirs } = useStore(place.files.of(path));
  const moved = theirs === "gone" ? "deleted on disk" : "changed on disk";
  return (
    <>
      {dirty ? <Told mark="●" says="not saved" /> : null}
      {theirs ? <Told mark="!" says={moved} /> : null}
    </>
  );
}

function Told({ mark, says }: { mark: string; says: string }) {
  return (
    <span className={`tab-mark ${mark === "!" ? "tab-mark-moved" : ""}`} title={says}>
      <span aria-hidden="true">{mark}</span>
      <span className="sr">, {says}</span>
    </span>
  );
}

function TabStrip({ open, active }: { open: Tab[]; active: string | null }) {
  const place = usePlace();
  useEffect(() => {
    document.getElementById(`tab-${active}`)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [active]);
  const turn = (event: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = open.findIndex((tab) => tab.id === active);
    const next = step === undefined ? undefined : open[(at + step + open.length) % open.length];
    if (!next) return;
    event.preventDefault();
    place.tabs.activate(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div className="tabs">
      <div role="tablist" aria-label="Open tabs" onKeyDown={turn} className="tab-list">
        {open.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`tab-${tab.id}`}
            className="tab"
            aria-selected={tab.id === active}
            aria-controls="tab-panel"
            tabIndex={tab.id === active ? 0 : -1}
            onClick={() => place.tabs.activate(tab.id)}
            onAuxClick={(event) => event.button === 1 && place.closeTab(tab.id)}
          >
            <Icon name={TABS[tab.kind]?.icon ?? "files"} />
            <span className="tab-title">{tab.title}</span>
            {tab.by !== undefined ? (
              <span className="tab-by">
                <span className="sr">opened </span>by {tab.by}
              </span>
            ) : tab.kind === "file" ? (
              <FileMark path={tab.about} />
            ) : null}
          </button>
        ))}
      </div>
      {active !== null ? (
        <button
          type="button"
          className="icon-button"
          title="Close the tab (Alt+W)"
          onClick={() => place.closeTab(active)}
        >
          <Icon name="close" />
          <span className="sr">Close the tab</span>
        </button>
      ) : null}
    </div>
  );
}
