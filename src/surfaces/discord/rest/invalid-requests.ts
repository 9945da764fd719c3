import type { Clock } from "../../../foundation/clock.ts";

/** Discord shuts an address out after 10,000 refused requests in ten minutes; a tenth of that is a fault of ours. */
export const MAX_INVALID_REQUESTS = 1_000;
const WINDOW_MS = 10 * 60_000;

/** Counts requests that were refused (401, 403, 429 of our own making), so that nothing is asked any more long before we are shut out. */
export class InvalidRequests {
  readonly #clock: Clock;
  readonly #max: number;
  #startMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(clock: Clock, max: number = MAX_INVALID_REQUESTS) {
    this.#clock = clock;
    this.#max = max;
  }

  note(): void {
    this.#turn();
    this.#count += 1;
  }

  /** Milliseconds until requests are made again; 0 while they are. */
  get waitMs(): number {
    this.#turn();
    return this.#count < this.#max ? 0 : this.#startMs + WINDOW_MS - this.#clock.monotonicMs();
  }

  #turn(): void {
    if (this.#clock.monotonicMs() - this.#startMs < WINDOW_MS) return;
    this.#startMs = this.#clock.monotonicMs();
    this.#count = 0;
  }
}
