import type { Clock } from "../../foundation/clock.ts";

/** Discord counts its ids from the first moment of 2015. */
const EPOCH_MS = 1_420_070_400_000n;

/** Makes ids as Discord does: the moment in front, a counter behind, so that later ids are greater. */
export class Snowflakes {
  readonly #clock: Clock;
  #counter = 0n;
  #lastMs = 0n;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The next id, of now or of another moment. Ids of one moment rise. */
  next(atMs: number = this.#clock.nowMs()): string {
    const ms = BigInt(Math.floor(atMs));
    this.#counter = ms === this.#lastMs ? this.#counter + 1n : 0n;
    this.#lastMs = ms;
    return String(((ms - EPOCH_MS) << 22n) + (this.#counter & 0x3f_ffffn));
  }
}

/** When an id was made, in milliseconds since 1970. */
export function momentOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

/** Whether `a` was made after `b`. */
export function isLater(a: string, b: string): boolean {
  return BigInt(a) > BigInt(b);
}
