import type { Clock } from "../../foundation/clock.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import { Semaphore } from "../../foundation/semaphore.ts";
import type { SurfaceProfile } from "../../surfaces/surface.ts";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Place } from "../../vocabulary/place.ts";

/** Places whose pace is remembered; the one unused for longest goes first, and starts with a full burst when it comes back. */
const MAX_PLACES = 4_096;
const MAX_WAITING = 1_024;

interface Floor {
  readonly limiter: RateLimiter;
  readonly turn: Semaphore;
}

/** Who may speak in a place, and how fast (TR-054): public and direct lines apart, each place by itself. */
export class Pacing {
  readonly #clock: Clock;
  readonly #profile: (surface: SurfaceName) => SurfaceProfile["pacing"] | undefined;
  readonly #floors = new Map<string, Floor>();

  constructor(clock: Clock, profile: (surface: SurfaceName) => SurfaceProfile["pacing"] | undefined) {
    this.#clock = clock;
    this.#profile = profile;
  }

  /** Wait for the floor of a place and for the pace of one part; dispose it to let the next turn speak. */
  async takeFloor(place: Place, signal: AbortSignal): Promise<Disposable> {
    const floor = this.#floorOf(place);
    const held = await floor.turn.acquire(signal);
    try {
      await floor.limiter.take(signal);
    } catch (error) {
      held[Symbol.dispose]();
      throw error;
    }
    return held;
  }

  /** Wait for the pace of one more part; the caller holds the floor. */
  pace(place: Place, signal: AbortSignal): Promise<void> {
    return this.#floorOf(place).limiter.take(signal);
  }

  /** Take the pace of one more part if there is no wait. */
  tryPace(place: Place): boolean {
    return this.#floorOf(place).limiter.tryTake();
  }

  #floorOf(place: Place): Floor {
    const known = this.#floors.get(place.id);
    if (known !== undefined) {
      this.#floors.delete(place.id);
      this.#floors.set(place.id, known);
      return known;
    }
    const pace = this.#profile(place.surface)?.[place.kind] ?? { burst: 1, everyMs: 1_500 };
    const floor: Floor = { limiter: new RateLimiter(this.#clock, pace), turn: new Semaphore(1, MAX_WAITING) };
    this.#floors.set(place.id, floor);
    for (const oldest of this.#floors.keys()) {
      if (this.#floors.size <= MAX_PLACES) break;
      this.#floors.delete(oldest);
    }
    return floor;
  }
}
