/** One sentence for a moment, for screen readers too. */
import { escaped } from "../parts/escape";
import { useEffect } from "react";
import { Icon } from "../parts/Icon";
import { useStore } from "../state/store";
import { usePlace } from "./place";

const SHOWN_MS = 8_000;

export function Notice() {
  const { notice } = usePlace();
  const { text, offer } = useStore(notice);
  useEffect(() => {
    const timer = setTimeout(() => notice.set({ text: "" }), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [notice, text]);
  return (
    <div className="notice" role="status" data-shown={text !== ""}>
      {escaped(text)}
      {offer ? (
        <button type="button" onClick={() => (notice.set({ text: "" }), offer.run())}>
          {offer.says}
        </button>
      ) : null}
      {text ? (
        <button type="button" className="icon-button" onClick={() => notice.set({ text: "" })}>
          <Icon name="close" />
          <span className="sr">Dismiss</span>
        </button>
      ) : null}
    </div>
  );
}
