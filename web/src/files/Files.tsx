/** The folder's files: a tree that draws only what is seen, driven by keys and by the pointer. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type DragEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from "react";
import { Icon, type IconName } from "../parts/Icon";
import { Empty, Failure, Loading } from "../parts/states";
import { usePlace } from "../shell/place";
import { useStore } from "../state/store";
import { Naming } from "./Naming";
import { type Asked, move, remove, renameTo } from "./actions";
import { type Mark, marksOf } from "./marks";
import { nameOf, parentOf } from "../parts/paths";
import { type Row, type Tree, rowsOf } from "./tree";

const ROW_PX = 24;

export function Files() {
  const { tree, room } = usePlace();
  const state = useStore(tree);
  const git = useStore(room.git).value;
  const [asked, ask] = useState<Asked | null>(null);
  const [at, setAt] = useState<string | null>(null);
  const rows = useMemo(() => rowsOf(state), [state]);
  const marks = useMemo(() => marksOf(git), [git]);
  /** The keys go on in the tree, but where a new file is written next. */
  const named = (made: string | null): void => {
    const text = asked?.kind === "file" && made !== null;
    ask(null);
    if (!text) requestAnimationFrame(() => document.querySelector<HTMLElement>(".tree")?.focus());
    if (made !== null) void tree.reveal(made).then(() => setAt(made));
  };
  return (
    <>
      <div className="side-title side-head">
        <h2>Files</h2>
        <Tool icon="file-new" says="New file" run={() => ask({ kind: "file", folder: folderOf(rows, at) })} />
        <Tool icon="folder-new" says="New folder" run={() => ask({ kind: "folder", folder: folderOf(rows, at) })} />
      </div>
      {asked ? <Naming asked={asked} done={named} /> : null}
      {state.error ? (
        <Failure error={state.error} retry={() => void tree.begin()} />
      ) : state.levels.has(".") ? (
        <Rows {...{ tree, rows, at, setAt, ask, marks }} />
      ) : (
        <Loading what="the files" />
      )}
    </>
  );
}

function Tool({ icon, says, run }: { icon: IconName; says: string; run: () => void }) {
  return (
    <button type="button" className="icon-button" title={says} onClick={run}>
      <Icon name={icon} />
      <span className="sr">{says}</span>
    </button>
  );
}

/** Where something new belongs: into the folder that is marked, or beside the file. */
function folderOf(rows: Row[], at: string | null): string {
  const row = rows.find((one) => one.path === at);
  if (!row) return ".";
  return row.kind === "directory" && row.open ? row.path : parentOf(row.path);
}

type RowsProps = {
  tree: Tree;
  rows: Row[];
  at: string | null;
  setAt: (path: string) => void;
  ask: (asked: Asked) => void;
  marks: ReadonlyMap<string, Mark>;
};

function Rows({ tree, rows, at, setAt, ask, marks }: RowsProps) {
  const place = usePlace();
  const scroller = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<string | null>(null);
  const [held, hold] = useState<string | null>(null);
  const dragged = useRef<string | null>(null); // what a drag itself carries is whatever its page says
  const ahead = useTypeAhead();
  const shown = useStore(place.tabs).active;
  const drawn = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    overscan: 12,
  });
  const here = Math.max(
    rows.findIndex((row) => row.path === at),
    0,
  );
  useEffect(() => {
    if (at) drawn.scrollToIndex(here);
  }, [drawn, here, at]);
  if (!rows.length)
    return (
      <Empty icon="folder" title="The folder is empty">
        <p>New file, above, makes the first one.</p>
      </Empty>
    );

  const use = (row: Row): void => {
    setAt(row.path);
    if (row.kind === "directory") void tree.toggle(row.path);
    else if (row.kind !== "cut") place.openFile(row.path);
  };
  /** Deleted, and the keys go on at its neighbour. */
  const takeAway = (row: Row): void => {
    const rest = rows.filter((one) => one.path !== row.path && !one.path.startsWith(`${row.path}/`));
    const next = rest[here] ?? rest.at(-1);
    if (next) setAt(next.path);
    void remove(place, row);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[here];
    if (!row || event.altKey) return;
    const marked = row.path === at && row.kind !== "cut"; // else it only stands first
    if (event.ctrlKey || event.metaKey) return carry(event, row, marked);
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / ROW_PX);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    const step = steps[event.key as keyof typeof steps];
    const named = step === undefined ? ahead(event.key, rows, here) : undefined;
    if (step !== undefined) setAt((rows[Math.min(Math.max(here + step, 0), rows.length - 1)] ?? row).path);
    else if (named) setAt(named.path);
    else if (event.key === "Escape" && held) hold(null);
    else if (event.key === "Enter" && row.kind !== "directory" && row.kind !== "cut") place.goToFile(row.path);
    else if (event.key === "Enter" || event.key === " ") use(row);
    else if (event.key === "ArrowRight" && row.kind === "directory" && !row.open) void tree.unfold(row.path);
    else if (event.key === "ArrowLeft" && row.open) void tree.fold(row.path);
    else if (event.key === "ArrowLeft" && parentOf(row.path) !== ".") setAt(parentOf(row.path));
    else if (event.key === "F2" && marked) ask({ kind: "rename", path: row.path });
    else if (event.key === "Delete" && marked && !event.repeat) takeAway(row);
    else return;
    event.preventDefault();
  };
  /** What a drag does, by keys: taken up here, put down there. */
  const carry = (event: KeyboardEvent, row: Row, marked: boolean): void => {
    const key = event.key.toLowerCase();
    if (key === "x" && marked) {
      hold(row.path);
      place.say(`${row.path} is taken up. Ctrl+V moves it into the folder that is marked then.`);
    } else if (key === "v" && held) {
      hold(null);
      void move(place, held, renameTo(folderFor(row), nameOf(held)));
    } else return;
    event.preventDefault();
  };
  const drop = (event: DragEvent, row: Row | null): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(null);
    const from = dragged.current;
    dragged.current = null;
    if (from) void move(place, from, renameTo(folderFor(row), nameOf(from)));
  };
  return (
    <div
      className="tree-scroll"
      ref={scroller}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => drop(event, null)}
    >
      <div
        role="tree"
        aria-label="Files"
        tabIndex={0}
        aria-activedescendant={`row-${here}`}
        className="tree"
        style={{ height: drawn.getTotalSize() }}
        onKeyDown={press}
      >
        {drawn.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          if (!row) return null;
          const mark = marks.get(row.path);
          return (
            <div
              key={row.path}
              id={`row-${index}`}
              role="treeitem"
              aria-level={row.depth}
              aria-posinset={row.at}
              aria-setsize={row.of}
              aria-expanded={row.kind === "directory" ? row.open : undefined}
              aria-selected={row.path === at}
              aria-busy={!row.ready}
              aria-label={mark ? `${row.name}, ${mark.says}` : row.name}
              className="tree-row"
              data-kind={row.kind}
              data-shown={shown === `file:${row.path}`}
              data-over={over === row.path}
              data-held={held === row.path}
              data-mark={mark?.letter}
              style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + (row.depth - 1) * 14 }}
              draggable={row.kind !== "cut"}
              onClick={() => use(row)}
              onDragStart={(event) => {
                dragged.current = row.path;
                event.dataTransfer.setData("text/plain", row.path);
              }}
              onDragEnd={() => (dragged.current = null)}
              onDragOver={(event) => (event.preventDefault(), setOver(row.path))}
              onDragLeave={() => setOver(null)}
              onDrop={(event) => drop(event, row)}
            >
              <span className="tree-twist" data-open={row.open}>
                {row.kind === "directory" ? <Icon name="chevron" /> : null}
              </span>
              <span className="tree-name">{row.name}</span>
              {mark ? (
                <span className="tree-mark" aria-hidden="true" title={mark.says} data-letter={mark.letter} />
              ) : null}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const TYPED_MS = 700;

/** Goes to the next row whose name begins with what is typed. */
function useTypeAhead() {
  const typed = useRef({ text: "", at: 0 });
  return (key: string, rows: Row[], here: number): Row | undefined => {
    if (key.length !== 1 || key === " " || key === "?") return undefined;
    const { text, at } = typed.current;
    const now = performance.now();
    const begun = now - at < TYPED_MS ? text : "";
    const wanted = (begun + key).toLowerCase();
    typed.current = { text: wanted, at: now };
    const from = begun ? here : here + 1;
    const inTurn = [...rows.slice(from), ...rows.slice(0, from)];
    return inTurn.find(({ name }) => name.toLowerCase().startsWith(wanted));
  };
}

function folderFor(row: Row | null): string {
  if (!row) return ".";
  return row.kind === "directory" ? row.path : parentOf(row.path);
}
