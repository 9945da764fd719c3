import { waitBeforeReconnect } from "../../../foundation/backoff.ts";
import { randomBytes } from "../../../foundation/random-bytes.ts";

/** Counts the tries of a connection that was lost, and says how long to wait before the next one (TR-055). */
export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  constructor(random: () => number = systemRandom) {
    this.#random = random;
  }

  /** Milliseconds to wait before the next try. */
  next(): number {
    this.#tries += 1;
    return waitBeforeReconnect(this.#tries, this.#random());
  }

  reset(): void {
    this.#tries = 0;
  }
}

function systemRandom(): number {
  return (randomBytes(1)[0] ?? 0) / 255;
}
