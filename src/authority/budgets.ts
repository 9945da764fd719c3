import type { Clock } from "../foundation/clock.ts";
import type { Charge } from "../store/store.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MAX_SCOPES = 16_384;

/** The budgets of a moment, from configuration (TR-024, TR-058). */
export interface BudgetLimits {
  readonly repliesPerMinutePerRoom: number;
  readonly repliesPerMinutePerPerson: number;
  readonly callsPerDayPerPerson: number;
  readonly callsPerDayPerSpace: number;
}

/** Whether a message may cost a reply. `scope` says whose budget is used up: the person's own, or the space's. */
export type Reservation =
  | { readonly kind: "reserved"; readonly charges: readonly Charge[] }
  | { readonly kind: "exhausted"; readonly scope: "person" | "space"; readonly key: string };

/** Reserves before the work and never gives back (a kill must not refund). Counters are kept in memory and written with each start. */
export interface Budgets {
  reserve(person: PrincipalId, surface: SurfaceName): Reservation;
}

interface Counter {
  readonly windowStartMs: number;
  used: number;
}

interface Line {
  readonly scope: string;
  readonly windowMs: number;
  readonly limit: number;
  readonly whose: "person" | "space";
  readonly key: string;
}

/** The four counters one reply draws on. */
function linesOf(person: PrincipalId, surface: SurfaceName, limits: BudgetLimits): readonly Line[] {
  const line = (scope: string, windowMs: number, limit: number, key: string): Line => ({
    scope,
    windowMs,
    limit,
    whose: scope.includes(":person:") ? "person" : "space",
    key: `budgets.${key}`,
  });
  return [
    line(`replies:person:${person}`, MINUTE_MS, limits.repliesPerMinutePerPerson, "replies_per_minute_per_person"),
    line(`replies:space:${surface}`, MINUTE_MS, limits.repliesPerMinutePerRoom, "replies_per_minute_per_room"),
    line(`calls:person:${person}`, DAY_MS, limits.callsPerDayPerPerson, "calls_per_day_per_person"),
    line(`calls:space:${surface}`, DAY_MS, limits.callsPerDayPerSpace, "calls_per_day_per_space"),
  ];
}

/**
 * Make the budgets. Day counters are read from `charged` when first met, so that a restart forgets nothing; minute counters
 * start empty. At most `maxScopes` counters are kept; the oldest windows go first, and a day counter that went is read again.
 */
export function createBudgets(needs: {
  clock: Clock;
  limits: () => BudgetLimits;
  charged: (scope: string, sinceMs: number) => number;
  maxScopes?: number;
}): Budgets {
  const counters = new Map<string, Counter>();
  const maxScopes = needs.maxScopes ?? MAX_SCOPES;

  const counterOf = ({ scope, windowMs }: Line): Counter => {
    const windowStartMs = Math.floor(needs.clock.nowMs() / windowMs) * windowMs;
    const known = counters.get(scope);
    if (known !== undefined && known.windowStartMs === windowStartMs) return known;
    const counter: Counter = { windowStartMs, used: windowMs === DAY_MS ? needs.charged(scope, windowStartMs) : 0 };
    counters.delete(scope);
    counters.set(scope, counter);
    for (const oldest of counters.keys()) {
      if (counters.size <= maxScopes) break;
      counters.delete(oldest);
    }
    return counter;
  };

  return {
    reserve(person, surface) {
      const counted = linesOf(person, surface, needs.limits()).map((line) => ({ line, counter: counterOf(line) }));
      const full = counted.find(({ line, counter }) => counter.used + 1 > line.limit);
      if (full !== undefined) return { kind: "exhausted", scope: full.line.whose, key: full.line.key };
      for (const { counter } of counted) counter.used += 1;
      // Minute windows are worth nothing after a restart; only the day is written.
      const charges = counted
        .filter(({ line }) => line.windowMs === DAY_MS)
        .map(({ line, counter }) => ({ scope: line.scope, windowStartMs: counter.windowStartMs, amount: 1 }));
      return { kind: "reserved", charges };
    },
  };
}
