import type { Clock } from "./clock.ts";

/** A token bucket: `burst` at once, then one every `everyMs`. It holds two numbers and no timer. */
export class RateLimiter {
  #tokens: number;
  #atMs: number;
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #everyMs: number;

  constructor(clock: Clock, options: { burst: number; everyMs: number }) {
    this.#clock = clock;
    this.#burst = options.burst;
    this.#everyMs = options.everyMs;
    this.#tokens = options.burst;
    this.#atMs = clock.monotonicMs();
  }

  /** Take a token if there is one. */
  tryTake(): boolean {
    this.#refill();
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Take a token, waiting for it if need be; rejects with the signal's reason on abort. */
  async take(signal: AbortSignal): Promise<void> {
    this.#refill();
    // The debt is taken before the wait, so that callers are served in order and never faster than the rate.
    this.#tokens -= 1;
    if (this.#tokens < 0) await this.#clock.sleep(-this.#tokens * this.#everyMs, signal);
  }

  #refill(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#tokens = Math.min(this.#burst, this.#tokens + (nowMs - this.#atMs) / this.#everyMs);
    this.#atMs = nowMs;
  }
}
