/** The folder's files: a tree that draws only what is seen, driven by keys and by the pointer. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type DragEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
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
  const folder = folderOf(rowsOf(state), at);
  return (
    <>
      <div className="side-title side-head">
        <h2>Files</h2>
        <Tool icon="file-new" says="New file" run={() => ask({ kind: "file", folder })} />
        <Tool icon="folder-new" says="New folder" run={() => ask({ kind: "folder", folder })} />
      </div>
      {asked ? <Naming asked={asked} done={() => ask(null)} /> : null}
      {state.error ? (
        <Failure error={state.error} retry={() => void tree.begin()} />
      ) : state.levels.has(".") ? (
        <Rows tree={tree} rows={rowsOf(state)} at={at} setAt={setAt} ask={ask} marks={marksOf(git)} />
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
  if (!rows.length) return <Empty icon="folder" title="The folder is empty" />;

  const use = (row: Row): void => {
    setAt(row.path);
    if (row.kind === "directory") void tree.toggle(row.path);
    else if (row.kind !== "cut") place.openFile(row.path);
  };
  const press = (event: KeyboardEvent): void => {
    const row = rows[here];
    if (!row || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (to !== undefined) setAt((rows[to] ?? row).path);
    else if (event.key === "Enter" || event.key === " ") use(row);
    else if (event.key === "ArrowRight" && row.kind === "directory" && !row.open) void tree.unfold(row.path);
    else if (event.key === "ArrowLeft" && row.open) void tree.fold(row.path);
    else if (event.key === "ArrowLeft" && parentOf(row.path) !== ".") setAt(parentOf(row.path));
    else if (event.key === "F2" && row.kind !== "cut") ask({ kind: "rename", path: row.path });
    else if (event.key === "Delete" && row.kind !== "cut") void remove(place, row);
    else return;
    event.preventDefault();
  };
  const drop = (event: DragEvent, row: Row | null): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(null);
    const from = event.dataTransfer.getData(DRAGGED);
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
              aria-expanded={row.kind === "directory" ? row.open : undefined}
              aria-selected={index === here && at !== null}
              aria-busy={!row.ready}
              aria-label={mark ? `${row.name}, ${mark.says}` : row.name}
              className="tree-row"
              data-kind={row.kind}
              data-shown={shown === `file:${row.path}`}
              data-over={over === row.path}
              data-mark={mark?.letter}
              style={{ transform: `translateY(${start}px)`, paddingLeft: 8 + (row.depth - 1) * 14 }}
              draggable={row.kind !== "cut"}
              onClick={() => use(row)}
              onDragStart={(event) => event.dataTransfer.setData(DRAGGED, row.path)}
              onDragOver={(event) => (event.preventDefault(), setOver(row.path))}
              onDragLeave={() => setOver(null)}
              onDrop={(event) => drop(event, row)}
            >
              <span className="tree-twist" data-open={row.open}>
                {row.kind === "directory" ? <Icon name="chevron" /> : null}
              </span>
              <span className="tree-name">{row.name}</span>
              {mark ? (
                <span className="tree-mark" aria-hidden="true" title={mark.says}>
                  {mark.letter}
                </span>
              ) : null}
            </div>
          );
        })}
      </div>
    </div>
  );
}

const DRAGGED = "application/x-workroom-path";

function folderFor(row: Row | null): string {
  if (!row) return ".";
  return row.kind === "directory" ? row.path : parentOf(row.path);
}
