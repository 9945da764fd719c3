import type { Clock } from "../foundation/clock.ts";
import type { Charge } from "../store/store.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import type { PoolWindow, Window } from "./counters.ts";
import { Counters } from "./counters.ts";
import { judgeDraw } from "./pool.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A named person who spoke in a space so lately may do so again: the half is theirs. */
const NAMED_STAYS_MS = 60 * MINUTE_MS;
const MAX_SCOPES = 16_384;
/** The counter of the whole install; its limit is `budgets.calls_per_day_in_all`. */
const INSTALL = "calls:install";

/** The budgets of a moment, from configuration (TR-024, TR-058, SE-090). */
export interface BudgetLimits {
  readonly repliesPerMinutePerRoom: number;
  readonly repliesPerMinutePerPerson: number;
  readonly callsPerDayPerPerson: number;
  readonly callsPerDayPerSpace: number;
  readonly callsPerDayInAll: number;
}

/**
 * Whether a message may cost a reply. `scope` says whose budget is used up: the person's own, or the space's. `release` gives back
 * what was reserved and never spent, because the line became part of another's turn; once a call has begun it is not used.
 */
export type Reservation =
  | { readonly kind: "reserved"; readonly charges: readonly Charge[]; readonly release: () => void }
  | { readonly kind: "exhausted"; readonly scope: "person" | "space"; readonly key: string };

/** Who asks, and where. */
export interface Asking {
  readonly person: PrincipalId;
  readonly surface: SurfaceName;
  /** Whether an operator named this person (operator, trusted); everyone else draws from the pool of free identities. */
  readonly named: boolean;
  /** A limit of calls a day that the place has beside these; `scope` names its counter, `key` what set it. */
  readonly beside?: CallsLimit;
}

/** A limit of model calls a day that one place has for itself. */
export interface CallsLimit {
  readonly scope: string;
  readonly perDay: number;
  readonly key: string;
}

/** Reserves before the work (a kill gives nothing back). Counters are kept in memory and written with each start. */
export interface Budgets {
  reserve(asking: Asking): Reservation;
}

interface Line {
  readonly scope: string;
  readonly windowMs: number;
  readonly limit: number;
  readonly whose: "person" | "space";
  readonly key: string;
  /** The scope of what free identities drew of it, where they share half; null elsewhere. */
  readonly pool: string | null;
}

/** What budgets stand on. */
export interface BudgetNeeds {
  readonly clock: Clock;
  readonly limits: () => BudgetLimits;
  readonly charged: (scope: string, sinceMs: number) => number;
  /** The install's daily calls are spent: called once a day, for the operator (SE-090). */
  readonly installSpent: () => void;
  readonly maxScopes?: number;
}

/** The counters one reply draws on, the person's own first. */
function linesOf({ person, surface, beside }: Asking, limits: BudgetLimits): readonly Line[] {
  const line = (scope: string, windowMs: number, limit: number, key: string): Omit<Line, "whose" | "pool"> => ({
    scope,
    windowMs,
    limit,
    key: `budgets.${key}`,
  });
  const { repliesPerMinutePerPerson, callsPerDayPerPerson, repliesPerMinutePerRoom, callsPerDayPerSpace, callsPerDayInAll } = limits;
  const own = { whose: "person", pool: null } as const;
  return [
    { ...line(`replies:person:${person}`, MINUTE_MS, repliesPerMinutePerPerson, "replies_per_minute_per_person"), ...own },
    { ...line(`calls:person:${person}`, DAY_MS, callsPerDayPerPerson, "calls_per_day_per_person"), ...own },
    {
      ...line(`replies:space:${surface}`, MINUTE_MS, repliesPerMinutePerRoom, "replies_per_minute_per_room"),
      whose: "space",
      pool: `replies:free:${surface}`,
    },
    {
      ...line(`calls:space:${surface}`, DAY_MS, callsPerDayPerSpace, "calls_per_day_per_space"),
      whose: "space",
      pool: `calls:free:${surface}`,
    },
    { ...line(INSTALL, DAY_MS, callsPerDayInAll, "calls_per_day_in_all"), whose: "space", pool: null },
    ...(beside === undefined
      ? []
      : [{ scope: beside.scope, windowMs: DAY_MS, limit: beside.perDay, key: beside.key, whose: "space", pool: null } as const]),
  ];
}

interface Counted {
  readonly line: Line;
  readonly window: Window;
}

interface Drawing {
  readonly line: Line;
  readonly pool: PoolWindow;
  readonly scope: string;
  /** What the one who asks drew before this process could see it. */
  readonly unknown: number;
}

/**
 * Make the budgets. Day counters are read from `charged` when first met, so that a restart forgets nothing; minute counters start
 * empty. People's counters are bounded by `maxScopes`, half of them for named people, so that a flood of free identities pushes
 * out only counters of its own kind; a day counter that went is read again.
 */
export function createBudgets(needs: BudgetNeeds): Budgets {
  const counters = new Counters({ clock: needs.clock, charged: needs.charged, maxScopes: needs.maxScopes ?? MAX_SCOPES });
  let toldOfMs = -1;
  /** When a named person last drew from a space; as many entries as there are spaces. */
  const namedAtMs = new Map<SurfaceName, number>();
  /** A day's half is kept for named people in any case: whoever comes late in the day must find it. */
  const isContested = (surface: SurfaceName, windowMs: number): boolean =>
    windowMs === DAY_MS || needs.clock.nowMs() - (namedAtMs.get(surface) ?? Number.NEGATIVE_INFINITY) < NAMED_STAYS_MS;

  /** The operator is told once a day; a process that finds the ceiling reached when it starts was told by the one before. */
  const tell = ({ line, window }: Counted): void => {
    if (line.scope !== INSTALL || toldOfMs === window.startMs) return;
    toldOfMs = window.startMs;
    if (window.before < line.limit) needs.installSpent();
  };

  return {
    reserve(asking) {
      const table = asking.named ? "named" : "free";
      const counted = linesOf(asking, needs.limits()).map((line): Counted => {
        return { line, window: counters.window(line.scope, line.windowMs, line.whose === "space" ? "space" : table) };
      });
      if (asking.named) namedAtMs.set(asking.surface, needs.clock.nowMs());
      const full = counted.find(({ line, window }) => window.used + 1 > line.limit);
      if (full !== undefined) {
        tell(full);
        return { kind: "exhausted", scope: full.line.whose, key: full.line.key };
      }
      const drawing = asking.named ? [] : drawingsOf(counters, counted);
      for (const { line, pool, unknown } of drawing) {
        const own = pool.ownOf(asking.person, unknown);
        const contested = isContested(asking.surface, line.windowMs);
        const verdict = judgeDraw({ limit: line.limit, contested, drawn: pool.drawn, own, people: pool.peopleWith(asking.person) });
        if (verdict !== "drawn") return { kind: "exhausted", scope: verdict === "share" ? "person" : "space", key: line.key };
      }
      return reserved(asking.person, counted, drawing);
    },
  };
}

/**
 * The pools a free identity draws from. What it drew is counted exactly while the process runs; what it drew in a day before that
 * counts as all the calls it had that day.
 */
function drawingsOf(counters: Counters, counted: readonly Counted[]): readonly Drawing[] {
  const mine = counted.find(({ line }) => line.whose === "person" && line.windowMs === DAY_MS)?.window.before ?? 0;
  return counted.flatMap(({ line }) => {
    if (line.pool === null) return [];
    const pool = counters.pool(line.pool, line.windowMs);
    return [{ line, pool, scope: line.pool, unknown: Math.min(mine, pool.before) }];
  });
}

function reserved(person: PrincipalId, counted: readonly Counted[], drawing: readonly Drawing[]): Reservation {
  for (const { window } of counted) window.used += 1;
  for (const { pool, unknown } of drawing) pool.draw(person, unknown);
  // Minute windows are worth nothing after a restart; only the day is written.
  const isDaily = ({ line }: { readonly line: Line }): boolean => line.windowMs === DAY_MS;
  const charge = (scope: string, windowStartMs: number): Charge => ({ scope, windowStartMs, amount: 1 });
  let held = true;
  return {
    kind: "reserved",
    charges: [
      ...counted.filter(isDaily).map(({ line, window }) => charge(line.scope, window.startMs)),
      ...drawing.filter(isDaily).map(({ scope, pool }) => charge(scope, pool.startMs)),
    ],
    release() {
      if (!held) return;
      held = false;
      for (const { window } of counted) window.used -= 1;
      for (const { pool } of drawing) pool.giveBack(person);
    },
  };
}
