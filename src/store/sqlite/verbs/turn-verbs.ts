import { RuntimeError } from "../../../foundation/errors.ts";
import type { AnswerRow, CloseRow, StartResult, StartRow } from "../../store.ts";
import { insertEvent } from "../rows/event-rows.ts";
import { endInbox, leadOf } from "../rows/inbox-rows.ts";
import { insertPart } from "./part-verbs.ts";
import { toRecordColumn } from "../rows/record-codec.ts";
import type { Statements } from "../rows/statements.ts";
import { keepTold } from "../rows/told-rows.ts";
import type { VerbContext } from "./verbs.ts";

/** A running row that has no lead carries its turn until that ends. */
const BEGIN = "update inbox set state = 'running', attempts = attempts + 1, turn = :turn, generation = :generation, started_at_ms = :atMs";
const BEGIN_ONE = `${BEGIN} where n = :n and state = 'open' and attempts < :maxAttempts
  and not exists (select 1 from setting where key = 'stopped')`;
/** A row that is not open any more stays out. */
const ABSORB = `${BEGIN}, lead = :lead where n = :n and state = 'open' and attempts < :maxAttempts and root is null`;

/** Begin a turn of an open row, and of those it absorbs, and reserve what it may cost. */
export function start({ sql, generation, numbers, charges }: VerbContext, row: StartRow): StartResult {
  const n = numbers.message(row.inbox);
  const begin = { turn: row.turn, maxAttempts: row.maxAttempts, generation, atMs: row.atMs };
  const started = n === null ? 0 : sql.run(BEGIN_ONE, { ...begin, n });
  if (started === 0) return { started: false, absorbed: [] };
  const absorbed = row.absorbed.filter((id) => {
    const other = numbers.message(id);
    return other !== null && sql.run(ABSORB, { ...begin, lead: n, n: other }) === 1;
  });
  charges.add(row.charges);
  return { started: true, absorbed };
}

/** Keep a turn's whole result. Refused when the turn is of an older generation, or its row has ended or belongs to another turn. */
export function answer(context: VerbContext, row: AnswerRow): { readonly stored: boolean; readonly seq: number } {
  const { sql, generation, numbers } = context;
  if (row.parts.length === 0) throw new RuntimeError("invalid_argument", "Cannot keep an answer: it has no part");
  const n = numbers.message(row.inbox);
  const ending = { end: row.end, reason: row.reason, atMs: row.atMs };
  const ended = n === null ? null : endInbox(sql, "running", { n, ...ending }, { turn: row.turn, generation });
  if (ended === null) return { stored: false, seq: 0 };
  const { n: event, seq } = insertEvent(context, { ...row.event, state: "pending", turn: row.turn });
  const turn = sql.insert(
    `insert into turn(id, inbox, event, generation, started_at_ms, ended_at_ms, record, gate)
     values (:turn, :n, :event, :generation, :startedAtMs, :atMs, :record, :gate)`,
    {
      turn: row.turn,
      n,
      event,
      generation,
      startedAtMs: ended.startedAtMs,
      atMs: row.atMs,
      record: toRecordColumn(row.record),
      gate: row.gate.length === 0 ? null : JSON.stringify(row.gate),
    },
  );
  numbers.ended(row.turn, { turn, event });
  for (const part of row.parts) insertPart(sql, part, turn, row.event);
  keepTold(sql, row);
  return { stored: true, seq };
}

/** End a row without a reply, and with it its turn. With a turn given, only while the row belongs to it. */
export function close({ sql, numbers }: VerbContext, row: CloseRow): { readonly closed: boolean } {
  const named = numbers.message(row.inbox);
  if (named === null) return { closed: false };
  const n = leadOf(sql, named);
  const ended = endInbox(sql, "unfinished", { n, end: row.end, reason: row.reason, atMs: row.atMs }, { turn: row.turn });
  if (ended === null) return { closed: false };
  endTurn(sql, { inbox: n, atMs: row.atMs, record: toRecordColumn(row.record) });
  dropQuestion(sql, n, { state: "cancelled", atMs: row.atMs });
  return { closed: true };
}

/** The statement that keeps the turns of rows of the inbox; `which` says of which rows. A turn that has ended, and its record, stay as they are. */
export function endTurnsWhere(which: string): string {
  return `insert into turn(id, inbox, generation, started_at_ms, ended_at_ms, record)
     select turn, n, generation, coalesce(started_at_ms, at_ms), :atMs, :record from inbox where turn is not null and lead is null and ${which}
   on conflict(id) do update set record = coalesce(record, excluded.record)`;
}

const END_TURN = endTurnsWhere("n = :inbox");
const END_TURNS_BEFORE = endTurnsWhere("state <> 'ended' and state = 'running' and generation < :generation");

/** Keep the turn that a row of the inbox had, now that it ends. One that has ended stays as it is. */
export function endTurn(sql: Statements, row: { inbox: number; atMs: number; record: string | null }): void {
  sql.run(END_TURN, row);
}

/** Keep every turn that is running, of generations before one: whoever ran it is gone. */
export function endTurnsBefore(sql: Statements, generation: number, atMs: number): void {
  sql.run(END_TURNS_BEFORE, { generation, atMs, record: null });
}

/** Settle the question of a suspended row that ends without an answer. */
export function dropQuestion(sql: Statements, inbox: number, how: { state: "cancelled" | "expired"; atMs: number }): void {
  sql.run("update approval set state = :state, settled_at_ms = :atMs, state_json = '' where inbox = :inbox and state = 'pending'", {
    ...how,
    inbox,
  });
}
