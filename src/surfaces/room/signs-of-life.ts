import type { Clock } from "../../foundation/clock.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { TypingView } from "./protocol.ts";

interface Sign {
  readonly character: CharacterId;
  readonly place: Place;
  readonly sinceMs: number;
}

/**
 * Which characters are at work, where, and since when (TR-096). Only admitted messages raise one (SE-094), so there are never
 * more than turns at work.
 */
export class SignsOfLife {
  readonly #clock: Clock;
  readonly #signs = new Map<string, Sign>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Raise or end a sign. False when it stood so already. */
  set(character: CharacterId, place: Place, on: boolean): boolean {
    const key = `${character} ${place.id}`;
    if (on === this.#signs.has(key)) return false;
    if (on) this.#signs.set(key, { character, place, sinceMs: this.#clock.nowMs() });
    else this.#signs.delete(key);
    return true;
  }

  /** The signs one person may see: those in public, and in their own private lines. */
  view(person: PrincipalId): readonly TypingView[] {
    return [...this.#signs.values()].filter(({ place }) => concerns(place, person)).map(toView);
  }
}

/** Whether what happens in a place is for a person of the room to know. */
export function concerns(place: Place, person: PrincipalId): boolean {
  return place.kind === "public" || place.person === person;
}

function toView({ character, place, sinceMs }: Sign): TypingView {
  return { character, place: place.kind === "public" ? { kind: "public" } : { kind: "direct", character: place.character }, sinceMs };
}
