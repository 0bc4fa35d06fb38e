/** What had the focus may go with what is drawn anew: then the keys go on in what stands there, not at the page's top. */
import { useEffect, useRef } from "react";

/** `drawn` names what is drawn; when it changes and the focus went with it, `heir` is sought and has it. */
export function useKeptFocus(drawn: string, heir: string): void {
  const last = useRef(drawn);
  useEffect(() => {
    const lost = document.activeElement === document.body || document.activeElement === null;
    if (last.current !== drawn && lost) document.querySelector<HTMLElement>(heir)?.focus();
    last.current = drawn;
  }, [drawn, heir]);
}
