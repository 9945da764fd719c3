import { abortReason } from "./clock.ts";
import { RuntimeError } from "./errors.ts";

/** At most `permits` holders at once, served in the order they asked; at most `maxWaiting` may wait (MC-078). */
export class Semaphore {
  #free: number;
  readonly #maxWaiting: number;
  readonly #waiting: Array<() => void> = [];

  constructor(permits: number, maxWaiting: number) {
    if (!Number.isInteger(permits) || permits < 1)
      throw new RuntimeError("invalid_argument", "Cannot make a semaphore: permits must be 1 or more");
    this.#free = permits;
    this.#maxWaiting = maxWaiting;
  }

  /** Wait for a permit; dispose it to give it back. @throws RuntimeError `capacity` when too many wait; the signal's reason on abort. */
  async acquire(signal: AbortSignal): Promise<Disposable> {
    if (signal.aborted) throw abortReason(signal);
    if (this.#free > 0) this.#free -= 1;
    else await this.#queue(signal);
    let held = true;
    return {
      [Symbol.dispose]: () => {
        if (!held) return;
        held = false;
        const next = this.#waiting.shift();
        if (next) next();
        else this.#free += 1;
      },
    };
  }

  #queue(signal: AbortSignal): Promise<void> {
    if (this.#waiting.length >= this.#maxWaiting) throw new RuntimeError("capacity", "Cannot wait for a permit: too many are waiting");
    return new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        const at = this.#waiting.indexOf(grant);
        if (at >= 0) this.#waiting.splice(at, 1);
        reject(abortReason(signal));
      };
      const grant = (): void => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(grant);
    });
  }
}
