import type { TurnId } from "../../vocabulary/ids.ts";
import type { Turn } from "../../vocabulary/turn.ts";

/**
 * Turns at work, by character and place. A command runs beside the turn that speaks (TR-007), so a sign of life is there from the
 * first that begins until the last that ends: no turn takes another one's away (TR-096).
 */
export class Signs {
  readonly #atWork = new Map<string, Set<TurnId>>();

  /** Note that a turn began or ended; true when the sign of its character and place changes with it. */
  turn({ id, character, place }: Turn, on: boolean): boolean {
    const key = `${character}\n${place.id}`;
    const turns = this.#atWork.get(key) ?? new Set<TurnId>();
    const before = turns.size;
    if (on) turns.add(id);
    else turns.delete(id);
    if (turns.size === 0) this.#atWork.delete(key);
    else this.#atWork.set(key, turns);
    return (before === 0) !== (turns.size === 0);
  }
}
