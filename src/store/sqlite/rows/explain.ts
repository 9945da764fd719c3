import type { MessageId } from "../../../vocabulary/ids.ts";
import { parseTurnId, partIdOf } from "../../../vocabulary/ids.ts";
import type { PartState } from "../../../vocabulary/part.ts";
import { INBOX_ENDS } from "../../../vocabulary/turn.ts";
import type { Explanation } from "../../store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { readDecision, sharedDecision } from "./decision-rows.ts";
import { NUMBER_OF } from "./numbers.ts";
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
  const decision = inbox === null ? decisionOf(sql, numberOf(sql, id)) : decisionOf(sql, numberIn(inbox, "root"));
  if (decision === null) return null;
  const turn = inbox === null ? null : lastTurnOf(sql, optionalNumberIn(inbox, "lead") ?? numberIn(inbox, "root"));
  return {
    ...readDecision(decision),
    ...(inbox === null ? NEVER_WAITED : readInboxRow(inbox)),
    turn: turn === null ? null : readTurn(turn),
    parts: turn === null ? [] : partsOf(sql, textIn(turn, "id")),
  };
}

type Waited = Pick<Explanation, "end" | "endReason" | "endedAtMs" | "inboxState" | "attempts">;

const NEVER_WAITED: Waited = { end: null, endReason: null, endedAtMs: null, inboxState: null, attempts: 0 };

function readInboxRow(row: Row): Waited {
  return {
    end: row["end"] === null ? null : wordIn(row, "end", INBOX_ENDS),
    endReason: optionalTextIn(row, "end_reason"),
    endedAtMs: optionalNumberIn(row, "ended_at_ms"),
    inboxState: wordIn(row, "state", INBOX_STATES),
    attempts: numberIn(row, "attempts"),
  };
}

/** A line that was part of another's turn has that one's; a row that was resumed has its turns in the rows that went on from it: the last of all is the one that counts. */
function lastTurnOf(sql: Statements, root: number): Row | null {
  return sql.get(RUNNING_TURN, { root }) ?? sql.get(LAST_TURN, { root });
}

const RUNNING_TURN = `select turn as id, coalesce(started_at_ms, at_ms) as started_at_ms, null as ended_at_ms, null as record, null as gate
  from inbox where (n = :root or root = :root) and state = 'running' and lead is null and turn is not null`;
const LAST_TURN = `select * from turn where inbox in (select n from inbox where n = :root or root = :root) order by n desc limit 1`;

const INBOX = "select coalesce(root, n) as root, lead, state, end, end_reason, ended_at_ms, attempts from inbox";

function numberOf(sql: Statements, id: string): number | null {
  const row = sql.get(NUMBER_OF, { id });
  return row === null ? null : numberIn(row, "n");
}

function inboxOf(sql: Statements, id: string): Row | null {
  const own = sql.get(`${INBOX} where n = (${NUMBER_OF})`, { id });
  if (own !== null) return own;
  return sql.get(`${INBOX} where n = (select turn.inbox from event join turn on turn.id = event.turn where event.id = :id)`, { id });
}

function decisionOf(sql: Statements, n: number | null): Row | null {
  if (n === null) return null;
  const own = sql.get("select * from decisions where n = :n", { n });
  if (own !== null) return own;
  const line = sql.get(
    `select coalesce(event.author, place.person) as author, event.at_ms from event join place on place.n = event.place
     where event.n = :n and event.author_kind = 'person'`,
    { n },
  );
  return line === null ? null : sharedDecision(sql, textIn(line, "author"), numberIn(line, "at_ms"));
}

function readTurn(row: Row): NonNullable<Explanation["turn"]> {
  const record = readRecord(optionalTextIn(row, "record"));
  return {
    id: parseTurnId(textIn(row, "id")),
    startedAtMs: numberIn(row, "started_at_ms"),
    endedAtMs: optionalNumberIn(row, "ended_at_ms"),
    record,
    packet: record?.packet ?? null,
    gate: readGate(optionalTextIn(row, "gate")),
  };
}

function partsOf(sql: Statements, turn: string): Explanation["parts"] {
  return sql.all("select * from parts where turn = :turn order by idx", { turn }).map((row) => ({
    id: partIdOf(parseTurnId(turn), numberIn(row, "idx")),
    state: wordIn(row, "state", PART_STATES),
    reason: textIn(row, "reason"),
    settledAtMs: optionalNumberIn(row, "settled_at_ms"),
  }));
}
