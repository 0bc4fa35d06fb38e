/** One sentence for a moment, for screen readers too. */
import { escaped } from "../parts/escape";
import { useEffect, useRef } from "react";
import { Icon } from "../parts/Icon";
import { useStore } from "../state/store";
import { usePlace } from "./place";

const SHOWN_MS = 8_000;

export function Notice() {
  const { notice } = usePlace();
  const { text, offer } = useStore(notice);
  const before = useRef<EventTarget | null>(null);
  /** Its buttons go with it: who pressed one goes on where they were. */
  const close = (): void => {
    notice.set({ text: "" });
    if (before.current instanceof HTMLElement) before.current.focus();
  };
  useEffect(() => {
    const timer = setTimeout(() => notice.set({ text: "" }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, text]);
  return (
    <div
      className="notice"
      role="status"
      data-shown={text !== ""}
      onFocus={({ relatedTarget, currentTarget }) => {
        if (!currentTarget.contains(relatedTarget)) before.current = relatedTarget;
      }}
    >
      {escaped(text)}
      {offer ? (
        <button type="button" onClick={() => (close(), offer.run())}>
          {offer.says}
        </button>
      ) : null}
      {text ? (
        <button type="button" className="icon-button" onClick={close}>
          <Icon name="close" />
          <span className="sr">Dismiss</span>
        </button>
      ) : null}
    </div>
  );
}
