import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import { moneyText } from "../vocabulary/money-text.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { SpendSum } from "../vocabulary/spending.ts";
import { SPEND_KEYS } from "../vocabulary/spending.ts";

/** Arguments of `costs`. */
export interface CostsArguments {
  readonly by?: (typeof SPEND_KEYS)[number] | undefined;
  readonly limit?: number | undefined;
}

/** Calls and what they came to; money in millionths of the currency. */
export interface Costs {
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Set aside for calls under way, and for those that never said what they came to. */
  readonly unconfirmedMicros: number;
  /** Calls of models whose price is unknown: their money is in no sum. */
  readonly unpricedCalls: number;
  readonly todayMicros: number;
  /** What thirty days come to at the pace of the last seven. */
  readonly monthMicros: number;
}

/** The costs of one person, space, character, model or day. */
export interface CostRow extends Costs {
  /** An id, or for a day its date in UTC. */
  readonly key: string;
  /** A person's name last seen; null for everything else. Data, never identity. */
  readonly name: string | null;
}

/** Result of `costs`. */
export interface CostsAnswer {
  readonly by: (typeof SPEND_KEYS)[number];
  /** Whole days, in UTC as the budgets count them, from then until now: seven, or thirty where it is by day. */
  readonly sinceMs: number;
  readonly untilMs: number;
  /** The dearest first; by day the latest first. */
  readonly rows: readonly CostRow[];
  /** Rows beyond the limit. */
  readonly left: number;
  readonly total: Costs;
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
const MONTH_DAYS = 30;
const STANDARD_LIMIT = 30;
const MAX_LIMIT = 500;

const SUMS = {
  calls: z.int(),
  promptTokens: z.int(),
  completionTokens: z.int(),
  costMicros: z.int(),
  unconfirmedMicros: z.int(),
  unpricedCalls: z.int(),
  todayMicros: z.int(),
  monthMicros: z.int(),
};

/** `troupe costs`: for the owner alone; nobody else is shown what anybody costs. */
export const costs: Declared<CostsArguments, CostsAnswer> = declare<CostsArguments, CostsAnswer>({
  name: "costs",
  summary: "tell what the models cost: today, in seven days, a month at this pace",
  arguments: z.strictObject({
    by: z
      .enum(SPEND_KEYS)
      .optional()
      .describe(`${SPEND_KEYS.join(", ")}; space without it`),
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`how many rows, ${STANDARD_LIMIT} without it`),
  }),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    by: z.enum(SPEND_KEYS),
    sinceMs: z.number(),
    untilMs: z.number(),
    rows: z.array(z.object({ ...SUMS, key: z.string(), name: z.string().nullable() })),
    left: z.int(),
    total: z.object(SUMS),
  }),
  render: renderCosts,
});

/** What `costs` reads. */
export interface CostsNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly read: Pick<StoreReader, "spending" | "firstSpendDay" | "member">;
}

/** Bind `costs` to the sums that are kept. */
export function bindCosts(needs: CostsNeeds): Operation {
  return costs.bind(({ by = "space", limit = STANDARD_LIMIT }) => Promise.resolve(costsBy(by, limit, needs)));
}

function costsBy(by: CostsAnswer["by"], limit: number, { clock, read }: CostsNeeds): CostsAnswer {
  const untilMs = clock.nowMs();
  const todayMs = Math.floor(untilMs / DAY_MS) * DAY_MS;
  const weekMs = todayMs - (WEEK_DAYS - 1) * DAY_MS;
  const sinceMs = by === "day" ? todayMs - (MONTH_DAYS - 1) * DAY_MS : weekMs;
  const coveredMs = Math.max(DAY_MS, untilMs - Math.max(weekMs, read.firstSpendDay() ?? weekMs));
  const sums = read.spending(by, sinceMs, todayMs);
  const rows = sums.map((sum): CostRow => ({ ...rowOf(sum, by, read), ...costsOf(sum, by === "day" ? 0 : sum.costMicros, coveredMs) }));
  const inWeek = sums.filter(({ key }) => by !== "day" || Number(key) >= weekMs).reduce((micros, sum) => micros + sum.costMicros, 0);
  return {
    by,
    sinceMs,
    untilMs,
    rows: rows.slice(0, limit),
    left: Math.max(0, rows.length - limit),
    total: totalOf(rows, monthOf(inWeek, coveredMs)),
  };
}

function rowOf({ key }: SpendSum, by: CostsAnswer["by"], read: CostsNeeds["read"]): Pick<CostRow, "key" | "name"> {
  if (by === "day") return { key: new Date(Number(key)).toISOString().slice(0, 10), name: null };
  return { key, name: by === "person" ? (read.member(parsePrincipalId(key))?.name ?? null) : null };
}

function costsOf(sum: SpendSum, weekMicros: number, coveredMs: number): Costs {
  const { calls, promptTokens, completionTokens, costMicros, reservedMicros, unpricedCalls, today } = sum;
  return {
    calls,
    promptTokens,
    completionTokens,
    costMicros,
    unconfirmedMicros: reservedMicros,
    unpricedCalls,
    todayMicros: today.costMicros,
    monthMicros: monthOf(weekMicros, coveredMs),
  };
}

/** Rounded up; whole numbers of any size. */
function monthOf(micros: number, coveredMs: number): number {
  const covered = BigInt(Math.round(coveredMs));
  return Number((BigInt(micros) * BigInt(MONTH_DAYS * DAY_MS) + covered - 1n) / covered);
}

function totalOf(rows: readonly Costs[], monthMicros: number): Costs {
  const sum = (of: (row: Costs) => number): number => rows.reduce((total, row) => total + of(row), 0);
  return {
    calls: sum((row) => row.calls),
    promptTokens: sum((row) => row.promptTokens),
    completionTokens: sum((row) => row.completionTokens),
    costMicros: sum((row) => row.costMicros),
    unconfirmedMicros: sum((row) => row.unconfirmedMicros),
    unpricedCalls: sum((row) => row.unpricedCalls),
    todayMicros: sum((row) => row.todayMicros),
    monthMicros,
  };
}

function renderCosts(answer: CostsAnswer): readonly Line[] {
  const { by, rows, left, total } = answer;
  if (rows.length === 0) return [line`No model was asked in this time. The understudy asks none and costs nothing.`];
  const isByDay = by === "day";
  const heading = [
    printable(by),
    ...(isByDay ? ["calls", "in", "out", "cost"] : ["calls", "in", "out", "today", "7 days", "30 days at this pace"]).map((word) =>
      printable(word),
    ),
  ];
  const numbers = rightAligned([heading.slice(1), ...rows.map((row) => cellsOf(row, isByDay)), cellsOf(total, isByDay)]);
  const names = [heading[0] ?? text``, ...rows.map(nameOf), printable("all")];
  const table = columns(names.map((name, at) => [name, ...(numbers[at] ?? [])]));
  return [
    ...table.map((row, at) => (at === 0 ? toned("faint", row) : at === table.length - 1 ? toned("strong", row) : row)),
    ...(left === 0 ? [] : [toned("faint", line`  and ${left} more: --limit N`)]),
    ...(isByDay ? [line`  30 days at the pace of the last seven: ${printable(moneyText(total.monthMicros))}`] : []),
    ...(total.unconfirmedMicros === 0
      ? []
      : [
          line`  ${printable(moneyText(total.unconfirmedMicros))} more is set aside for calls under way, and for those that never said what they came to.`,
        ]),
    ...(total.unpricedCalls === 0
      ? []
      : [
          toned(
            "bad",
            line`  ${total.unpricedCalls} of these calls went to models whose price is unknown: their money is in no sum. Write a price: models.hosts.*.models.*.price`,
          ),
        ]),
  ];
}

function nameOf({ key, name }: CostRow): Printable {
  return name === null ? printable(key, 80) : printable(`${printable(name, 60)} (${key})`, 160);
}

function cellsOf(costs: Costs, isByDay: boolean): readonly Printable[] {
  const unknown = costs.unpricedCalls === costs.calls && costs.calls > 0;
  const money = (micros: number): string => (unknown ? "unknown" : moneyText(micros));
  const moneys = isByDay ? [money(costs.costMicros)] : [money(costs.todayMicros), money(costs.costMicros), money(costs.monthMicros)];
  return [String(costs.calls), grouped(costs.promptTokens), grouped(costs.completionTokens), ...moneys].map((cell) => printable(cell));
}

function grouped(number: number): string {
  return String(number).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Numbers are compared by their last digits. */
function rightAligned(rows: readonly (readonly Printable[])[]): readonly (readonly Printable[])[] {
  const widths = rows.reduce<readonly number[]>((sofar, row) => row.map((cell, at) => Math.max(sofar[at] ?? 0, cell.length)), []);
  return rows.map((row) => row.map((cell, at) => printable(" ".repeat((widths[at] ?? 0) - cell.length) + cell)));
}
