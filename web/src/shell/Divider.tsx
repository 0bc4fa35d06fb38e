/** The edge between two columns, drawn by the pointer or moved by arrow keys; where it stands is kept in this browser. */
import type { KeyboardEvent, PointerEvent } from "react";
import { Store, useStore } from "../state/store";

const STEP = 16;

class Width extends Store<number> {
  constructor(
    readonly says: string,
    private readonly kept: string,
    readonly least: number,
    readonly usual: number,
    readonly most: number,
  ) {
    super(within(Number(localStorage.getItem(kept)) || usual, least, most));
  }

  /** In pixels; what is too little or too much is bounded. */
  put(width: number): void {
    this.set(within(Math.round(width), this.least, this.most));
    localStorage.setItem(this.kept, String(this.get()));
  }
}

const WIDTHS = {
  side: new Width("Width of the left bar", "workroom.side", 180, 260, 640),
  inbox: new Width("Width of the inbox", "workroom.inbox", 240, 340, 720),
};

/** `side` grows to the right, `inbox` to the left. */
export function Divider({ of }: { of: keyof typeof WIDTHS }) {
  const width = WIDTHS[of];
  const now = useStore(width);
  const way = of === "side" ? 1 : -1;
  const press = (event: KeyboardEvent): void => {
    const by = { ArrowRight: STEP, ArrowLeft: -STEP }[event.key];
    if (by) width.put(now + by * way);
    else if (event.key === "Home") width.put(width.least);
    else if (event.key === "End") width.put(width.most);
    else if (event.key === "Enter") width.put(width.usual);
    else return;
    event.preventDefault();
  };
  const draw = (event: PointerEvent<HTMLElement>): void => {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) width.put(width.get() + event.movementX * way);
  };
  return (
    <div
      role="separator"
      aria-orientation="vertical"
      aria-label={width.says}
      aria-valuenow={now}
      aria-valuemin={width.least}
      aria-valuemax={width.most}
      tabIndex={0}
      className={`divider divider-${of}`}
      onKeyDown={press}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={draw}
      onDoubleClick={() => width.put(width.usual)}
    />
  );
}

/** The columns' widths for the style sheet, which narrows them where the window is narrow. */
export function useWidths(): Record<string, string> {
  return { "--side-width": `${useStore(WIDTHS.side)}px`, "--inbox-width": `${useStore(WIDTHS.inbox)}px` };
}

function within(width: number, least: number, most: number): number {
  return Math.min(Math.max(width, least), most);
}
