import { randomBytes } from "../../foundation/random-bytes.ts";

const FIRST_MS = 1_000;
const MOST_MS = 60_000;
const SPREAD = 0.2;

/** Waits between tries: one second, doubled up to a minute, a fifth more or less so that many do not come back at once (TR-055). */
export class Backoff {
  readonly #random: () => number;
  #tries = 0;

  constructor(random: () => number = systemRandom) {
    this.#random = random;
  }

  /** Milliseconds to wait before the next try. */
  next(): number {
    const plain = Math.min(MOST_MS, FIRST_MS * 2 ** this.#tries);
    this.#tries = Math.min(this.#tries + 1, 16);
    return Math.round(plain * (1 + SPREAD * (2 * this.#random() - 1)));
  }

  reset(): void {
    this.#tries = 0;
  }
}

function systemRandom(): number {
  return (randomBytes(1)[0] ?? 0) / 255;
}
