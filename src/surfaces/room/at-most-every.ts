import type { Clock } from "../../foundation/clock.ts";

/** Runs an action at once when it is asked for, then at most once in each interval for as long as it is asked again. It ends when disposed. */
export class AtMostEvery implements Disposable {
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #action: () => void;
  #timer: Disposable | null = null;
  #asked = false;

  constructor(clock: Clock, everyMs: number, action: () => void) {
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#action = action;
  }

  /** Have the action run, now or at the end of the interval that is under way. */
  ask(): void {
    if (this.#timer !== null) {
      this.#asked = true;
      return;
    }
    this.#timer = this.#clock.after(this.#everyMs, () => {
      this.#timer = null;
      if (!this.#asked) return;
      this.#asked = false;
      this.ask();
    });
    this.#action();
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = null;
  }
}
