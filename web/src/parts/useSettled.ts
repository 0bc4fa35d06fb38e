/**
 * Whether what stands here has stood long enough to be what a click was aimed at.
 *
 * A button that comes under the pointer, or becomes another's, half a second before it is pressed was not read.
 */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const SETTLE_MS = 500;

export type Settled = {
  /** Not settled yet: buttons show it. */
  fresh: boolean;
  /** Runs what was asked for, if it counts; else `missed` becomes true until the next that does. */
  guard: (act: () => void) => () => void;
  missed: boolean;
};

/** `drawn` names all that is drawn where the buttons stand: when it changes, time begins anew. */
export function useSettled(drawn: string): Settled {
  const since = useRef(0);
  const [fresh, setFresh] = useState(true);
  const [missed, setMissed] = useState(false);
  const begin = useCallback(() => {
    since.current = performance.now();
    setFresh(true);
    const timer = setTimeout(() => setFresh(false), SETTLE_MS);
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(begin, [begin, drawn]);
  useEffect(() => {
    let undo = (): void => undefined;
    const moved = (): void => {
      undo();
      undo = begin();
    };
    addEventListener("resize", moved);
    return () => (removeEventListener("resize", moved), undo());
  }, [begin]);
  const guard = useCallback(
    (act: () => void) => () => {
      const counts = performance.now() - since.current >= SETTLE_MS;
      setMissed(!counts);
      if (counts) act();
    },
    [],
  );
  return { fresh, guard, missed };
}
