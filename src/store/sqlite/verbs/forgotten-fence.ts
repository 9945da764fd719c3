import type { TurnId } from "../../../vocabulary/ids.ts";
import type { Influence } from "../../../vocabulary/label.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";

const MAX_REMEMBERED = 4_096;

/**
 * Keeps words that were being shaped while their author was forgotten out of the record (TR-043, SE-080): a turn that began before
 * the forgetting was over may have had them in its packet, and its answer is never kept.
 */
export class ForgottenFence {
  #step = 0;
  readonly #forgotten = new Map<string, number>();
  readonly #started = new Map<TurnId, number>();

  /** Note that a turn begins. */
  begin(turn: TurnId): void {
    this.#started.set(turn, ++this.#step);
    dropOldest(this.#started);
  }

  /** Note that a turn has ended, however. */
  end(turn: TurnId): void {
    this.#started.delete(turn);
  }

  /** From now on no running turn that this person shaped may be kept; dispose it when nothing of the person is left to read. */
  forget(person: PrincipalId): Disposable {
    this.#forgotten.set(person, Number.MAX_SAFE_INTEGER);
    dropOldest(this.#forgotten);
    return { [Symbol.dispose]: () => void this.#forgotten.set(person, ++this.#step) };
  }

  /** Whether a forgetting of this person is under way. */
  isForgetting(person: PrincipalId): boolean {
    return this.#forgotten.get(person) === Number.MAX_SAFE_INTEGER;
  }

  /** Whether an answer holds words of somebody who was forgotten since its turn began. */
  holdsBack(turn: TurnId, influence: readonly Influence[]): boolean {
    if (this.#forgotten.size === 0) return false;
    const began = this.#started.get(turn) ?? 0;
    return influence.some((whose) => (this.#forgotten.get(whose) ?? -1) > began);
  }
}

function dropOldest<Key>(map: Map<Key, number>): void {
  const oldest = map.keys().next();
  if (map.size > MAX_REMEMBERED && oldest.done !== true) map.delete(oldest.value);
}
