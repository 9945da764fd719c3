import { parseCharacterId, parseMessageId } from "../../vocabulary/ids.ts";
import type { Role } from "../../vocabulary/principal.ts";
import { ASSURANCES, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { InboxEnd, InboxKind } from "../../vocabulary/turn.ts";
import type { InboxRow } from "../store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { MESSAGE_CLASSES } from "./decision-rows.ts";
import { placeIn } from "./place-codec.ts";
import type { Params, Statements } from "./statements.ts";

const KINDS: readonly InboxKind[] = ["message", "answer", "wake", "schedule", "resume", "task_end", "initiative"];
const ROLES: readonly Role[] = ["operator", "trusted", "guest", "bot", "blocked"];

/** Keep a row that waits for its turn. */
export function insertInbox(sql: Statements, row: InboxRow): void {
  sql.run(
    `insert into inbox(id, root, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, resumed_state, resumed_answer, state, attempts, generation)
     values (:id, :id, :kind, :class, :character, :place, :surface, :person, :atMs, :role, :assurance, :triggerId, :triggerText, :triggerName,
       :triggerAtMs, :resumedState, :resumedAnswer, 'open', 0, 0)`,
    {
      id: row.id,
      kind: row.kind,
      class: row.class,
      character: row.character,
      place: row.place.id,
      surface: row.place.surface,
      person: row.person,
      atMs: row.atMs,
      role: row.role,
      assurance: row.assurance,
      triggerId: row.trigger.id,
      triggerText: row.trigger.text,
      triggerName: row.trigger.displayName,
      triggerAtMs: row.trigger.atMs,
      resumedState: row.resumed?.state ?? null,
      resumedAnswer: row.resumed?.answer ?? null,
    },
  );
}

/** How a row ends. */
export interface Ending {
  readonly id: string;
  readonly end: InboxEnd;
  readonly reason: string;
  readonly atMs: number;
}

/**
 * The guards of an ending. A suspended row ends only while its question waits: once answered, it ends together with the `resume`
 * row that goes on in its place.
 */
const GUARDS = {
  running: "state = 'running' and turn = :turn and generation = :generation and lead is null",
  unfinished: `(:turn is null or turn = :turn) and (state in ('open', 'running')
    or (state = 'suspended' and exists (select 1 from approval where approval.inbox = inbox.id and approval.state = 'pending')))`,
} as const;

const ENDED = `update inbox set state = 'ended', end = :end, end_reason = :reason, ended_at_ms = :atMs,
  trigger_text = '', trigger_name = '', resumed_state = null, resumed_answer = null`;

/** The row that a row's turn is noted for: itself, or the one that absorbed it. */
export function leadOf(sql: Statements, id: string): string {
  const row = sql.get("select lead from inbox where id = :id", { id });
  return (row === null ? null : optionalTextIn(row, "lead")) ?? id;
}

/**
 * End a row, and with it those it absorbed and the suspended rows that it goes on from; the words they held go. Gives the turn the row last had; null
 * when the guard is false, and then nothing happened. A row ends once: every guard wants one that has not.
 */
export function endInbox(
  sql: Statements,
  guard: keyof typeof GUARDS,
  ending: Ending,
  params: Params,
): { readonly turn: string | null } | null {
  const how: Params = { end: ending.end, reason: ending.reason, atMs: ending.atMs };
  const ended = sql.get(`${ENDED} where id = :id and ${GUARDS[guard]} returning root, turn`, { ...how, id: ending.id, ...params });
  if (ended === null) return null;
  const root = textIn(ended, "root");
  if (root !== ending.id) sql.run(`${ENDED} where root = :root and state = 'suspended'`, { ...how, root });
  // Only a message absorbs others, never a row that goes on from one: so the lead is always the root.
  sql.run(`${ENDED} where lead = :root and state in ('running', 'suspended')`, { ...how, root });
  return { turn: optionalTextIn(ended, "turn") };
}

/** What {@link readInbox} reads: the rows, with the delivery that the line of each came in by. */
export const INBOX_ROWS = `select inbox.*, (select delivery from event where event.id = inbox.trigger_id) as trigger_delivery from inbox`;

/** A row as it was stored. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function readInbox(row: Row): InboxRow {
  const state = optionalTextIn(row, "resumed_state");
  return {
    id: parseMessageId(textIn(row, "id")),
    kind: wordIn(row, "kind", KINDS),
    class: wordIn(row, "class", MESSAGE_CLASSES),
    character: parseCharacterId(textIn(row, "character")),
    place: placeIn(row),
    person: parsePrincipalId(textIn(row, "person")),
    atMs: numberIn(row, "at_ms"),
    role: wordIn(row, "role", ROLES),
    assurance: wordIn(row, "assurance", ASSURANCES),
    trigger: {
      id: parseMessageId(textIn(row, "trigger_id")),
      deliveryId: optionalTextIn(row, "trigger_delivery"),
      text: textIn(row, "trigger_text"),
      displayName: textIn(row, "trigger_name"),
      atMs: numberIn(row, "trigger_at_ms"),
    },
    ...(state === null ? {} : { resumed: { state, answer: textIn(row, "resumed_answer") } }),
  };
}
