/** A dialog over the page in which one of many is found by typing, and chosen by arrows and Enter or by a click. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

type PickerProps<T> = {
  title: string;
  hint: string;
  query: string;
  setQuery: (query: string) => void;
  /** What fits `query`; null while that isn't known yet. */
  rows: T[] | null;
  /** How a row looks, which is how it is called, too. */
  drawn: (row: T) => ReactNode;
  choose: (row: T) => void;
  close: () => void;
  /** Below the rows: how many there are, an error. */
  children?: ReactNode;
};

export function Picker<T>(props: PickerProps<T>) {
  const { title, hint, query, setQuery, drawn, choose, close, children } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [at, setAt] = useState(0);
  const entered = useRef(false);
  const shown = useLast(props.rows);
  const here = Math.min(at, shown.length - 1);
  useEffect(() => void dialog.current?.showModal(), []);
  useEffect(() => void document.getElementById(`pick-${here}`)?.scrollIntoView({ block: "nearest" }), [here]);
  const take = (row: T | undefined): void => {
    entered.current = false;
    if (row === undefined) return;
    dialog.current?.close(); // the focus goes back first; then it may go on to what was chosen
    choose(row);
  };
  useEffect(() => {
    if (entered.current && props.rows) take(props.rows[0]);
  });
  const press = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && shown.length) setAt((here + step + shown.length) % shown.length);
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) {
      if (props.rows) take(shown[here]);
      else entered.current = true; // what stands there fits an older query; the first of the new one is meant
    } else return;
    event.preventDefault();
  };
  const type = (text: string): void => {
    entered.current = false;
    setAt(0);
    setQuery(text);
  };
  return (
    <dialog ref={dialog} className="picker" aria-label={title} onClose={close} onClick={outside}>
      <input
        type="text"
        role="combobox"
        aria-label={title}
        aria-expanded={shown.length > 0}
        aria-controls={shown.length ? "picks" : undefined}
        aria-activedescendant={shown.length ? `pick-${here}` : undefined}
        aria-autocomplete="list"
        placeholder={hint}
        spellCheck={false}
        autoComplete="off"
        value={query}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      {shown.length ? (
        <ul role="listbox" id="picks" aria-label={title} className="picks">
          {shown.map((row, index) => (
            <li
              key={index}
              id={`pick-${index}`}
              role="option"
              aria-selected={index === here}
              className="pick"
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => take(row)}
            >
              {drawn(row)}
            </li>
          ))}
        </ul>
      ) : null}
      {children}
    </dialog>
  );
}

/** The last rows that were known: they stay until there are others, so that the list doesn't flicker. */
function useLast<T>(rows: T[] | null): T[] {
  const last = useRef<T[]>([]);
  useEffect(() => {
    if (rows) last.current = rows;
  }, [rows]);
  return rows ?? last.current;
}

/** A click beside the dialog is one on its backdrop. */
function outside(event: { target: EventTarget; currentTarget: HTMLDialogElement }): void {
  if (event.target === event.currentTarget) event.currentTarget.close();
}
