import type { ChronicleEvent } from "../../../vocabulary/event.ts";
import type { PartId } from "../../../vocabulary/ids.ts";
import type { Part } from "../../../vocabulary/part.ts";
import type { SettleResult, SettleRow } from "../../store.ts";
import { numberIn } from "../rows/columns.ts";
import { settleLine } from "../rows/event-rows.ts";
import type { TurnNumbers } from "../rows/numbers.ts";
import type { Statements } from "../rows/statements.ts";
import { takeBackTold } from "../rows/told-rows.ts";
import type { VerbContext } from "./verbs.ts";

/** Keep a part of a line: the first of a turn is on its way at once, the rest wait. A part that is the whole line has no words of its own. */
export function insertPart(sql: Statements, part: Part, turn: number, line: Pick<ChronicleEvent, "text" | "action">): void {
  const isWhole = part.body === line.text && part.action === line.action;
  sql.run(
    `insert into part(turn, idx, count, body, action, created_at_ms, state, reason)
     values (:turn, :index, :count, :body, :action, :createdAtMs, :state, '')`,
    {
      turn,
      index: part.index,
      count: part.count,
      body: isWhole ? null : part.body,
      action: isWhole ? null : part.action,
      createdAtMs: part.createdAtMs,
      state: part.index === 0 ? "sending" : "queued",
    },
  );
}

const SETTLED = `update part set state = :state, reason = :reason, platform_id = :platformId, settled_at_ms = :atMs, body = null, action = null
  where turn = :turn and idx = :index`;
const LAST = `${SETTLED} and (state = 'sending' or (state = 'queued' and :state in ('failed', 'expired', 'cancelled'))) returning count`;
const WITH_NEXT = `${SETTLED} and state = 'sending'
  and :next = (select min(p.idx) from part p where p.turn = part.turn and p.state = 'queued') returning count`;

/**
 * Settle a part that is on its way, or one that waits and will not be sent. Parts leave in order: `next` must be the first of the
 * turn that waits, and none may be given when the rest is given up (TR-042).
 */
export function settle({ sql, numbers }: VerbContext, row: SettleRow): SettleResult {
  const at = placeOf(row.part);
  const kept = at === null ? null : numbers.turn(at.turn);
  if (at === null || kept === null) return NOT_SETTLED;
  const { turn } = kept;
  const params = { state: row.state, reason: row.reason, platformId: row.platformId, atMs: row.atMs, turn, index: at.index };
  const next = row.next === null ? null : nextOf(row, at.turn);
  const settled = next === null ? sql.get(LAST, params) : sql.get(WITH_NEXT, { ...params, next });
  if (settled === null) return NOT_SETTLED;
  if (next !== null) sql.run("update part set state = 'sending' where turn = :turn and idx = :next", { turn, next });
  if (row.rest !== null)
    sql.run(
      "update part set state = :rest, reason = :reason, settled_at_ms = :atMs, body = null, action = null where turn = :turn and state = 'queued'",
      { rest: row.rest, reason: row.reason, atMs: row.atMs, turn },
    );
  if (numberIn(settled, "count") === 1) return { settled: true, line: settleSingle(sql, kept, row) };
  return { settled: true, line: next === null ? settleLine(sql, turn) : null };
}

const NOT_SETTLED: SettleResult = { settled: false, line: null };

/** The line of a turn that was one part. */
function settleSingle(sql: Statements, { turn, event }: TurnNumbers, { state }: SettleRow): SettleResult["line"] {
  const line = state === "delivered" || state === "unknown" ? "said" : "unsaid";
  const changed = sql.run("update event set state = :line where n = :event and state = 'pending'", { line, event });
  if (line === "unsaid") takeBackTold(sql, turn);
  return changed === 0 ? null : line;
}

/** Put a waiting part on its way: only the first that waits, and only when none of its turn is on its way. */
export function claim({ sql, numbers }: VerbContext, row: { readonly part: PartId }): { readonly claimed: boolean } {
  const at = placeOf(row.part);
  const kept = at === null ? null : numbers.turn(at.turn);
  if (at === null || kept === null) return { claimed: false };
  const claimed = sql.run(
    `update part set state = 'sending' where turn = :turn and idx = :index and state = 'queued' and not exists (
       select 1 from part p where p.turn = part.turn and (p.state = 'sending' or (p.state = 'queued' and p.idx < part.idx)))`,
    { turn: kept.turn, index: at.index },
  );
  return { claimed: claimed === 1 };
}

/** Which part of which turn an id names. */
function placeOf(part: PartId): { readonly turn: string; readonly index: number } | null {
  const dot = part.lastIndexOf(".");
  const index = Number(part.slice(dot + 1));
  return dot < 0 || !Number.isSafeInteger(index) ? null : { turn: part.slice(0, dot), index };
}

/** The number of the part that is to follow; that of another turn is none that could. */
function nextOf(row: SettleRow, turn: string): number {
  const next = row.next === null || row.rest !== null ? null : placeOf(row.next);
  return next !== null && next.turn === turn ? next.index : -1;
}
