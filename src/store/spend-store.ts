import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { SpendAmounts, SpendKey, SpendSum } from "../vocabulary/spending.ts";

/** What one call adds to the sums of its day; less than 0 to take back. */
export interface SpendRow extends SpendAmounts {
  /** The start of the day, UTC. */
  readonly dayMs: number;
  readonly surface: SurfaceName;
  readonly person: PrincipalId;
  readonly character: CharacterId;
  /** `host/model`. */
  readonly model: string;
}

/** What is kept of the calls of models: sums by day, person, space, character and model, for a month (TR-092). */
export interface SpendVerbs {
  /** Add to a day's sums. What settles a call of somebody who was forgotten meanwhile goes on under the keyed hash of the id. */
  spend(row: SpendRow): Promise<void>;
}

/** Reads of the sums. */
export interface SpendReader {
  /** Money of a day, set aside or spent, in one space or (null) in all. A restored copy's day counts as spent (SE-099). */
  spent(dayMs: number, surface: SurfaceName | null): number;
  /** The same by person, whoever has any of it. */
  spenders(dayMs: number, surface: SurfaceName | null): readonly { readonly person: PrincipalId; readonly micros: number }[];
  /** Sums since a day by one key, the most expensive first; by day the latest first. `todayMs` is the day that is summed apart. */
  spending(by: SpendKey, sinceDayMs: number, todayMs: number): readonly SpendSum[];
  /** The first day that is kept; null when there was no call. */
  firstSpendDay(): number | null;
}
