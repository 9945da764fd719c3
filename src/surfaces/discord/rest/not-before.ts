import type { Clock } from "../../../foundation/clock.ts";

const MAX_KEYS = 4_096;

/** The key of everything at once. */
export const EVERYTHING = "*";

/**
 * When each bucket may be asked again. The library forgets the first refusal that names a bucket, and its waits cannot be
 * cancelled, so the moments are kept here and waited for on our own clock.
 */
export class NotBefore {
  readonly #clock: Clock;
  readonly #moments = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ask nothing of a bucket for so long; an earlier word that reaches further stays. */
  hold(key: string, forMs: number): void {
    const untilMs = this.#clock.monotonicMs() + Math.max(0, forMs);
    if ((this.#moments.get(key) ?? 0) >= untilMs) return;
    this.#moments.delete(key);
    this.#moments.set(key, untilMs);
    for (const oldest of this.#moments.keys()) {
      if (this.#moments.size <= MAX_KEYS) break;
      this.#moments.delete(oldest);
    }
  }

  /** Milliseconds until a bucket may be asked. */
  waitMs(key: string): number {
    return Math.max(this.#leftOf(key), this.#leftOf(EVERYTHING));
  }

  #leftOf(key: string): number {
    const untilMs = this.#moments.get(key);
    if (untilMs === undefined) return 0;
    const leftMs = untilMs - this.#clock.monotonicMs();
    if (leftMs <= 0) this.#moments.delete(key);
    return Math.max(0, leftMs);
  }
}
