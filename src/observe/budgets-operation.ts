import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { BudgetView } from "../vocabulary/budget.ts";
import { moneyText } from "../vocabulary/money-text.ts";

/** One budget of the day. */
export interface BudgetRow extends Omit<BudgetView, "surface"> {
  /** Null for the whole install. */
  readonly surface: string | null;
}

/** Result of `budgets`. */
export interface BudgetsAnswer {
  readonly atMs: number;
  /** In all first, then space by space: money, then calls. */
  readonly budgets: readonly BudgetRow[];
  /** Configured models whose price is unknown: no bound of money holds for them, only those of calls. */
  readonly unpricedModels: readonly string[];
}

/** `troupe budgets`: for the owner alone. */
export const budgets: Declared<Record<string, never>, BudgetsAnswer> = declare<Record<string, never>, BudgetsAnswer>({
  name: "budgets",
  summary: "tell what is left of the day's money and calls",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    atMs: z.number(),
    budgets: z.array(
      z.object({
        key: z.string(),
        surface: z.string().nullable(),
        unit: z.enum(["micros", "calls"]),
        limit: z.int().nullable(),
        used: z.int(),
        reserved: z.int(),
        resetsAtMs: z.number(),
        state: z.enum(["ok", "near", "spent"]),
      }),
    ),
    unpricedModels: z.array(z.string()),
  }),
  render: renderBudgets,
});

/** Bind `budgets` to what is counted now. */
export function bindBudgets(needs: {
  readonly clock: Pick<Clock, "nowMs">;
  readonly views: () => readonly BudgetView[];
  readonly unpricedModels: () => readonly string[];
}): Operation {
  return budgets.bind(() =>
    Promise.resolve({
      atMs: needs.clock.nowMs(),
      budgets: needs.views().map((view) => ({ ...view })),
      unpricedModels: needs.unpricedModels(),
    }),
  );
}

const WORDS: Readonly<Record<BudgetView["state"], string>> = {
  ok: "",
  near: "four fifths are used",
  spent: "used up: nothing more is asked",
};

function renderBudgets({ budgets: rows, unpricedModels }: BudgetsAnswer): readonly Line[] {
  const shown = rows.filter(({ limit, used, reserved }) => limit !== null || used + reserved > 0);
  const table = columns(shown.map(cellsOf));
  const first = rows[0];
  return [
    ...table.map((row, at) => (shown[at]?.state === "spent" ? toned("bad", row) : row)),
    ...(rows.some(({ unit, limit }) => unit === "micros" && limit !== null)
      ? []
      : [line`  no bound of money is set: budgets.money_per_day_in_all, budgets.money_per_day_per_space`]),
    ...unpricedModels.map((name) => toned("bad", line`  the price of ${printable(name)} is unknown: only its calls are bounded`)),
    ...(first === undefined
      ? []
      : [toned("faint", line`  all begin anew at ${printable(new Date(first.resetsAtMs).toISOString().slice(0, 16))} UTC`)]),
  ];
}

function cellsOf({ key, surface, unit, limit, used, reserved, state }: BudgetRow): readonly Printable[] {
  const amount = (value: number): string => (unit === "micros" ? moneyText(value) : String(value));
  const of = limit === null ? "no bound" : `of ${amount(limit)}`;
  return [
    printable(surface ?? "in all"),
    printable(unit === "micros" ? "money" : "calls"),
    printable(`${amount(used)}${reserved === 0 ? "" : ` (+${amount(reserved)} set aside)`}`),
    printable(of),
    WORDS[state] === "" ? text`` : printable(WORDS[state]),
    printable(key),
  ];
}
