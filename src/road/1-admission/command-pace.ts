import type { Clock } from "../../foundation/clock.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { InboxRow } from "../../store/store.ts";
import type { Partition } from "./partitioned-table.ts";
import { PartitionedTable } from "./partitioned-table.ts";

/** Commands, answers and words of control that one person may give in one place: so many at once, then one in so long. */
const PERSON_PACE = { burst: 6, everyMs: 10_000 } as const;
/** And all people of a kind together in a public place. In a direct line there is only one. */
const PLACE_PACE = { burst: 20, everyMs: 3_000 } as const;
const MAX_PEOPLE = 8_192;
const MAX_PLACES = 4_096;

/**
 * Who may give a command now. It costs no call and no reply of the day: who has used up what may be said to a character can still
 * ask what is kept, and have it erased (TR-043). Its own bound keeps a flood of commands from filling a place.
 */
export class CommandPace {
  readonly #clock: Clock;
  readonly #people = new PartitionedTable<RateLimiter>(MAX_PEOPLE);
  readonly #places = new PartitionedTable<RateLimiter>(MAX_PLACES);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Use the right up, if there is one. */
  tryTake({ person, place }: Pick<InboxRow, "person" | "place">, partition: Partition): boolean {
    const own = this.#of(this.#people, `${place.id}\n${person}`, { pace: PERSON_PACE, partition });
    if (!own.tryTake()) return false;
    if (place.kind === "direct") return true;
    // Each kind of people has a pace of its own in a place, so that a crowd of guests uses up only what guests may (SE-090).
    return this.#of(this.#places, `${partition}\n${place.id}`, { pace: PLACE_PACE, partition }).tryTake();
  }

  #of(
    table: PartitionedTable<RateLimiter>,
    key: string,
    { pace, partition }: { readonly pace: { readonly burst: number; readonly everyMs: number }; readonly partition: Partition },
  ): RateLimiter {
    const limiter = table.get(key) ?? new RateLimiter(this.#clock, pace);
    table.set(key, limiter, partition);
    return limiter;
  }
}
