import type { Clock } from "../foundation/clock.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

const DAY_MS = 86_400_000;
/** Free identities whose draws one pool tells apart; the oldest goes first. */
const MAX_DRAWERS = 4_096;

/** What was used of one scope in the present window, and how much of that before this process met it. */
export interface Window {
  readonly startMs: number;
  readonly before: number;
  used: number;
}

/** Whose table a scope stands in: spaces are configured, and each kind of people pushes out only its own (SE-090). */
export type Table = "named" | "free" | "space";

/** What free identities drew from one space in the present window. */
export class PoolWindow {
  readonly startMs: number;
  /** Drawn before this process met the window. */
  readonly before: number;
  readonly #drawers = new Map<PrincipalId, number>();
  #drawn: number;

  constructor(startMs: number, before: number) {
    this.startMs = startMs;
    this.before = before;
    this.#drawn = before;
  }

  get drawn(): number {
    return this.#drawn;
  }

  /** Free identities that drew, with `person` among them. */
  peopleWith(person: PrincipalId): number {
    return this.#drawers.size + (this.#drawers.has(person) ? 0 : 1);
  }

  /** What a person drew; `unknown` when this process did not see it draw. */
  ownOf(person: PrincipalId, unknown: number): number {
    return this.#drawers.get(person) ?? unknown;
  }

  draw(person: PrincipalId, unknown: number, amount = 1): void {
    this.#drawn += amount;
    this.#drawers.set(person, this.ownOf(person, unknown) + amount);
    for (const oldest of this.#drawers.keys()) {
      if (this.#drawers.size <= MAX_DRAWERS) break;
      this.#drawers.delete(oldest);
    }
  }

  /** Undo one draw, or a part of what was drawn. */
  giveBack(person: PrincipalId, amount = 1): void {
    this.#drawn -= amount;
    const own = this.#drawers.get(person);
    if (own === undefined) return;
    if (own > amount) this.#drawers.set(person, own - amount);
    else this.#drawers.delete(person);
  }
}

/** The windows in which something was used, bounded by table. A day's window is read from what was charged when first met. */
export class Counters {
  readonly #clock: Clock;
  readonly #charged: (scope: string, sinceMs: number) => number;
  readonly #windows: Readonly<Record<Table, Map<string, Window>>> = { named: new Map(), free: new Map(), space: new Map() };
  readonly #pools = new Map<string, PoolWindow>();
  readonly #max: number;

  constructor(needs: { clock: Clock; charged: (scope: string, sinceMs: number) => number; maxScopes: number }) {
    this.#clock = needs.clock;
    this.#charged = needs.charged;
    this.#max = Math.max(1, Math.floor(needs.maxScopes / 2));
  }

  window(scope: string, windowMs: number, table: Table): Window {
    const startMs = this.#startMs(windowMs);
    const windows = this.#windows[table];
    const known = windows.get(scope);
    if (known?.startMs === startMs) return known;
    const before = this.#before(scope, windowMs, startMs);
    return renew(windows, scope, { startMs, before, used: before }, this.#max);
  }

  pool(scope: string, windowMs: number): PoolWindow {
    const startMs = this.#startMs(windowMs);
    const known = this.#pools.get(scope);
    if (known?.startMs === startMs) return known;
    return renew(this.#pools, scope, new PoolWindow(startMs, this.#before(scope, windowMs, startMs)), this.#max);
  }

  #startMs(windowMs: number): number {
    return Math.floor(this.#clock.nowMs() / windowMs) * windowMs;
  }

  #before(scope: string, windowMs: number, startMs: number): number {
    return windowMs === DAY_MS ? this.#charged(scope, startMs) : 0;
  }
}

function renew<Value>(table: Map<string, Value>, key: string, value: Value, max: number): Value {
  table.delete(key);
  table.set(key, value);
  for (const oldest of table.keys()) {
    if (table.size <= max) break;
    table.delete(oldest);
  }
  return value;
}
