import type { MessageId } from "../../vocabulary/ids.ts";
import { parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { PartState } from "../../vocabulary/part.ts";
import { INBOX_ENDS } from "../../vocabulary/turn.ts";
import type { Explanation } from "../store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { readDecision, sharedDecision } from "./decision-rows.ts";
import { readGate, readRecord } from "./record-codec.ts";
import type { Statements } from "./statements.ts";

const INBOX_STATES = ["open", "running", "suspended", "ended"] as const;
const PART_STATES: readonly PartState[] = ["queued", "sending", "delivered", "unknown", "failed", "expired", "cancelled"];

/**
 * All that is known of a message: by its own id, by the id of the line that answered it, or of a row that went on from it. Ids,
 * codes and counts only (TR-003); who may see it is the caller's matter (SE-094).
 */
export function explain(sql: Statements, id: MessageId): Explanation | null {
  const inbox = inboxOf(sql, id);
  const decision = decisionOf(sql, inbox === null ? id : textIn(inbox, "root"));
  if (decision === null) return null;
  const turn = inbox === null ? null : sql.get(LAST_TURN, { root: optionalTextIn(inbox, "lead") ?? textIn(inbox, "root") });
  return {
    ...readDecision(decision),
    end: inbox === null || inbox["end"] === null ? null : wordIn(inbox, "end", INBOX_ENDS),
    endReason: inbox === null ? null : optionalTextIn(inbox, "end_reason"),
    inboxState: inbox === null ? null : wordIn(inbox, "state", INBOX_STATES),
    attempts: inbox === null ? 0 : numberIn(inbox, "attempts"),
    turn: turn === null ? null : readTurn(turn),
    parts: turn === null ? [] : partsOf(sql, textIn(turn, "id")),
  };
}

/** A line that was part of another's turn has that one's; a row that was resumed has its turns in the rows that went on from it: the last of all is the one that counts. */
const LAST_TURN = `select turn.* from turn join inbox on turn.inbox = inbox.id where inbox.root = :root order by turn.n desc limit 1`;

function inboxOf(sql: Statements, id: string): Row | null {
  const own = sql.get("select * from inbox where id = :id", { id });
  if (own !== null) return own;
  return sql.get("select inbox.* from event join turn on turn.id = event.turn join inbox on inbox.id = turn.inbox where event.id = :id", {
    id,
  });
}

function decisionOf(sql: Statements, id: string): Row | null {
  const own = sql.get("select * from decision where id = :id", { id });
  if (own !== null) return own;
  const event = sql.get("select author, at_ms from event where id = :id and author_kind = 'person'", { id });
  return event === null ? null : sharedDecision(sql, textIn(event, "author"), numberIn(event, "at_ms"));
}

function readTurn(row: Row): NonNullable<Explanation["turn"]> {
  const record = readRecord(optionalTextIn(row, "record"));
  return {
    id: parseTurnId(textIn(row, "id")),
    startedAtMs: numberIn(row, "started_at_ms"),
    endedAtMs: optionalNumberIn(row, "ended_at_ms"),
    record,
    packet: record?.packet ?? null,
    gate: readGate(textIn(row, "gate")),
  };
}

function partsOf(sql: Statements, turn: string): Explanation["parts"] {
  return sql.all("select * from part where turn = :turn order by idx", { turn }).map((row) => ({
    id: partIdOf(parseTurnId(turn), numberIn(row, "idx")),
    state: wordIn(row, "state", PART_STATES),
    reason: textIn(row, "reason"),
    settledAtMs: optionalNumberIn(row, "settled_at_ms"),
  }));
}
