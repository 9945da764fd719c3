import type { Part } from "../../vocabulary/part.ts";
import { parseCharacterId, parseMessageId, parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { InboxRow, RecoverRow, Recovery } from "../store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalTextIn, textIn } from "./columns.ts";
import { settleLine } from "./event-rows.ts";
import { INBOX_ROWS, endInbox, readInbox } from "./inbox-rows.ts";
import { expireQuestions } from "./lapse-verb.ts";
import { placeIn } from "./place-codec.ts";
import type { Statements } from "./statements.ts";
import { endTurn } from "./turn-verbs.ts";
import type { VerbContext, VerbResults } from "./verbs.ts";

// `state <> 'ended'` stands in each statement because it is what the index of active rows says of itself.

/** Bring everything that an earlier process left into a state from which it can go on (TR-042, TR-044). Doing it again changes nothing. */
export function recover({ sql, generation }: VerbContext, row: RecoverRow): VerbResults["recover"] {
  expireParts(sql, row);
  for (const line of sql.all("select turn from event where state = 'pending' and turn is not null")) settleLine(sql, textIn(line, "turn"));
  const questions = expireQuestions(sql, row.nowMs);
  disband(sql, generation);
  const expired = questions + expireInbox(sql, row);
  const interrupted = reopen(sql, row, generation);
  const rows = openRows(sql, row);
  const parts = openParts(sql, row);
  const recovery: Recovery = { sending: parts.sending, queued: parts.queued, open: rows.open, expired, interrupted };
  return { recovery, setAside: rows.setAside + parts.setAside };
}

/** A turn's parts are as old as the oldest that is open. One that waits is `expired`; one that was on its way may have arrived. */
function expireParts(sql: Statements, row: RecoverRow): void {
  sql.run(
    `update part set state = case state when 'sending' then 'unknown' else 'expired' end, reason = 'too_old', settled_at_ms = :nowMs,
       body = '', action = ''
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
  const late = sql.all("select id from inbox where state <> 'ended' and state in ('open', 'running') and at_ms < :before order by n", {
    before: row.nowMs - row.maxInboxAgeMs,
  });
  for (const one of late) endUnfinished(sql, { id: textIn(one, "id"), end: "expired", reason: "too_old", atMs: row.nowMs });
  return late.length;
}

/** Rows whose turn died with an earlier process: once more, or `interrupted` when they had their attempts. */
function reopen(sql: Statements, row: RecoverRow, generation: number): number {
  const died = sql.all(
    "select id, turn, attempts from inbox where state <> 'ended' and state = 'running' and generation < :generation order by n",
    {
      generation,
    },
  );
  let interrupted = 0;
  for (const one of died) {
    const id = textIn(one, "id");
    if (numberIn(one, "attempts") >= row.maxAttempts) {
      interrupted += 1;
      endUnfinished(sql, { id, end: "interrupted", reason: "restart", atMs: row.nowMs });
      continue;
    }
    // A row that names no turn is a damaged one; it must not keep the rest from starting (TR-085).
    if (typeof one["turn"] === "string") endTurn(sql, { turn: one["turn"], atMs: row.nowMs, record: null });
    sql.run("update inbox set state = 'open', turn = null where id = :id", { id });
  }
  return interrupted;
}

function endUnfinished(
  sql: Statements,
  ending: { id: string; end: "expired" | "interrupted" | "failed"; reason: string; atMs: number },
): void {
  const ended = endInbox(sql, "unfinished", ending, { turn: null });
  if (ended !== null && ended.turn !== null) endTurn(sql, { turn: ended.turn, atMs: ending.atMs, record: null });
}

function openRows(sql: Statements, row: RecoverRow): { open: readonly (InboxRow & { readonly attempts: number })[]; setAside: number } {
  const open: (InboxRow & { readonly attempts: number })[] = [];
  let setAside = 0;
  for (const one of sql.all(`${INBOX_ROWS} where state <> 'ended' and state = 'open' order by n`)) {
    try {
      open.push({ ...readInbox(one), attempts: numberIn(one, "attempts") });
    } catch {
      // A row that cannot be read is set aside and counted; it must not keep the rest from starting (TR-085).
      setAside += 1;
      endUnfinished(sql, { id: textIn(one, "id"), end: "failed", reason: "unreadable", atMs: row.nowMs });
    }
  }
  return { open, setAside };
}

/** Each part with the turn that said it, and the line that turn answers (MC-061). */
const OPEN_PARTS = `select part.*, turn.generation, inbox.trigger_id,
    (select delivery from event where event.id = inbox.trigger_id) as trigger_delivery
  from part left join turn on turn.id = part.turn left join inbox on inbox.id = turn.inbox
  where part.state in ('queued', 'sending') order by part.place, part.seq, part.idx`;

function openParts(sql: Statements, row: RecoverRow): { sending: readonly Part[]; queued: readonly Part[]; setAside: number } {
  const sending: Part[] = [];
  const queued: Part[] = [];
  let setAside = 0;
  for (const one of sql.all(OPEN_PARTS)) {
    try {
      (one["state"] === "sending" ? sending : queued).push(readPart(one));
    } catch {
      setAside += 1;
      sql.run("update part set state = 'failed', reason = 'unreadable', settled_at_ms = :nowMs where n = :n", {
        nowMs: row.nowMs,
        n: numberIn(one, "n"),
      });
      settleLine(sql, textIn(one, "turn"));
    }
  }
  return { sending, queued, setAside };
}

function readPart(row: Row): Part {
  const turn = parseTurnId(textIn(row, "turn"));
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
