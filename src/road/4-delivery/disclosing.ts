import type { CharacterId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Turn } from "../../vocabulary/turn.ts";

/** Pairs whose telling is remembered in memory; older ones are asked of the store again. */
const MAX_REMEMBERED = 4_096;

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

  /** The line that must stand under this turn's words; null when it is not due. */
  dueFor(turn: Turn): string | null {
    const line = this.#needs.lineFor(turn);
    if (line === null || line === "" || this.#told.has(keyOf(turn))) return null;
    if (!this.#needs.told(turn.person, turn.character)) return line;
    this.#remember(keyOf(turn));
    return null;
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
