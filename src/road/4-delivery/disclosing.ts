import type { CharacterId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Turn } from "../../vocabulary/turn.ts";

/** Pairs whose telling is remembered in memory; older ones are asked of the store again. */
const MAX_REMEMBERED = 4_096;

/** The disclosure with an answer: whether it is due, and the line to put under the words; null when they hold it already. */
export interface Due {
  readonly due: boolean;
  readonly line: string | null;
}

const NOT_DUE: Due = { due: false, line: null };

/** What disclosing works with. */
export interface DisclosingNeeds {
  /** The line, from configuration; null for whoever is told elsewhere (the owner at the terminal). */
  readonly lineFor: (turn: Turn) => string | null;
  /** Whether this person was told by this character before, also by an earlier process. */
  readonly told: (person: PrincipalId, character: CharacterId) => boolean;
}

/**
 * Says to whom the disclosure is due: everyone's first line from a character carries it, once, also across restarts (TR-091). That
 * it was told is kept with the answer that told it; a part that failed takes it back.
 */
export class Disclosing {
  readonly #needs: DisclosingNeeds;
  readonly #told = new Set<string>();

  constructor(needs: DisclosingNeeds) {
    this.#needs = needs;
  }

  /** What is due with these words of a turn. */
  dueWith(words: string, turn: Turn): Due {
    const line = this.#needs.lineFor(turn);
    if (line === null || line === "" || this.#isTold(turn)) return NOT_DUE;
    return { due: true, line: words.includes(line) ? null : line };
  }

  #isTold(turn: Turn): boolean {
    if (this.#told.has(keyOf(turn))) return true;
    if (!this.#needs.told(turn.person, turn.character)) return false;
    this.#remember(keyOf(turn));
    return true;
  }

  #remember(key: string): void {
    this.#told.add(key);
    for (const oldest of this.#told) {
      if (this.#told.size <= MAX_REMEMBERED) break;
      this.#told.delete(oldest);
    }
  }
}

function keyOf({ person, character }: Turn): string {
  return `${character} ${person}`;
}
