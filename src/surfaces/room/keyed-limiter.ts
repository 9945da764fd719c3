import type { Clock } from "../../foundation/clock.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";

/** One token bucket a key, at most `maxKeys`: the one not used longest gives way. */
export class KeyedLimiter {
  readonly #clock: Clock;
  readonly #options: { readonly burst: number; readonly everyMs: number; readonly maxKeys: number };
  readonly #limiters = new Map<string, RateLimiter>();

  constructor(clock: Clock, options: { readonly burst: number; readonly everyMs: number; readonly maxKeys: number }) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Take a token of this key if there is one. */
  tryTake(key: string): boolean {
    const limiter = this.#limiters.get(key) ?? new RateLimiter(this.#clock, this.#options);
    this.#limiters.delete(key);
    this.#limiters.set(key, limiter);
    const [oldest] = this.#limiters.keys();
    if (this.#limiters.size > this.#options.maxKeys && oldest !== undefined) this.#limiters.delete(oldest);
    return limiter.tryTake();
  }
}
