import type { Clock } from "../src/foundation/clock.ts";
import type { Inbox, Surface, SurfaceProfile } from "../src/surfaces/surface.ts";
import type { SurfaceName } from "../src/vocabulary/ids.ts";
import { parseCharacterId, parseSurfaceName } from "../src/vocabulary/ids.ts";
import type { Heard } from "../src/vocabulary/inbound.ts";
import type { Part, SendOutcome } from "../src/vocabulary/part.ts";
import type { Place } from "../src/vocabulary/place.ts";
import { directPlace, publicPlace } from "../src/vocabulary/place.ts";
import type { PrincipalId } from "../src/vocabulary/principal.ts";

const HARBOUR = parseSurfaceName("harbour");
const MIRELLE = parseCharacterId("mirelle");

/** The direct line of a person of the bench. */
export const lineOf = (person: PrincipalId): Place => directPlace(HARBOUR, MIRELLE, person);

/** A surface that takes every part at once, holds no line back, and tells who waits for a part. */
export class InstantSurface implements Surface {
  readonly name: SurfaceName = HARBOUR;
  readonly kind = "bench";
  readonly profile: SurfaceProfile = {
    limits: { maxCodePoints: 2_000 },
    readsBack: true,
    pacing: { public: { burst: 1e9, everyMs: 1 }, direct: { burst: 1e9, everyMs: 1 } },
    timing: { quietMs: 0, holdMs: 0, fragments: 1 },
    keepsAmbient: false,
  };
  /** Called for each part as it is handed over. */
  onPart: (part: Part) => void = () => {};
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  #inbox: Inbox | null = null;
  #deliveries = 0;

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Hand in one line a person says to the character in their direct line. Resolves once it is durable. */
  whisper(person: PrincipalId, text: string = "Mirelle, when does the ferry run this evening?"): Promise<Heard> {
    return this.#hear(person, lineOf(person), text);
  }

  /** Hand in one line that is said in public and to nobody here. Resolves once the decision on it is durable. */
  overhear(person: PrincipalId, text: string = "I left my umbrella on the ferry again."): Promise<Heard> {
    return this.#hear(person, publicPlace(HARBOUR), text);
  }

  open(inbox: Inbox): Promise<void> {
    this.#inbox = inbox;
    return Promise.resolve();
  }

  send(part: Part): Promise<SendOutcome> {
    this.onPart(part);
    return Promise.resolve({ kind: "delivered", platformId: part.id });
  }

  readBack(): Promise<{ kind: "absent" }> {
    return Promise.resolve({ kind: "absent" });
  }

  typing(): void {}

  [Symbol.asyncDispose](): Promise<void> {
    return Promise.resolve();
  }

  #hear(person: PrincipalId, place: Place, text: string): Promise<Heard> {
    if (this.#inbox === null) return Promise.reject(new Error("the surface is not open"));
    this.#deliveries += 1;
    return this.#inbox.hear(
      {
        surface: HARBOUR,
        deliveryId: `d${this.#deliveries}`,
        atMs: this.#clock.nowMs(),
        sender: { principal: person, displayName: `Person ${person.slice(-6)}`, kind: "person", assurance: "platform" },
        place,
        alone: false,
        text,
      },
      this.#signal,
    );
  }
}
