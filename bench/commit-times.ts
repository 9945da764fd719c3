import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

const KEY = "troupe bench commit times";
/** Commits that are noted; a run has a tenth of it. */
const CAPACITY = 1_000_000;

interface Shared {
  /** How many commits there were, then the milliseconds of each. */
  readonly times: Float64Array;
  /** Milliseconds that each commit takes longer. */
  readonly delayMs: number;
}

/**
 * Let the store's thread note how long its commits take, in memory both threads see; call it before the store is opened, in a
 * process that was started with `--import watch-commits.ts`. With a delay each commit takes so much longer.
 */
export function watchCommits(delayMs: number): { count(): number; since(first: number): readonly number[] } {
  const shared: Shared = { times: new Float64Array(new SharedArrayBuffer(8 * (CAPACITY + 1))), delayMs };
  setEnvironmentData(KEY, shared);
  const count = (): number => shared.times[0] ?? 0;
  return { count, since: (first) => [...shared.times.subarray(1 + first, 1 + count())] };
}

/** What the thread that opened the store asked for; null where nobody did. */
export function commitWatch(): Shared | null {
  const shared: unknown = getEnvironmentData(KEY);
  return typeof shared === "object" && shared !== null && "times" in shared ? (shared as Shared) : null;
}

/** Note one commit. */
export function noteCommit({ times }: Shared, tookMs: number): void {
  const count = times[0] ?? 0;
  if (count >= CAPACITY) return;
  times[count + 1] = tookMs;
  times[0] = count + 1;
}
