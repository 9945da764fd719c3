import type { Restored } from "../../store.ts";
import { numberIn, textIn } from "../rows/columns.ts";
import { settleLine } from "../rows/event-rows.ts";
import type { Statements } from "../rows/statements.ts";
import { endTurnsBefore } from "../verbs/turn-verbs.ts";

const DAY_MS = 86_400_000;
/** A budget scope that stands for every other. */
export const ALL_SCOPES = "*";
/** More than any budget; still exact when it is added to. */
const SPENT = 2 ** 52;
/** Marks a copy that was made to be kept: it is opened only as a restored one. */
export const COPY_MARK = "copied_at_ms";

/** Whether a database is a copy that was never opened since it was made. */
export function isMarkedCopy(sql: Statements): boolean {
  return sql.get("select 1 as marked from meta where key = :key", { key: COPY_MARK }) !== null;
}

/**
 * Take all authority from a database that may be older than what happened since (SE-099): questions are void, what waits to run
 * or to be sent may have been run or sent and is never again, trust waits to be confirmed, today's budgets count as spent.
 */
export function voidAuthority(sql: Statements, nowMs: number): Restored {
  const at = { nowMs };
  const approvals = sql.run(
    "update approval set state = 'cancelled', settled_at_ms = :nowMs, state_json = '', call = '', digest = '' where state = 'pending'",
    at,
  );
  const turns = sql.all("select distinct turn from part where state in ('queued', 'sending')").map((row) => numberIn(row, "turn"));
  const parts = sql.run(
    `update part set state = 'unknown', reason = 'restored', settled_at_ms = :nowMs, body = null, action = null where state in ('queued', 'sending')`,
    at,
  );
  for (const turn of turns) settleLine(sql, turn);
  endTurnsBefore(sql, Number.MAX_SAFE_INTEGER, nowMs);
  const messages = sql.run(
    `update inbox set state = 'ended', end = 'interrupted', end_reason = 'restored', ended_at_ms = :nowMs,
       trigger_text = null, trigger_name = null, resumed_state = null, resumed_answer = null
     where state <> 'ended'`,
    at,
  );
  // Answers that counted on and words for schedules were given before whatever happened since.
  sql.run("update kept_answer set revoked_at_ms = :nowMs where revoked_at_ms is null", at);
  sql.run("update call_grant set revoked_at_ms = :nowMs where revoked_at_ms is null", at);
  sql.run("update meta set value = cast(cast(value as integer) + 1000 as text) where key = 'approval_number'");
  // Who was invited since, or shown out, is not known here.
  sql.run("update invite set revoked_at_ms = :nowMs where revoked_at_ms is null", at);
  // Nor what was taken as own words and no more.
  sql.run("delete from endorsed");
  // Nor which programs were shut out.
  sql.run("delete from setting where key = 'mcp_clients'");
  const trusted = sql.run("update trust set confirmed = 0 where role = 'trusted' and confirmed = 1");
  sql.run(
    `insert into budget(scope, window_start_ms, amount) values (:scope, :window, :spent)
     on conflict(scope, window_start_ms) do update set amount = excluded.amount`,
    { scope: ALL_SCOPES, window: Math.floor(nowMs / DAY_MS) * DAY_MS, spent: SPENT },
  );
  // What was scheduled then may have been taken back since.
  sql.run("update schedule set next_at_ms = null");
  // Where a platform's stream stood then says nothing now.
  sql.run("delete from surface_state");
  sql.run("delete from meta where key = :key", { key: COPY_MARK });
  return { approvals, parts, messages, trusted };
}

/** Rows that hold people, for whoever looks for those who were forgotten. */
const PEOPLE = `select author as person from event where author_kind = 'person' and author is not null
  union select person from decision where person is not null union select person from inbox where person is not null
  union select person from spend union select person from session union select person from schedule union select person from call_decision union select person from kept_answer union select by_person from call_grant
  union select person from approval union select answered_by from approval where answered_by is not null
  union select id from principal union select person from presence union select person from trust
  union select person from audit where person is not null union select by_person from audit union select by_person from pause
  union select member from invite where member is not null union select person from opted_out
  union select person from place where person is not null
  union select atom from (select distinct influence from event), json_each(case when json_valid(influence) then influence else '[]' end) where type = 'text'
  union select atom from (select distinct label from session_entry union select distinct label from session_note),
    json_each(case when json_valid(label) then label else '{}' end, '$.influence') where type = 'text'`;

/** Every id that stands for a person somewhere in the database. */
export function peopleIn(sql: Statements): readonly string[] {
  return sql.all(PEOPLE).map((row) => textIn(row, "person"));
}

/** Forget lists joined: the later moment of each person, and whom this database has still to forget. */
export function joinForgotten(
  sql: Statements,
  known: ReadonlyMap<string, number>,
): { readonly all: ReadonlyMap<string, number>; readonly due: ReadonlyMap<string, number> } {
  for (const [hash, atMs] of known)
    sql.run(
      `insert into forgotten(hash, at_ms, done) values (:hash, :atMs, 0)
       on conflict(hash) do update set at_ms = excluded.at_ms, done = 0 where excluded.at_ms > at_ms`,
      { hash, atMs },
    );
  const rows = sql.all("select hash, at_ms, done from forgotten order by at_ms");
  const entry = (row: (typeof rows)[number]): [string, number] => [textIn(row, "hash"), numberIn(row, "at_ms")];
  return { all: new Map(rows.map(entry)), due: new Map(rows.filter((row) => row["done"] === 0).map(entry)) };
}
