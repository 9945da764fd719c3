import type { Clock } from "../foundation/clock.ts";
import { abortReason } from "../foundation/clock.ts";

interface Waiting {
  readonly atMs: number;
  readonly order: number;
  readonly action: () => void;
}

/** A clock that stands still until a test moves it; timers fire in order of their time, then of their making. */
export class ManualClock implements Clock {
  #nowMs: number;
  #monotonicMs = 0;
  #order = 0;
  readonly #waiting = new Set<Waiting>();

  constructor(startMs: number = 1_800_000_000_000) {
    this.#nowMs = startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  monotonicMs(): number {
    return this.#monotonicMs;
  }

  /** How many timers wait. */
  get pending(): number {
    return this.#waiting.size;
  }

  /** How many timers were ever set: it rises whenever somebody begins to wait. */
  get timersSet(): number {
    return this.#order;
  }

  /** Milliseconds until the next timer falls due; null when none waits. */
  get nextDueMs(): number | null {
    const next = this.#next();
    return next === null ? null : Math.max(0, next.atMs - this.#monotonicMs);
  }

  after(ms: number, action: () => void): Disposable {
    const waiting: Waiting = { atMs: this.#monotonicMs + Math.max(0, ms), order: this.#order++, action };
    this.#waiting.add(waiting);
    return { [Symbol.dispose]: () => void this.#waiting.delete(waiting) };
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal));
        return;
      }
      const onAbort = (): void => {
        timer[Symbol.dispose]();
        reject(abortReason(signal));
      };
      const timer = this.after(ms, () => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      });
      signal.addEventListener("abort", onAbort, { once: true });
    });
  }

  /** Move time on by `ms`, firing what falls due on the way and letting promises settle after each timer. */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms;
    await settle();
    for (;;) {
      const next = this.#next();
      if (next === null || next.atMs > untilMs) break;
      this.#waiting.delete(next);
      this.#moveTo(next.atMs);
      next.action();
      await settle();
    }
    this.#moveTo(untilMs);
    await settle();
  }

  /**
   * Move time on by `ms` at once, as a machine that slept: what fell due meanwhile fires once, late, in order. Whatever repeats
   * is done once for the whole time, where {@link advance} would do it again and again.
   */
  async leap(ms: number): Promise<void> {
    await settle();
    this.#moveTo(this.#monotonicMs + ms);
    const due = [...this.#waiting].filter(({ atMs }) => atMs <= this.#monotonicMs);
    for (const one of due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)) if (this.#waiting.delete(one)) one.action();
    await settle();
  }

  #next(): Waiting | null {
    let next: Waiting | null = null;
    for (const one of this.#waiting) {
      if (next === null || one.atMs < next.atMs || (one.atMs === next.atMs && one.order < next.order)) next = one;
    }
    return next;
  }

  #moveTo(monotonicMs: number): void {
    this.#nowMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}

/** Let the promises and immediates that are ready run. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}
