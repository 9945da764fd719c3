import type { Part } from "../../vocabulary/part.ts";
import type { PartId } from "../../vocabulary/ids.ts";
import type { SettleRow } from "../store.ts";
import { textIn } from "./columns.ts";
import { settleLine } from "./event-rows.ts";
import type { Statements } from "./statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Keep a part of a line: the first of a turn is on its way at once, the rest wait. */
export function insertPart(sql: Statements, part: Part, seq: number): void {
  sql.run(
    `insert into part(id, turn, character, place, surface, seq, idx, count, body, action, created_at_ms, state, reason)
     values (:id, :turn, :character, :place, :surface, :seq, :index, :count, :body, :action, :createdAtMs, :state, '')`,
    {
      id: part.id,
      turn: part.turn,
      character: part.character,
      place: part.place.id,
      surface: part.place.surface,
      seq,
      index: part.index,
      count: part.count,
      body: part.body,
      action: part.action,
      createdAtMs: part.createdAtMs,
      state: part.index === 0 ? "sending" : "queued",
    },
  );
}

/**
 * Settle a part that is on its way, or one that waits and will not be sent. Parts leave in order: `next` must be the first of the
 * turn that waits, and none may be given when the rest is given up (TR-042).
 */
export function settle({ sql }: VerbContext, row: SettleRow): { readonly settled: boolean } {
  const settled = sql.get(
    `update part set state = :state, reason = :reason, platform_id = :platformId, settled_at_ms = :atMs, body = '', action = ''
     where id = :part and (state = 'sending' or (state = 'queued' and :state in ('failed', 'expired', 'cancelled') and :next is null))
       and (:next is null or (:rest is null and :next =
         (select p.id from part p where p.turn = part.turn and p.state = 'queued' order by p.idx limit 1)))
     returning turn`,
    {
      part: row.part,
      state: row.state,
      reason: row.reason,
      platformId: row.platformId,
      atMs: row.atMs,
      next: row.next,
      rest: row.rest,
    },
  );
  if (settled === null) return { settled: false };
  const turn = textIn(settled, "turn");
  if (row.next !== null) sql.run("update part set state = 'sending' where id = :next", { next: row.next });
  if (row.rest !== null)
    sql.run(
      "update part set state = :rest, reason = :reason, settled_at_ms = :atMs, body = '', action = '' where turn = :turn and state = 'queued'",
      { rest: row.rest, reason: row.reason, atMs: row.atMs, turn },
    );
  settleLine(sql, turn);
  return { settled: true };
}

/** Put a waiting part on its way: only the first that waits, and only when none of its turn is on its way. */
export function claim({ sql }: VerbContext, row: { readonly part: PartId }): { readonly claimed: boolean } {
  const claimed = sql.run(
    `update part set state = 'sending' where id = :part and state = 'queued' and not exists (
       select 1 from part p where p.turn = part.turn and (p.state = 'sending' or (p.state = 'queued' and p.idx < part.idx)))`,
    { part: row.part },
  );
  return { claimed: claimed === 1 };
}
