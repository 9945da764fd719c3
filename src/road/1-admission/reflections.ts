import { hash } from "node:crypto";
import type { Clock } from "../../foundation/clock.ts";
import type { SenderKind } from "../../vocabulary/inbound.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";
import { sameness } from "./own-words.ts";

/** Texts remembered for each surface (TR-052). */
const CAPACITY = 256;
/** An echo that comes later is somebody's own line. */
const WINDOW_MS = 60_000;
/** A person may well say the few words the character just said; only longer ones are taken for an echo. */
const LEAST_LETTERS_OF_A_PERSON = 12;

/**
 * What was lately said through each surface, as hashes, so that it is not answered when it comes back (MC-021, MC-022, TR-052).
 * Belongs to the road, not to a connection: a reconnect changes nothing. Holds only our own texts, so nobody can push them out.
 */
export class Reflections {
  readonly #clock: Clock;
  readonly #said = new Map<SurfaceName, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Texts that are remembered for a surface. */
  sizeOf(surface: SurfaceName): number {
    return this.#said.get(surface)?.size ?? 0;
  }

  /** A text is about to be said in a place. */
  remember(place: Place, text: string): void {
    const known = sameness(text);
    if (known === "") return;
    const said = this.#saidAt(place.surface);
    const key = keyOf(place, known);
    said.delete(key);
    said.set(key, this.#clock.monotonicMs());
    for (const oldest of said.keys()) {
      if (said.size <= CAPACITY) break;
      said.delete(oldest);
    }
  }

  /** Whether a line repeats what was said in that place within the last minute. */
  isEcho(place: Place, text: string, kind: SenderKind): boolean {
    const said = this.#said.get(place.surface);
    if (said === undefined || said.size === 0) return false;
    const known = sameness(text);
    if (kind === "person" && Array.from(known).length < LEAST_LETTERS_OF_A_PERSON) return false;
    const atMs = said.get(keyOf(place, known));
    return atMs !== undefined && this.#clock.monotonicMs() - atMs <= WINDOW_MS;
  }

  #saidAt(surface: SurfaceName): Map<string, number> {
    const known = this.#said.get(surface);
    if (known !== undefined) return known;
    const said = new Map<string, number>();
    this.#said.set(surface, said);
    return said;
  }
}

function keyOf(place: Place, known: string): string {
  return hash("sha256", `${place.id}\n${known}`, "base64url").slice(0, 22);
}
