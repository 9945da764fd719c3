import type { ComponentChildren, JSX } from "preact";
import { Lamp } from "../../parts/lamp.tsx";
import { useLate } from "../../parts/late.ts";
import { secondTime } from "../../words/times.ts";
import type { Seen, Watch } from "../state/watch.ts";
import { useWatch } from "../state/use-watch.ts";

/** After this a placeholder stands where an answer will be. */
const PATIENCE_MS = 300;

interface KnownProps<T> {
  readonly watch: Watch<T>;
  readonly everyMs: number;
  /** What is being read: `Reading the surfaces`. */
  readonly waiting: string;
  /** What could not be read: `Can’t read the surfaces.` */
  readonly failed: string;
  readonly children: (value: T) => ComponentChildren;
}

/**
 * A part of a page that stands on one answer: nothing for 300 ms, then a named placeholder; the last answer stays while a newer
 * one is asked for, and when that fails, with the words that say so.
 */
export function KnownPart<T>({ watch, everyMs, waiting, failed, children }: KnownProps<T>): JSX.Element {
  const seen = useWatch(watch, everyMs);
  return (
    <>
      <Trouble seen={seen} failed={failed} onAgain={() => watch.ask()} />
      {seen.value === null ? seen.trouble === null ? <Waiting words={waiting} /> : null : children(seen.value)}
    </>
  );
}

/** What failed, since when, which numbers still stand, a stable code, one action. */
export function Trouble<T>({
  seen,
  failed,
  onAgain,
}: {
  readonly seen: Seen<T>;
  readonly failed: string;
  readonly onAgain: () => void;
}): JSX.Element {
  const { trouble, atMs } = seen;
  return (
    <div role="status" class="trouble">
      {trouble === null ? null : (
        <p>
          <Lamp shape="bar" /> <strong>{failed}</strong> Since {secondTime(trouble.sinceMs)}.{" "}
          {atMs === null ? "" : `What stands here is from ${secondTime(atMs)}. `}
          <code>{trouble.code}</code>{" "}
          <button class="link" type="button" onClick={onAgain}>
            Ask again
          </button>
        </p>
      )}
    </div>
  );
}

/** Where an answer will be. */
export function Waiting({ words }: { readonly words: string }): JSX.Element | null {
  if (!useLate(PATIENCE_MS)) return null;
  return (
    <div class="bones bones--page" role="status">
      <p class="dim">{words}</p>
      <span class="bone bone--short" />
      <span class="bone" />
      <span class="bone bone--mid" />
    </div>
  );
}
