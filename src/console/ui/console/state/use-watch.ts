import { useEffect } from "preact/hooks";
import type { Seen, Watch } from "./watch.ts";

/** What a watch knows, kept fresh while the part that asks is shown. */
export function useWatch<T>(watch: Watch<T>, everyMs: number): Seen<T> {
  useEffect(() => {
    const looking = watch.look(everyMs);
    return () => looking[Symbol.dispose]();
  }, [watch, everyMs]);
  return watch.seen.value;
}
