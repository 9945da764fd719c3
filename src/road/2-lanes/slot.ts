import type { Standing } from "./standing.ts";
import { isBefore, putInOrder } from "./standing.ts";

/** Named people (operators, trusted) and free identities have tables, turns and places to think of their own (SE-090). */
export type Kind = "named" | "free";

/** A lane as its slot sees it. */
export interface SlotLane {
  readonly kind: Kind;
  /** While it stands in the row: where. */
  readonly stands: Standing;
  /** While it is held: when its thought is whole, on the monotonic clock. */
  readonly dueAtMs: number;
}

/**
 * Who waits to be answered by one character in one place, and who is next (TR-008). Whoever stands first is, in the order of the
 * platform; but once a free identity was answered while somebody named waited, that one is (SE-090).
 */
export class Slot<Lane extends SlotLane> {
  readonly #rows: Readonly<Record<Kind, Lane[]>> = { named: [], free: [] };
  readonly #held = new Set<Lane>();
  #busyWith: Kind | "leftovers" | null = null;
  #owesNamed = false;

  /** Whether somebody is being answered. */
  get busy(): boolean {
    return this.#busyWith !== null;
  }

  get empty(): boolean {
    return !this.busy && this.#held.size === 0 && !this.waits("named") && !this.waits("free");
  }

  /** Whoever stands last; null when nobody stands. */
  get last(): Lane | null {
    const [named, free] = [this.#rows.named.at(-1) ?? null, this.#rows.free.at(-1) ?? null];
    if (named === null || free === null) return named ?? free;
    return isBefore(named.stands, free.stands) ? free : named;
  }

  /** Whether anybody of these people stands in the row. */
  waits(kind: Kind): boolean {
    return this.#rows[kind].length > 0;
  }

  /** Keep a lane beside the row until its thought is whole. */
  hold(lane: Lane): void {
    this.#held.add(lane);
  }

  /** Let a lane stand in the row. */
  stand(lane: Lane): void {
    this.#held.delete(lane);
    putInOrder(this.#rows[lane.kind], lane, ({ stands }) => stands);
  }

  /** Take a lane out of the row. */
  leave(lane: Lane): void {
    const row = this.#rows[lane.kind];
    const at = row.indexOf(lane);
    if (at >= 0) row.splice(at, 1);
  }

  /** Hold a lane no more that does not stand. */
  release(lane: Lane): void {
    this.#held.delete(lane);
  }

  /** Held lanes whose thought is whole by now: timers of nearly the same moment ring in any order. */
  whole(nowMs: number): readonly Lane[] {
    return this.#held.size === 0 ? [] : [...this.#held].filter(({ dueAtMs }) => dueAtMs <= nowMs);
  }

  /** Take whoever is next out of the row; null when nobody is, or only those who may not be answered now. */
  take(mayFree: boolean): Lane | null {
    const [named] = this.#rows.named;
    const free = mayFree ? this.#rows.free[0] : undefined;
    const isNamed = free === undefined || (named !== undefined && (this.#owesNamed || isBefore(named.stands, free.stands)));
    return this.#rows[isNamed ? "named" : "free"].shift() ?? null;
  }

  /** Somebody is being answered, or what an earlier process left is being sent. */
  begin(what: Kind | "leftovers"): void {
    this.#busyWith = what;
  }

  end(): void {
    this.#owesNamed = this.#busyWith === "free" && this.waits("named");
    this.#busyWith = null;
  }
}
