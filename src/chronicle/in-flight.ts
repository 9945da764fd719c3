import { RuntimeError } from "../foundation/errors.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { PlaceId } from "../vocabulary/place.ts";

/** What a line weighs beside its words. */
const LINE_BYTES = 600;

/**
 * Events whose commit is under way, per place and in the order they were heard, so that a turn that starts at once sees them
 * before they are rows.
 *
 * F1  An event is here from the call of its verb until that verb has settled, so every row that a place gained since the last
 *     settled verb is either unread or here too.
 * F2  Nothing is ever pushed out: which events a packet sees must not depend on traffic elsewhere. A full table refuses.
 * F3  What people say fills at most `bytes` (MC-070); a character's line has room all the same, since few are ever under way.
 */
export class InFlight {
  readonly #bounds: { readonly events: number; readonly bytes: number };
  readonly #places = new Map<PlaceId, Set<ChronicleEvent>>();
  #size = 0;
  #bytes = 0;

  constructor(bounds: { readonly events: number; readonly bytes: number }) {
    this.#bounds = bounds;
  }

  /** Hold an event until the handle is disposed. @throws RuntimeError `capacity` when as many commits are open as may be. */
  hold(event: ChronicleEvent): Disposable {
    const bytes = event.author.kind === "person" ? Buffer.byteLength(event.text) + LINE_BYTES : 0;
    if (this.#size >= this.#bounds.events || (bytes > 0 && this.#bytes + bytes > this.#bounds.bytes))
      throw new RuntimeError("capacity", "Cannot keep an event: too many commits are under way");
    const events = this.#places.get(event.place) ?? new Set<ChronicleEvent>();
    this.#places.set(event.place, events.add(event));
    this.#size += 1;
    this.#bytes += bytes;
    return {
      [Symbol.dispose]: () => {
        if (!events.delete(event)) return;
        this.#size -= 1;
        this.#bytes -= bytes;
        if (events.size === 0 && this.#places.get(event.place) === events) this.#places.delete(event.place);
      },
    };
  }

  /** The events held for a place, in order of hearing. */
  of(place: PlaceId): readonly ChronicleEvent[] {
    return [...(this.#places.get(place) ?? [])];
  }

  /** How many are held in all. */
  get size(): number {
    return this.#size;
  }
}
