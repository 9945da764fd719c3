import { RuntimeError } from "../../foundation/errors.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import type { AnswerRow, CloseRow, StartResult, StartRow } from "../store.ts";
import { insertEvent } from "./event-rows.ts";
import { endInbox, leadOf } from "./inbox-rows.ts";
import { insertPart } from "./part-verbs.ts";
import { toRecordColumn } from "./record-codec.ts";
import type { Statements } from "./statements.ts";
import { keepTold } from "./told-rows.ts";
import type { VerbContext } from "./verbs.ts";

/** Begin a turn of an open row, and of those it absorbs, and reserve what it may cost. */
export function start({ sql, generation }: VerbContext, row: StartRow): StartResult {
  const started = sql.run(
    `update inbox set state = 'running', attempts = attempts + 1, turn = :turn, generation = :generation
     where id = :inbox and state = 'open' and attempts < :maxAttempts`,
    { turn: row.turn, inbox: row.inbox, maxAttempts: row.maxAttempts, generation },
  );
  if (started === 0) return { started: false, absorbed: [] };
  const absorbed = row.absorbed.filter((id) => absorb(sql, id, row, generation));
  sql.run("insert into turn(id, inbox, generation, started_at_ms, gate) values (:turn, :inbox, :generation, :atMs, '[]')", {
    turn: row.turn,
    inbox: row.inbox,
    generation,
    atMs: row.atMs,
  });
  for (const charge of row.charges)
    sql.run(
      `insert into budget(scope, window_start_ms, amount) values (:scope, :windowStartMs, :amount)
       on conflict(scope, window_start_ms) do update set amount = amount + excluded.amount`,
      { scope: charge.scope, windowStartMs: charge.windowStartMs, amount: charge.amount },
    );
  return { started: true, absorbed };
}

/** Let a row's line be part of a turn that has begun; a row that is not open any more stays out. */
function absorb(sql: Statements, id: MessageId, row: StartRow, generation: number): boolean {
  const absorbed = sql.run(
    `update inbox set state = 'running', attempts = attempts + 1, turn = :turn, generation = :generation, lead = :lead
     where id = :id and state = 'open' and attempts < :maxAttempts and id = root`,
    { id, turn: row.turn, lead: row.inbox, maxAttempts: row.maxAttempts, generation },
  );
  return absorbed === 1;
}

/** Keep a turn's whole result. Refused when the turn is of an older generation, or its row has ended or belongs to another turn. */
export function answer({ sql, generation }: VerbContext, row: AnswerRow): { readonly stored: boolean; readonly seq: number } {
  if (row.parts.length === 0) throw new RuntimeError("invalid_argument", "Cannot keep an answer: it has no part");
  const ending = { id: row.inbox, end: row.end, reason: row.reason, atMs: row.atMs };
  if (endInbox(sql, "running", ending, { turn: row.turn, generation }) === null) return { stored: false, seq: 0 };
  const seq = insertEvent(sql, { ...row.event, state: "pending", turn: row.turn });
  for (const part of row.parts) insertPart(sql, part, seq);
  keepTold(sql, row);
  sql.run("update turn set ended_at_ms = :atMs, record = :record, gate = :gate where id = :turn", {
    turn: row.turn,
    atMs: row.atMs,
    record: toRecordColumn(row.record),
    gate: JSON.stringify(row.gate),
  });
  return { stored: true, seq };
}

/** End a row without a reply, and with it its turn. With a turn given, only while the row belongs to it. */
export function close({ sql }: VerbContext, row: CloseRow): { readonly closed: boolean } {
  const id = leadOf(sql, row.inbox);
  const ending = { id, end: row.end, reason: row.reason, atMs: row.atMs };
  const ended = endInbox(sql, "unfinished", ending, { turn: row.turn });
  if (ended === null) return { closed: false };
  if (ended.turn !== null) endTurn(sql, { turn: ended.turn, atMs: row.atMs, record: toRecordColumn(row.record) });
  dropQuestion(sql, id, { state: "cancelled", atMs: row.atMs });
  return { closed: true };
}

/** Note when a turn ended, unless that is known; a record that is there stays. */
export function endTurn(sql: Statements, row: { turn: string; atMs: number; record: string | null }): void {
  sql.run("update turn set ended_at_ms = coalesce(ended_at_ms, :atMs), record = coalesce(record, :record) where id = :turn", row);
}

/** Settle the question of a suspended row that ends without an answer. */
export function dropQuestion(sql: Statements, inbox: string, how: { state: "cancelled" | "expired"; atMs: number }): void {
  sql.run("update approval set state = :state, settled_at_ms = :atMs, state_json = '' where inbox = :inbox and state = 'pending'", {
    ...how,
    inbox,
  });
}
