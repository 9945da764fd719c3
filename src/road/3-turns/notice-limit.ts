import type { Clock } from "../../foundation/clock.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";

const NOTICE_EVERY_MS = 60_000;
const MAX_NOTICE_PLACES = 4_096;

/** One notice a minute and place (MC-060, cases A42): a failing model must not fill a room. */
export function createNoticeLimit(clock: Clock): (place: string) => boolean {
  const places = new Map<string, RateLimiter>();
  return (place) => {
    let limiter = places.get(place);
    if (limiter === undefined) {
      limiter = new RateLimiter(clock, { burst: 1, everyMs: NOTICE_EVERY_MS });
      places.set(place, limiter);
      for (const oldest of places.keys()) {
        if (places.size <= MAX_NOTICE_PLACES) break;
        places.delete(oldest);
      }
    }
    return limiter.tryTake();
  };
}
