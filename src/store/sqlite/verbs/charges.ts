import type { Charge } from "../../store.ts";
import type { Statements } from "../rows/statements.ts";

/**
 * What the starts of one commit reserve, summed: each of them draws on the counters of its space and of the install, and so they are
 * written once. Whoever reads or renames counters writes them first.
 */
export class Charges {
  #pending: Charge[] = [];

  /** Charges that are not written yet; what is behind a mark can be taken back. */
  get mark(): number {
    return this.#pending.length;
  }

  /** Count charges with this commit. */
  add(charges: readonly Charge[]): void {
    this.#pending.push(...charges);
  }

  /** Take back what came behind a mark, with the verb that it came from. */
  backTo(mark: number): void {
    this.#pending.length = Math.min(this.#pending.length, mark);
  }

  /** Write them. */
  write(sql: Statements): void {
    if (this.#pending.length === 0) return;
    const sums = new Map<string, Charge>();
    for (const charge of this.#pending) {
      const key = `${charge.windowStartMs} ${charge.scope}`;
      const sum = sums.get(key);
      sums.set(key, sum === undefined ? charge : { ...sum, amount: sum.amount + charge.amount });
    }
    this.#pending = [];
    for (const { scope, windowStartMs, amount } of sums.values())
      sql.run(
        `insert into budget(scope, window_start_ms, amount) values (:scope, :windowStartMs, :amount)
         on conflict(scope, window_start_ms) do update set amount = amount + excluded.amount`,
        { scope, windowStartMs, amount },
      );
  }
}
