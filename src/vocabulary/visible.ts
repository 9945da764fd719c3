import { RuntimeError } from "../foundation/errors.ts";
import type { ChronicleEvent } from "./event.ts";
import type { CharacterId } from "./ids.ts";
import type { Place } from "./place.ts";

const MINT = Symbol("visible");

/**
 * Events that one character may use in front of the readers of one destination: the only input type of whatever folds, ranks
 * or prints conversation (TR-030). Minted by `chronicle/` alone; a look-alike has no `#events` and is refused.
 */
export class Visible {
  readonly #events: readonly ChronicleEvent[];
  readonly character: CharacterId;
  readonly destination: Place;

  constructor(mint: symbol, character: CharacterId, destination: Place, events: readonly ChronicleEvent[]) {
    if (mint !== MINT || new.target !== Visible) throw new RuntimeError("forged", "Cannot make a Visible: only the chronicle may");
    this.#events = Object.freeze(events.map((event) => (Object.isFrozen(event) ? event : Object.freeze({ ...event }))));
    this.character = character;
    this.destination = destination;
    Object.freeze(this);
  }

  /** The events of a genuine value, oldest first. @throws RuntimeError `forged` */
  static eventsOf(value: Visible): readonly ChronicleEvent[] {
    if (!(#events in value)) throw new RuntimeError("forged", "Cannot read a Visible: it was not minted by the chronicle");
    return value.#events;
  }
}

/** Mint a {@link Visible}. Only `chronicle/` may import this (architecture test). The caller has filtered the events. */
export function mintVisible(character: CharacterId, destination: Place, events: readonly ChronicleEvent[]): Visible {
  return new Visible(MINT, character, destination, events);
}
