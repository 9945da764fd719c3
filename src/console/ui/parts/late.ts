import { useEffect, useState } from "preact/hooks";
import { browserClock } from "../state/browser-clock.ts";

/** Whether `ms` have passed since the part that asks was first shown: what loads faster than that shows no placeholder. */
export function useLate(ms: number): boolean {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = browserClock.after(ms, () => setIsLate(true));
    return () => timer[Symbol.dispose]();
  }, [ms]);
  return isLate;
}
