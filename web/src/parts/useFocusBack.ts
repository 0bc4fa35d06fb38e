/** A control that is disabled while what it began is on its way loses the focus; it has it again once it is enabled. */
import { useEffect } from "react";

export function useFocusBack(): void {
  useEffect(() => {
    let last: Element | null = null;
    const remember = ({ target }: FocusEvent): void => {
      last = target instanceof Element ? target : null;
    };
    const observer = new MutationObserver((changes) => {
      const lost = document.activeElement === document.body;
      if (!lost || !(last instanceof HTMLElement) || last.matches(":disabled")) return;
      if (changes.some(({ target }) => target.contains(last))) last.focus();
    });
    observer.observe(document.body, { subtree: true, attributeFilter: ["disabled"] });
    addEventListener("focusin", remember);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", remember);
    };
  }, []);
}
