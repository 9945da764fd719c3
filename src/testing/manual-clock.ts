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
      const next = [...this.#waiting].toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      if (next === undefined || next.atMs > untilMs) break;
      this.#waiting.delete(next);
      this.#moveTo(next.atMs);
      next.action();
      await settle();
    }
    this.#moveTo(untilMs);
    await settle();
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
