/** The list of keys. */
import { useEffect, useRef } from "react";
import { Icon } from "../parts/Icon";
import { useStore } from "../state/store";
import { usePlace } from "./place";
import { KEYS } from "./useKeys";

export function Help() {
  const { help } = usePlace();
  const shown = useStore(help);
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (shown) dialog.current?.showModal();
    else dialog.current?.close();
  }, [shown]);
  return (
    <dialog ref={dialog} className="dialog" aria-labelledby="help-title" onClose={() => help.set(false)}>
      <h2 id="help-title">Keys</h2>
      <button type="button" className="icon-button dialog-close" onClick={() => help.set(false)}>
        <Icon name="close" />
        <span className="sr">Close</span>
      </button>
      <dl className="keys">
        {KEYS.map(({ keys, says }) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{says}</dd>
          </div>
        ))}
      </dl>
      <p className="quiet">No key decides: accept and deny are buttons, and you go to them.</p>
    </dialog>
  );
}
