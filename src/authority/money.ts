import { orAbort } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import type { Store } from "../store/store.ts";
import type { BudgetNotice, BudgetView } from "../vocabulary/budget.ts";
import type { CallEstimate, CallMeter, CallReservation } from "../vocabulary/call-meter.ts";
import { costMicros } from "../vocabulary/cost.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { SpendAmounts } from "../vocabulary/spending.ts";
import { PoolWindow } from "./counters.ts";
import type { DrawVerdict } from "./pool.ts";
import { judgeDraw } from "./pool.ts";

const DAY_MS = 86_400_000;
const IN_ALL = "budgets.money_per_day_in_all";
const PER_SPACE = "budgets.money_per_day_per_space";

/** The money of a day, in millionths; null for no bound. */
export interface MoneyLimits {
  readonly moneyPerDayInAllMicros: number | null;
  readonly moneyPerDayPerSpaceMicros: number | null;
}

/** Whose call it is, and where it is spent. */
export interface Payer {
  readonly person: PrincipalId;
  readonly surface: SurfaceName;
  readonly character: CharacterId;
}

/** The money of the day: set aside before each call at the most it may come to, settled by what it came to (TR-092, SE-090). */
export interface Money {
  /** The bound that leaves nothing for this person in this space; null while there is something left. */
  refusal(person: PrincipalId, surface: SurfaceName): MoneyRefusal | null;
  /** Stands before each call that this payer's turn makes. */
  meterFor(payer: Payer): CallMeter;
  /** The bounds as they stand: in all, then each of these spaces. */
  views(surfaces: readonly SurfaceName[]): readonly BudgetView[];
}

/** Which bound leaves nothing, and whose: the space's, or one free identity's own share of it. */
export interface MoneyRefusal {
  readonly key: string;
  readonly scope: "person" | "space";
}

/** What money stands on. */
export interface MoneyNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly limits: () => MoneyLimits;
  readonly store: Pick<Store, "spend"> & { readonly read: Pick<Store["read"], "spent" | "spenders"> };
  /** Whether an operator named this person; all others together have half of a bound (SE-090). */
  readonly isNamed: (person: PrincipalId) => boolean;
  readonly log: Pick<Log, "failure">;
  /** Told once a day and bound: at four fifths, and when a call no longer fits. */
  readonly notice: (notice: BudgetNotice) => void;
}

/** What one scope has of one day. */
interface Purse {
  readonly dayMs: number;
  readonly key: string;
  readonly surface: SurfaceName | null;
  /** Settled, or left over from before this process. */
  settled: number;
  reserved: number;
  /** What of it free identities have, set aside or spent. */
  readonly free: PoolWindow;
  readonly told: Set<BudgetNotice["kind"]>;
}

/**
 * Make the money of the day. What an earlier process spent or set aside is read from the store when first met, so that a restart
 * forgets nothing, and what a kill left open stays spent.
 */
export function createMoney(needs: MoneyNeeds): Money {
  return new DailyMoney(needs);
}

class DailyMoney implements Money {
  readonly #needs: MoneyNeeds;
  readonly #purses = new Map<SurfaceName | null, Purse>();

  constructor(needs: MoneyNeeds) {
    this.#needs = needs;
  }

  refusal(person: PrincipalId, surface: SurfaceName): MoneyRefusal | null {
    const limits = this.#needs.limits();
    for (const purse of [this.#purseOf(null), this.#purseOf(surface)]) {
      const limit = limitOf(purse, limits);
      if (limit === null) continue;
      if (reaches("spent", purse, limit)) return { key: purse.key, scope: "space" };
      const drawn = this.#needs.isNamed(person) ? "drawn" : judgeFree(purse, { limit, person, amount: 1 });
      if (drawn !== "drawn") return { key: purse.key, scope: drawn === "share" ? "person" : "space" };
    }
    return null;
  }

  meterFor(payer: Payer): CallMeter {
    return { reserve: (call, signal) => this.#reserve(payer, call, signal) };
  }

  views(surfaces: readonly SurfaceName[]): readonly BudgetView[] {
    const limits = this.#needs.limits();
    return [null, ...surfaces].map((surface) => viewOf(this.#purseOf(surface), limitOf(this.#purseOf(surface), limits)));
  }

  #purseOf(surface: SurfaceName | null): Purse {
    const { clock, store, limits } = this.#needs;
    const dayMs = Math.floor(clock.nowMs() / DAY_MS) * DAY_MS;
    const known = this.#purses.get(surface);
    if (known?.dayMs === dayMs) return known;
    const key = surface === null ? IN_ALL : PER_SPACE;
    const settled = store.read.spent(dayMs, surface);
    const purse: Purse = { dayMs, key, surface, settled, reserved: 0, free: this.#freeBefore(dayMs, surface), told: new Set() };
    // Whoever ran before has told of it already.
    for (const kind of ["near", "spent"] as const) if (reaches(kind, purse, limitOf(purse, limits()))) purse.told.add(kind);
    this.#purses.set(surface, purse);
    return purse;
  }

  /** What free identities had of a day before this process met it; who is named is judged by what holds now. */
  #freeBefore(dayMs: number, surface: SurfaceName | null): PoolWindow {
    const { store, isNamed } = this.#needs;
    const free = new PoolWindow(dayMs, 0);
    for (const { person, micros } of store.read.spenders(dayMs, surface)) if (!isNamed(person)) free.draw(person, 0, micros);
    return free;
  }

  async #reserve(payer: Payer, call: CallEstimate, signal: AbortSignal): Promise<CallReservation> {
    const all = this.#purseOf(null);
    const both = [all, this.#purseOf(payer.surface)];
    const most = mostOf(call);
    const isFree = !this.#needs.isNamed(payer.person);
    this.#setAside(both, { most, free: isFree ? payer.person : null });
    const unpricedCalls = call.price === null ? 1 : 0;
    const keep = (row: SpendAmounts): Promise<void> => this.#needs.store.spend({ ...payer, dayMs: all.dayMs, model: call.by, ...row });
    const kept = keep({ ...NOTHING, calls: 1, reservedMicros: most, unpricedCalls });
    // Where nothing is at stake no call waits for a commit.
    if (most > 0) await orAbort(kept, signal);
    else this.#watch(kept);
    let open = true;
    return {
      settle: (came) => {
        if (!open) return;
        open = false;
        const costMicros = came?.costMicros ?? 0;
        for (const purse of both) {
          if (isFree) purse.free.giveBack(payer.person, most - costMicros);
          this.#settle(purse, most, costMicros);
        }
        const given = { ...NOTHING, calls: -1, reservedMicros: -most, unpricedCalls: -unpricedCalls };
        const { promptTokens = 0, completionTokens = 0 } = came?.usage ?? {};
        this.#watch(keep(came === null ? given : { ...NOTHING, promptTokens, completionTokens, costMicros, reservedMicros: -most }));
      },
    };
  }

  /** Set aside in both purses or in none. */
  #setAside(both: readonly Purse[], { most, free }: { readonly most: number; readonly free: PrincipalId | null }): void {
    const limits = this.#needs.limits();
    for (const purse of both) {
      const limit = limitOf(purse, limits);
      if (limit === null || most === 0) continue;
      if (purse.settled + purse.reserved + most > limit) {
        this.#tell("spent", purse);
        throw new RuntimeError("budget_spent", "Cannot ask the model: the money of the day does not reach for it");
      }
      if (free !== null && judgeFree(purse, { limit, person: free, amount: most }) !== "drawn")
        throw new RuntimeError("budget_spent", "Cannot ask the model: what is left of the day's money is for people an operator named");
    }
    for (const purse of both) {
      purse.reserved += most;
      if (free !== null) purse.free.draw(free, 0, most);
      this.#look(purse);
    }
  }

  #settle(purse: Purse, mostMicros: number, costMicros: number): void {
    purse.reserved -= mostMicros;
    purse.settled += costMicros;
    this.#look(purse);
  }

  #look(purse: Purse): void {
    if (reaches("near", purse, limitOf(purse, this.#needs.limits()))) this.#tell("near", purse);
  }

  #tell(kind: BudgetNotice["kind"], purse: Purse): void {
    if (purse.told.has(kind)) return;
    purse.told.add(kind);
    this.#needs.notice({ kind, key: purse.key, surface: purse.surface });
  }

  /** A store that can keep nothing any more ends the process by itself. */
  #watch(kept: Promise<void>): void {
    kept.catch((error: unknown) => this.#needs.log.failure("spend_not_kept", error));
  }
}

const NOTHING: SpendAmounts = { calls: 0, promptTokens: 0, completionTokens: 0, costMicros: 0, reservedMicros: 0, unpricedCalls: 0 };

/** Whether the part of a bound that free identities have reaches for this: half of it for all of them, and for one an even share of that. */
function judgeFree(
  { free }: Purse,
  { limit, person, amount }: { readonly limit: number; readonly person: PrincipalId; readonly amount: number },
): DrawVerdict {
  return judgeDraw({ limit, contested: true, drawn: free.drawn, own: free.ownOf(person, 0), people: free.peopleWith(person), amount });
}

function limitOf({ surface }: Purse, limits: MoneyLimits): number | null {
  return surface === null ? limits.moneyPerDayInAllMicros : limits.moneyPerDayPerSpaceMicros;
}

/** Whether four fifths, or all, are used; whole numbers, so that no rounding decides. */
function reaches(kind: BudgetNotice["kind"], { settled, reserved }: Purse, limit: number | null): boolean {
  if (limit === null) return false;
  return kind === "near" ? 5 * (settled + reserved) >= 4 * limit && limit > 0 : settled + reserved >= limit;
}

function viewOf(purse: Purse, limit: number | null): BudgetView {
  const state = reaches("spent", purse, limit) || purse.told.has("spent") ? "spent" : reaches("near", purse, limit) ? "near" : "ok";
  return {
    key: purse.key,
    surface: purse.surface,
    unit: "micros",
    limit,
    used: purse.settled,
    reserved: purse.reserved,
    resetsAtMs: purse.dayMs + DAY_MS,
    state,
  };
}

/** The most a call may come to: all of the prompt at its dearest rate. */
function mostOf({ price, promptTokens, completionTokens }: CallEstimate): number {
  if (price === null) return 0;
  const promptMicros = Math.max(price.promptMicros, price.cacheReadMicros, price.cacheWriteMicros);
  const usage = { promptTokens, completionTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return costMicros(usage, { ...price, promptMicros }) ?? 0;
}
