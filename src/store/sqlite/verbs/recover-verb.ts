import type { Part } from "../../../vocabulary/part.ts";
import { parseCharacterId, parseMessageId, parseTurnId, partIdOf } from "../../../vocabulary/ids.ts";
import type { RecoverRow } from "../../store.ts";
import type { Row } from "../rows/columns.ts";
import { numberIn, optionalTextIn, textIn } from "../rows/columns.ts";
import { settleLine } from "../rows/event-rows.ts";
import { endInbox } from "../rows/inbox-rows.ts";
import { expireQuestions } from "./lapse-verb.ts";
import { placeIn } from "../rows/place-codec.ts";
import type { Statements } from "../rows/statements.ts";
import { endTurn, endTurnsBefore } from "./turn-verbs.ts";
import type { VerbContext, VerbResults } from "./verbs.ts";

// `state <> 'ended'` stands in each statement because it is what the index of active rows says of itself.

/**
 * Bring everything that an earlier process left into a state from which it can go on (TR-042, TR-044). Doing it again changes nothing. Rows
 * to run are read by whoever runs them, once this stands: there may be many, and none is copied from thread to thread.
 */
export function recover({ sql, generation }: VerbContext, row: RecoverRow): VerbResults["recover"] {
  expireParts(sql, row);
  for (const line of sql.all(PENDING)) settleLine(sql, numberIn(line, "n"));
  const questions = expireQuestions(sql, row.nowMs);
  endTurnsBefore(sql, generation, row.nowMs);
  disband(sql, generation);
  const expired = questions + expireInbox(sql, row);
  const interrupted = reopen(sql, row, generation);
  const parts = openParts(sql, row);
  return { recovery: { sending: parts.sending, queued: parts.queued, expired, interrupted }, setAside: parts.setAside };
}

/** Turns whose line is not settled: also where damage left it no open part. */
const PENDING = "select turn.n from event join turn on turn.id = event.turn where event.state = 'pending'";

/** A turn's parts are as old as the oldest that is open. One that waits is `expired`; one that was on its way may have arrived. */
function expireParts(sql: Statements, row: RecoverRow): void {
  sql.run(
    `update part set state = case state when 'sending' then 'unknown' else 'expired' end, reason = 'too_old', settled_at_ms = :nowMs,
       body = null, action = null
     where state in ('queued', 'sending')
       and turn in (select turn from part where state in ('queued', 'sending') and created_at_ms < :before)`,
    { nowMs: row.nowMs, before: row.nowMs - row.maxPartAgeMs },
  );
}

/** Turns that died gather their rows no more: each is old, tried or run again for itself, and the lane joins them anew. */
function disband(sql: Statements, generation: number): void {
  sql.run("update inbox set lead = null where lead is not null and state = 'running' and generation < :generation", { generation });
}

function expireInbox(sql: Statements, row: RecoverRow): number {
  const late = sql.all("select n from inbox where state <> 'ended' and state in ('open', 'running') and at_ms < :before order by n", {
    before: row.nowMs - row.maxInboxAgeMs,
  });
  for (const one of late) endUnfinished(sql, { n: numberIn(one, "n"), end: "expired", reason: "too_old", atMs: row.nowMs });
  return late.length;
}

/** Rows whose turn died with an earlier process: once more, or `interrupted` when they had their attempts. */
function reopen(sql: Statements, row: RecoverRow, generation: number): number {
  const died = sql.all(
    "select n, attempts from inbox where state <> 'ended' and state = 'running' and generation < :generation order by n",
    {
      generation,
    },
  );
  let interrupted = 0;
  for (const one of died) {
    const n = numberIn(one, "n");
    if (numberIn(one, "attempts") >= row.maxAttempts) {
      interrupted += 1;
      endUnfinished(sql, { n, end: "interrupted", reason: "restart", atMs: row.nowMs });
      continue;
    }
    sql.run("update inbox set state = 'open', turn = null, started_at_ms = null where n = :n", { n });
  }
  return interrupted;
}

function endUnfinished(
  sql: Statements,
  ending: { n: number; end: "expired" | "interrupted" | "failed"; reason: string; atMs: number },
): void {
  if (endInbox(sql, "unfinished", ending, { turn: null }) !== null) endTurn(sql, { inbox: ending.n, atMs: ending.atMs, record: null });
}

/** Rows that whoever read them could not read: they end, so that they keep nothing from starting (TR-085). */
export function setAside({ sql }: VerbContext, row: { readonly rows: readonly number[]; readonly atMs: number }): null {
  for (const n of row.rows) endUnfinished(sql, { n, end: "failed", reason: "unreadable", atMs: row.atMs });
  return null;
}

/** Each part with the turn that said it, and the line that turn answers (MC-061). */
const OPEN_PARTS = `select part.turn, turn.id as turn_id, part.idx, part.count, part.state, part.created_at_ms, turn.generation,
    coalesce(part.body, line.body) as body, coalesce(part.action, line.action) as action,
    coalesce(inbox.character, place.character) as character, place.id as place, inbox.surface,
    coalesce(inbox.trigger_id, said.id, case when inbox.root is null then inbox.id else (select id from inbox r where r.n = inbox.root) end) as trigger_id,
    case when inbox.trigger_id is null then said.delivery else (select delivery from event where event.id = inbox.trigger_id) end as trigger_delivery
  from part left join turn on turn.n = part.turn left join event as line on line.n = turn.event left join inbox on inbox.n = turn.inbox
    left join place on place.n = inbox.place left join event as said on said.n = coalesce(inbox.root, inbox.n)
  where part.state in ('queued', 'sending') order by place.id, line.seq, part.idx`;

function openParts(sql: Statements, row: RecoverRow): { sending: readonly Part[]; queued: readonly Part[]; setAside: number } {
  const sending: Part[] = [];
  const queued: Part[] = [];
  let setAside = 0;
  for (const one of sql.all(OPEN_PARTS)) {
    try {
      (one["state"] === "sending" ? sending : queued).push(readPart(one));
    } catch {
      setAside += 1;
      const turn = numberIn(one, "turn");
      sql.run("update part set state = 'failed', reason = 'unreadable', settled_at_ms = :nowMs where turn = :turn and idx = :index", {
        nowMs: row.nowMs,
        turn,
        index: numberIn(one, "idx"),
      });
      settleLine(sql, turn);
    }
  }
  return { sending, queued, setAside };
}

function readPart(row: Row): Part {
  const turn = parseTurnId(textIn(row, "turn_id"));
  const index = numberIn(row, "idx");
  return {
    id: partIdOf(turn, index),
    turn,
    character: parseCharacterId(textIn(row, "character")),
    place: placeIn(row),
    answers: { message: parseMessageId(textIn(row, "trigger_id")), deliveryId: optionalTextIn(row, "trigger_delivery") },
    generation: numberIn(row, "generation"),
    index,
    count: numberIn(row, "count"),
    body: textIn(row, "body"),
    action: textIn(row, "action"),
    createdAtMs: numberIn(row, "created_at_ms"),
  };
}
