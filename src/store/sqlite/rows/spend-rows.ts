import type { SurfaceName } from "../../../vocabulary/ids.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { SpendKey, SpendSum } from "../../../vocabulary/spending.ts";
import type { SpendReader, SpendRow } from "../../spend-store.ts";
import { numberIn, optionalNumberIn, textIn } from "./columns.ts";
import type { Row } from "./columns.ts";
import { ALL_SCOPES } from "../file/restored.ts";
import type { Params, Statements } from "./statements.ts";
import type { VerbContext } from "../verbs/verbs.ts";

const DAY_MS = 86_400_000;

/** What a call adds, and the name under which it goes on when the person was forgotten meanwhile. */
export type SpendCall = SpendRow & { readonly pseudonym: PrincipalId };

const UPSERT = `insert into spend(day, surface, person, character, model, calls, prompt, completion, cost, reserved, unpriced)
  values (:day, :surface, :person, :character, :model, :calls, :prompt, :completion, :cost, :reserved, :unpriced)
  on conflict(day, surface, person, character, model) do update set calls = calls + excluded.calls, prompt = prompt + excluded.prompt,
    completion = completion + excluded.completion, cost = cost + excluded.cost, reserved = reserved + excluded.reserved, unpriced = unpriced + excluded.unpriced`;
const KNOWN =
  "select 1 as found from spend where day = :day and surface = :surface and person = :person and character = :character and model = :model";

/** Add to a day's sums. Only a new call may make a row for a person: what settles an old one must not bring a forgotten name back. */
export function spend({ sql }: VerbContext, row: SpendCall): null {
  const key: Params = {
    day: Math.floor(row.dayMs / DAY_MS),
    surface: row.surface,
    person: row.person,
    character: row.character,
    model: row.model,
  };
  const isNew = row.calls > 0 || sql.get(KNOWN, key) !== null;
  sql.run(UPSERT, {
    ...key,
    person: isNew ? row.person : row.pseudonym,
    calls: row.calls,
    prompt: row.promptTokens,
    completion: row.completionTokens,
    cost: row.costMicros,
    reserved: row.reservedMicros,
    unpriced: row.unpricedCalls,
  });
  return null;
}

/** Let a person's sums go on under a pseudonym. */
export function renameSpender(sql: Statements, row: { readonly person: PrincipalId; readonly pseudonym: PrincipalId }): void {
  sql.run(
    `insert into spend(day, surface, person, character, model, calls, prompt, completion, cost, reserved, unpriced)
       select day, surface, :pseudonym, character, model, calls, prompt, completion, cost, reserved, unpriced from spend where person = :person
     on conflict(day, surface, person, character, model) do update set calls = calls + excluded.calls, prompt = prompt + excluded.prompt,
       completion = completion + excluded.completion, cost = cost + excluded.cost, reserved = reserved + excluded.reserved, unpriced = unpriced + excluded.unpriced`,
    { person: row.person, pseudonym: row.pseudonym },
  );
  sql.run("delete from spend where person = :person", { person: row.person });
}

const ALL_SPENT = "select coalesce(sum(amount), 0) as sum from budget where scope = :all and window_start_ms >= :dayMs";
const SPENT = "select coalesce(sum(cost + reserved), 0) as sum from spend where day = :day";

/** Money of one day, set aside or spent. */
export function spentOn(sql: Statements, dayMs: number, surface: SurfaceName | null): number {
  const day = Math.floor(dayMs / DAY_MS);
  const spentRow = surface === null ? sql.get(SPENT, { day }) : sql.get(`${SPENT} and surface = :surface`, { day, surface });
  const restored = sql.get(ALL_SPENT, { all: ALL_SCOPES, dayMs });
  return [spentRow, restored].reduce((sum, row) => sum + (row === null ? 0 : numberIn(row, "sum")), 0);
}

const SPENDERS = "select person, sum(cost + reserved) as micros from spend where day = :day";

/** The same by person, those without any left out. */
export function spendersOn(sql: Statements, dayMs: number, surface: SurfaceName | null): ReturnType<SpendReader["spenders"]> {
  const day = Math.floor(dayMs / DAY_MS);
  const end = "group by person having sum(cost + reserved) > 0";
  const rows =
    surface === null ? sql.all(`${SPENDERS} ${end}`, { day }) : sql.all(`${SPENDERS} and surface = :surface ${end}`, { day, surface });
  return rows.map((row) => ({ person: parsePrincipalId(textIn(row, "person")), micros: numberIn(row, "micros") }));
}

const COLUMNS: Readonly<Record<SpendKey, string>> = {
  person: "person",
  space: "surface",
  character: "character",
  model: "model",
  day: "day",
};

/** Sums by one key since a day; what was only ever given back whole is no sum. */
export function spendSums(
  sql: Statements,
  by: SpendKey,
  range: { readonly sinceDayMs: number; readonly todayMs: number },
): readonly SpendSum[] {
  const rows = sql.all(
    `select ${COLUMNS[by]} as key, sum(calls) as calls, sum(prompt) as prompt, sum(completion) as completion, sum(cost) as cost,
       sum(reserved) as reserved, sum(unpriced) as unpriced, sum(iif(day = :today, calls, 0)) as calls_today,
       sum(iif(day = :today, cost, 0)) as cost_today, sum(iif(day = :today, reserved, 0)) as reserved_today
     from spend where day >= :since group by ${COLUMNS[by]}
     having sum(calls) > 0 or sum(prompt + completion + cost + reserved) > 0
     order by ${by === "day" ? "day desc" : "cost + reserved desc, calls desc, key"}`,
    { since: Math.floor(range.sinceDayMs / DAY_MS), today: Math.floor(range.todayMs / DAY_MS) },
  );
  return rows.map((row) => sumOf(row, by));
}

/** The first day with a call. */
export function firstSpendDay(sql: Statements): number | null {
  const row = sql.get("select min(day) as day from spend");
  const day = row === null ? null : optionalNumberIn(row, "day");
  return day === null ? null : day * DAY_MS;
}

function sumOf(row: Row, by: SpendKey): SpendSum {
  return {
    key: by === "day" ? String(numberIn(row, "key") * DAY_MS) : textIn(row, "key"),
    calls: numberIn(row, "calls"),
    promptTokens: numberIn(row, "prompt"),
    completionTokens: numberIn(row, "completion"),
    costMicros: numberIn(row, "cost"),
    reservedMicros: numberIn(row, "reserved"),
    unpricedCalls: numberIn(row, "unpriced"),
    today: {
      calls: numberIn(row, "calls_today"),
      costMicros: numberIn(row, "cost_today"),
      reservedMicros: numberIn(row, "reserved_today"),
    },
  };
}
