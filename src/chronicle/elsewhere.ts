import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId, MessageId } from "../vocabulary/ids.ts";
import type { Withheld } from "../vocabulary/packet.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { WithheldClass } from "./visibility.ts";

interface Ref {
  readonly id: MessageId;
  readonly place: PlaceId;
}

/**
 * What each character witnessed lately, by id and place only: enough for an operator to see that a packet left something out,
 * nothing to leak. It begins empty at each start and feeds no prompt (TR-036: a ring of ids in memory).
 */
export class Elsewhere {
  readonly #perCharacter: number;
  readonly #maxCharacters: number;
  readonly #rings = new Map<CharacterId, Ref[]>();

  constructor(bounds: { readonly perCharacter: number; readonly characters: number }) {
    this.#perCharacter = bounds.perCharacter;
    this.#maxCharacters = bounds.characters;
  }

  /** Note a committed event for its witnesses. */
  note(event: ChronicleEvent): void {
    for (const character of event.witnesses) {
      const ring = this.#rings.get(character) ?? [];
      if (ring.length === 0) this.#makeRoom();
      this.#rings.set(character, ring);
      ring.push({ id: event.id, place: event.place });
      if (ring.length > this.#perCharacter) ring.shift();
    }
  }

  /** What the character witnessed in places other than this one: the newest, oldest of them first. */
  besides(character: CharacterId, place: PlaceId, newest: number): readonly Withheld[] {
    const ring = this.#rings.get(character) ?? [];
    const others: Withheld[] = [];
    for (let back = ring.length - 1; back >= 0 && others.length < newest; back -= 1) {
      const ref = ring[back];
      if (ref !== undefined && ref.place !== place) others.push({ ref: ref.id, class: classOf(ref.place) });
    }
    return others.reverse();
  }

  #makeRoom(): void {
    const oldest = this.#rings.keys().next();
    if (this.#rings.size >= this.#maxCharacters && oldest.done !== true) this.#rings.delete(oldest.value);
  }
}

function classOf(place: PlaceId): WithheldClass {
  return place.startsWith("direct:") ? "other_direct_line" : "other_place";
}
