import type { Clock } from "../foundation/clock.ts";
import type { Charge } from "../store/store.ts";
import type { BudgetNotice, BudgetView } from "../vocabulary/budget.ts";
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
 * Whether a message may cost a reply. `scope` says whose budget is used up: the person's own, or the space's; `ofDay` whether it is
 * one of a whole day. `release` gives back what was reserved and never spent, because the line became part of another's turn; once a
 * call has begun it is not used.
 */
export type Reservation =
  | { readonly kind: "reserved"; readonly charges: readonly Charge[]; readonly release: () => void }
  | { readonly kind: "exhausted"; readonly scope: "person" | "space"; readonly key: string; readonly ofDay: boolean };

/** Who asks, and where. */
export interface Asking {
  readonly person: PrincipalId;
  readonly surface: SurfaceName;
  /** Whether an operator named this person (operator, trusted); everyone else draws from the pool of free identities. */
  readonly named: boolean;
  /** A limit of calls a day that the place has beside these; `scope` names its counter, `key` what set it. */
  readonly beside?: CallsLimit;
  /** A further call of a reply that is under way: it is no reply of its own. */
  readonly further?: boolean;
  /** Where the replies of a minute are counted, if the surface has many rooms: without it they are counted for the surface. */
  readonly room?: string;
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
  /** The day's calls of the install and of each of these spaces, as they stand. */
  views(surfaces: readonly SurfaceName[]): readonly BudgetView[];
}

interface Line {
  readonly scope: string;
  /** The space it is of; null for the install and for people. */
  readonly surface: SurfaceName | null;
  readonly windowMs: number;
  readonly limit: number;
  readonly whose: "person" | "space";
  /** Whether it is one of any number of rooms, which anybody may open: they push out only each other and free identities. */
  readonly isRoom?: boolean;
  readonly key: string;
  /** The scope of what free identities drew of it, where they share half; null elsewhere. */
  readonly pool: string | null;
}

/** What budgets stand on. */
export interface BudgetNeeds {
  readonly clock: Clock;
  readonly limits: () => BudgetLimits;
  readonly charged: (scope: string, sinceMs: number) => number;
  /** Told once a day and bound, for the operator (TR-092, SE-090): at four fifths of a day's calls of the install or a space, and when they are used up. */
  readonly notice: (notice: BudgetNotice) => void;
  readonly maxScopes?: number;
}

/** The counters one reply draws on, the person's own first. */
function linesOf({ person, surface, beside, room }: Asking, limits: BudgetLimits): readonly Line[] {
  const own = { surface: null, whose: "person", pool: null } as const;
  return [
    {
      ...own,
      scope: `replies:person:${person}`,
      windowMs: MINUTE_MS,
      limit: limits.repliesPerMinutePerPerson,
      key: key("replies_per_minute_per_person"),
    },
    { ...own, scope: `calls:person:${person}`, windowMs: DAY_MS, limit: limits.callsPerDayPerPerson, key: key("calls_per_day_per_person") },
    {
      scope: `replies:space:${room ?? surface}`,
      surface,
      isRoom: room !== undefined,
      windowMs: MINUTE_MS,
      limit: limits.repliesPerMinutePerRoom,
      key: key("replies_per_minute_per_room"),
      whose: "space",
      pool: `replies:free:${room ?? surface}`,
    },
    spaceLine(surface, limits),
    installLine(limits),
    ...(beside === undefined ? [] : [besideLine(surface, beside)]),
  ];
}

function spaceLine(surface: SurfaceName, limits: BudgetLimits): Line {
  return {
    scope: `calls:space:${surface}`,
    surface,
    windowMs: DAY_MS,
    limit: limits.callsPerDayPerSpace,
    key: key("calls_per_day_per_space"),
    whose: "space",
    pool: `calls:free:${surface}`,
  };
}

function installLine(limits: BudgetLimits): Line {
  return {
    scope: INSTALL,
    surface: null,
    windowMs: DAY_MS,
    limit: limits.callsPerDayInAll,
    key: key("calls_per_day_in_all"),
    whose: "space",
    pool: null,
  };
}

function besideLine(surface: SurfaceName, { scope, perDay, key: setBy }: CallsLimit): Line {
  return { scope, surface, windowMs: DAY_MS, limit: perDay, key: setBy, whose: "space", pool: null };
}

function key(word: string): string {
  return `budgets.${word}`;
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
  const told = new Map<string, { readonly startMs: number; readonly kinds: Set<BudgetNotice["kind"]> }>();
  /** When a named person last drew from a space; as many entries as there are spaces. */
  const namedAtMs = new Map<SurfaceName, number>();
  /** A day's half is kept for named people in any case: whoever comes late in the day must find it. */
  const isContested = (surface: SurfaceName, windowMs: number): boolean =>
    windowMs === DAY_MS || needs.clock.nowMs() - (namedAtMs.get(surface) ?? Number.NEGATIVE_INFINITY) < NAMED_STAYS_MS;

  /** Once a day; a process that finds so much used when it starts was told by the one before. */
  const tell = (kind: BudgetNotice["kind"], { line, window }: Counted): void => {
    if (line.whose !== "space" || line.windowMs !== DAY_MS) return;
    const known = told.get(line.scope);
    const kinds = known?.startMs === window.startMs ? known.kinds : new Set<BudgetNotice["kind"]>();
    told.set(line.scope, { startMs: window.startMs, kinds });
    if (kinds.has(kind)) return;
    kinds.add(kind);
    const before = kind === "near" ? isNear(window.before, line.limit) : window.before >= line.limit;
    if (!before) needs.notice({ kind, key: line.key, surface: line.surface });
  };

  return {
    reserve(asking) {
      const table = asking.named ? "named" : "free";
      const lines = linesOf(asking, needs.limits()).filter(({ windowMs }) => asking.further !== true || windowMs === DAY_MS);
      const counted = lines.map((line): Counted => {
        const where = line.isRoom === true ? "free" : line.whose === "space" ? "space" : table;
        return { line, window: counters.window(line.scope, line.windowMs, where) };
      });
      if (asking.named) namedAtMs.set(asking.surface, needs.clock.nowMs());
      const full = counted.find(({ line, window }) => window.used + 1 > line.limit);
      if (full !== undefined) {
        tell("spent", full);
        return { kind: "exhausted", scope: full.line.whose, key: full.line.key, ofDay: full.line.windowMs === DAY_MS };
      }
      const drawing = asking.named ? [] : drawingsOf(counters, counted);
      for (const { line, pool, unknown } of drawing) {
        const own = pool.ownOf(asking.person, unknown);
        const contested = isContested(asking.surface, line.windowMs);
        const verdict = judgeDraw({ limit: line.limit, contested, drawn: pool.drawn, own, people: pool.peopleWith(asking.person) });
        if (verdict !== "drawn")
          return { kind: "exhausted", scope: verdict === "share" ? "person" : "space", key: line.key, ofDay: line.windowMs === DAY_MS };
      }
      const reservation = reserved(asking.person, counted, drawing);
      for (const one of counted) if (isNear(one.window.used, one.line.limit)) tell("near", one);
      return reservation;
    },
    views(surfaces) {
      const limits = needs.limits();
      const lines = [installLine(limits), ...surfaces.map((surface) => spaceLine(surface, limits))];
      return lines.map((line) => viewOf(line, counters.window(line.scope, DAY_MS, "space")));
    },
  };
}

function isNear(used: number, limit: number): boolean {
  return limit > 0 && 5 * used >= 4 * limit;
}

function viewOf({ key, surface, limit }: Line, { used, startMs }: Window): BudgetView {
  const state = used >= limit ? "spent" : isNear(used, limit) ? "near" : "ok";
  return { key, surface, unit: "calls", limit, used, reserved: 0, resetsAtMs: startMs + DAY_MS, state };
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
