import type { Clock } from "../foundation/clock.ts";
import { abortReason } from "../foundation/clock.ts";

/**
 * A clock that runs so many times faster than the real one: over real sockets nobody can stop time, and waiting for real seconds
 * would make a test slow.
 */
export class FastClock implements Clock {
  readonly #factor: number;
  readonly #startMs = performance.now();
  readonly #epochMs: number;

  constructor(factor: number, epochMs: number = Date.now()) {
    this.#factor = factor;
    this.#epochMs = epochMs;
  }

  nowMs(): number {
    return Math.floor(this.#epochMs + this.monotonicMs());
  }

  monotonicMs(): number {
    return (performance.now() - this.#startMs) * this.#factor;
  }

  after(ms: number, action: () => void): Disposable {
    const timer = setTimeout(action, ms / this.#factor);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  }

  sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise<void>((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer);
        reject(abortReason(signal));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", stop);
        resolve();
      }, ms / this.#factor);
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
    });
  }
}
