import type { Clock } from "../../foundation/clock.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Place } from "../../vocabulary/place.ts";
import { PartitionedTable } from "../1-admission/partitioned-table.ts";

/** One person is told once in so long in one place. */
const PERSON_EVERY_MS = 60_000;
/** And a place hears it so often from the whole crowd, so that many floods are not one more. */
const PLACE_PACE = { burst: 3, everyMs: 20_000 } as const;
const MAX_PEOPLE = 8_192;
const MAX_PLACES = 4_096;

/** Who may be told that a line found no room (MC-052, MC-060): rarely, each person for itself, and no place filled by it. */
export class BusyNotices {
  readonly #clock: Clock;
  readonly #people = new PartitionedTable<RateLimiter>(MAX_PEOPLE);
  readonly #places = new PartitionedTable<RateLimiter>(MAX_PLACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Use the right up, if there is one. `named` says whether an operator named the person (SE-090). */
  tryTake({ place, person }: { readonly place: Place; readonly person: PrincipalId }, named: boolean): boolean {
    const partition = named ? "named" : "free";
    const key = `${place.id}\n${person}`;
    const own = this.#people.get(key) ?? new RateLimiter(this.#clock, { burst: 1, everyMs: PERSON_EVERY_MS });
    this.#people.set(key, own, partition);
    if (!own.tryTake()) return false;
    // A place of its own for each partition: a crowd of guests uses up only what guests are told.
    const shared = `${partition}\n${place.id}`;
    const crowd = this.#places.get(shared) ?? new RateLimiter(this.#clock, PLACE_PACE);
    this.#places.set(shared, crowd, partition);
    return crowd.tryTake();
  }
}
