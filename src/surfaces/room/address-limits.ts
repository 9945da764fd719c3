import type { Clock } from "../../foundation/clock.ts";
import type { Caller } from "../../web/caller.ts";
import { networkOf } from "../../web/caller.ts";
import { KeyedLimiter } from "./keyed-limiter.ts";

const MAX_KEYS = 4_096;
/** Names given and invites shown from one network: 10 at once, then one every 6 s (SE-090). */
export const ARRIVALS: { readonly burst: number; readonly everyMs: number } = { burst: 10, everyMs: 6_000 };
/** Requests with no secret, or one that opens nothing: 40 at once, then one a second. */
export const STRANGERS: { readonly burst: number; readonly everyMs: number } = { burst: 40, everyMs: 1_000 };
/** Requests in all: 400 at once, then forty a second; a household behind one address fits. */
const REQUESTS = { burst: 400, everyMs: 25 } as const;

/** How a request from outside is counted. */
export type CountedAs = "request" | "arrival" | "stranger";

/**
 * How much may come from one network. Rooms on loopback count nothing: there everyone has the same address. Networks are counted
 * together (/24, /56), because one person has many addresses of them.
 */
export class AddressLimits {
  readonly #limiters: Readonly<Record<CountedAs, KeyedLimiter>> | null;

  constructor(clock: Clock, isOutside: boolean) {
    const limiter = (rate: { readonly burst: number; readonly everyMs: number }): KeyedLimiter =>
      new KeyedLimiter(clock, { ...rate, maxKeys: MAX_KEYS });
    this.#limiters = isOutside ? { request: limiter(REQUESTS), arrival: limiter(ARRIVALS), stranger: limiter(STRANGERS) } : null;
  }

  /** Count one; false when that network has had its share. */
  take(from: Caller, as: CountedAs): boolean {
    return this.#limiters === null || this.#limiters[as].tryTake(networkOf(from.address));
  }

  /** Milliseconds after which it is worth trying again. */
  static retryAfterMs(as: CountedAs): number {
    return { request: REQUESTS.everyMs, arrival: ARRIVALS.everyMs, stranger: STRANGERS.everyMs }[as];
  }
}
