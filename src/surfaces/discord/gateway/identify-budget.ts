import type { Clock } from "../../../foundation/clock.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** New sessions that failed in an hour, and new sessions in a day, after which no more are begun: Discord resets the token beyond 1,000 a day. */
const MAX_FAILED_AN_HOUR = 20;
const MAX_A_DAY = 500;
/** Discord takes one new session in so long. */
const LEAST_GAP_MS = 5_000;

/** When a new session may be begun. Beginning too many has the token reset, and every bot with it. */
export class IdentifyBudget {
  readonly #clock: Clock;
  #failed: number[] = [];
  #begun: number[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until the next one may be begun. */
  get waitMs(): number {
    const nowMs = this.#clock.monotonicMs();
    this.#failed = this.#failed.filter((atMs) => nowMs - atMs < HOUR_MS);
    this.#begun = this.#begun.filter((atMs) => nowMs - atMs < DAY_MS);
    const lastMs = this.#begun.at(-1);
    return Math.max(
      lastMs === undefined ? 0 : lastMs + LEAST_GAP_MS - nowMs,
      untilFree(this.#failed, MAX_FAILED_AN_HOUR, HOUR_MS) - nowMs,
      untilFree(this.#begun, MAX_A_DAY, DAY_MS) - nowMs,
      0,
    );
  }

  /** One is begun now. It counts as failed until {@link succeeded}. */
  begin(): void {
    this.#begun.push(this.#clock.monotonicMs());
    this.#failed.push(this.#clock.monotonicMs());
  }

  /** The last one that was begun came to stand. */
  succeeded(): void {
    this.#failed.pop();
  }
}

function untilFree(moments: readonly number[], most: number, windowMs: number): number {
  const oldest = moments.at(-most);
  return oldest === undefined ? Number.NEGATIVE_INFINITY : oldest + windowMs;
}
