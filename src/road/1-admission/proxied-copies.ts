import type { Clock } from "../../foundation/clock.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import { sameness } from "./own-words.ts";

const WINDOW_MS = 15_000;
const MAX_LINES = 64;
const MAX_LETTERS = 512;

interface Line {
  readonly place: PlaceId;
  readonly letters: string;
  readonly atMs: number;
}

/**
 * Lines of people that were just admitted, so that a proxy's copy under another account is no second turn (cases A14). Looked at
 * only for bots' lines, and only where bots are answered at all.
 */
export class ProxiedCopies {
  readonly #clock: Clock;
  readonly #lines: Line[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  remember(place: PlaceId, text: string): void {
    this.#lines.push({ place, letters: sameness(text).slice(0, MAX_LETTERS), atMs: this.#clock.monotonicMs() });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
  }

  /** Whether a bot's line says what a person's line here said a moment ago; a proxy takes its own marks off either end. */
  isCopy(place: PlaceId, text: string): boolean {
    const letters = sameness(text).slice(0, MAX_LETTERS);
    const nowMs = this.#clock.monotonicMs();
    return this.#lines.some((line) => line.place === place && nowMs - line.atMs <= WINDOW_MS && isMostOf(letters, line.letters));
  }
}

function isMostOf(copy: string, original: string): boolean {
  if (copy === "" || copy.length * 2 < original.length) return false;
  return original.startsWith(copy) || original.endsWith(copy);
}
