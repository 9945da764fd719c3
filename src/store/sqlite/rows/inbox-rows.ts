import { RuntimeError } from "../../../foundation/errors.ts";
import type { ChronicleEvent } from "../../../vocabulary/event.ts";
import { parseCharacterId, parseMessageId } from "../../../vocabulary/ids.ts";
import type { Role } from "../../../vocabulary/principal.ts";
import { ASSURANCES, parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { InboxEnd, InboxKind, Trigger } from "../../../vocabulary/turn.ts";
import type { InboxRow } from "../../store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { MESSAGE_CLASSES } from "./decision-rows.ts";
import { lineOf, placeIn, placeOf } from "./place-codec.ts";
import type { Params, Statements } from "./statements.ts";

const KINDS: readonly InboxKind[] = ["message", "answer", "wake", "schedule", "resume", "task_end", "initiative"];
const ROLES: readonly Role[] = ["operator", "trusted", "guest", "bot", "blocked"];

/** Where a row is kept, and the line that it is about. */
export interface InboxNumbers {
  readonly n: number;
  readonly place: number;
  readonly line: ChronicleEvent;
}

/** Keep a row that waits for its turn. What its line or its place says already is not said again. */
export function insertInbox(sql: Statements, row: InboxRow, { n, place, line }: InboxNumbers): void {
  const direct = lineOf(row.place.id);
  sql.run(
    `insert into inbox(n, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, resumed_state, resumed_answer, state, attempts, generation)
     values (:n, :kind, :class, :character, :place, :surface, :person, :atMs, :role, :assurance, :triggerId, :triggerText, :triggerName,
       :triggerAtMs, :resumedState, :resumedAnswer, 'open', 0, 0)`,
    {
      n,
      kind: row.kind,
      class: row.class,
      character: direct?.character === row.character ? null : row.character,
      place,
      surface: row.place.surface,
      person: direct?.person === row.person ? null : row.person,
      atMs: row.atMs,
      role: row.role,
      assurance: row.assurance,
      ...triggerColumns(row.trigger, line),
      resumedState: row.resumed?.state ?? null,
      resumedAnswer: row.resumed?.answer ?? null,
    },
  );
}

/** Only a trigger that is other than the line needs columns. */
function triggerColumns(trigger: Trigger, line: ChronicleEvent): Params {
  if (saysTheSame(trigger, line)) return NOT_SAID_AGAIN;
  return { triggerId: trigger.id, triggerText: trigger.text, triggerName: trigger.displayName, triggerAtMs: trigger.atMs };
}

const NOT_SAID_AGAIN: Params = { triggerId: null, triggerText: null, triggerName: null, triggerAtMs: null };

function saysTheSame(trigger: Trigger, { id, text, author, atMs }: ChronicleEvent): boolean {
  const name = author.kind === "person" ? author.name : "";
  return trigger.id === id && trigger.text === text && trigger.displayName === name && trigger.atMs === atMs;
}

/** How a row ends. */
export interface Ending {
  readonly n: number;
  readonly end: InboxEnd;
  readonly reason: string;
  readonly atMs: number;
}

/** The turn that a row last had, if any, and since when. */
export interface EndedInbox {
  readonly turn: string | null;
  readonly startedAtMs: number;
}

/**
 * The guards of an ending. A suspended row ends only while its question waits: once answered, it ends together with the `resume`
 * row that goes on in its place.
 */
const GUARDS = {
  running: "state = 'running' and turn = :turn and generation = :generation and lead is null",
  unfinished: `(:turn is null or turn = :turn) and (state in ('open', 'running')
    or (state = 'suspended' and exists (select 1 from approval where approval.inbox = inbox.n and approval.state = 'pending')))`,
} as const;

const ENDED = `update inbox set state = 'ended', end = :end, end_reason = :reason, ended_at_ms = :atMs,
  trigger_text = null, trigger_name = null, resumed_state = null, resumed_answer = null`;
const END_ONE = {
  running: `${ENDED} where n = :n and ${GUARDS.running} returning root, turn, coalesce(started_at_ms, at_ms) as started`,
  unfinished: `${ENDED} where n = :n and ${GUARDS.unfinished} returning root, turn, coalesce(started_at_ms, at_ms) as started`,
} as const;
const END_PUT_ASIDE = `${ENDED} where (n = :root or root = :root) and state = 'suspended'`;
// Only a message absorbs others, never a row that goes on from one: so the lead is always the root.
const END_ABSORBED = `${ENDED} where lead = :root and state in ('running', 'suspended')`;

/** The row that a row's turn is noted for: itself, or the one that absorbed it. */
export function leadOf(sql: Statements, n: number): number {
  const row = sql.get("select lead from inbox where n = :n", { n });
  return (row === null ? null : optionalNumberIn(row, "lead")) ?? n;
}

/**
 * End a row, and with it those it absorbed and the suspended rows that it goes on from; the words they held go. Gives the turn the row last had; null
 * when the guard is false, and then nothing happened. A row ends once: every guard wants one that has not.
 */
export function endInbox(sql: Statements, guard: keyof typeof GUARDS, ending: Ending, params: Params): EndedInbox | null {
  const how: Params = { end: ending.end, reason: ending.reason, atMs: ending.atMs };
  const { n } = ending;
  const ended = sql.get(END_ONE[guard], { ...how, n, ...params });
  if (ended === null) return null;
  const root = optionalNumberIn(ended, "root") ?? n;
  if (root !== n) sql.run(END_PUT_ASIDE, { ...how, root });
  sql.run(END_ABSORBED, { ...how, root });
  return { turn: optionalTextIn(ended, "turn"), startedAtMs: numberIn(ended, "started") };
}

/** Where the line that a row of the view `inboxes` is about was said, by the line itself, or by what was decided of it where that is gone. */
const HEARD_IN = `(select id from place where n = coalesce(
  (select place from event where event.n = inboxes.root), (select place from decision where decision.n = inboxes.root))) as heard_in`;

/** The view `inboxes`, as {@link readInbox} wants its rows. */
export const INBOXES: string = `select inboxes.*, ${HEARD_IN} from inboxes`;

/** A row of {@link INBOXES} as it was stored. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function readInbox(row: Row): InboxRow {
  const state = optionalTextIn(row, "resumed_state");
  const heardIn = optionalTextIn(row, "heard_in") ?? textIn(row, "place");
  return {
    id: parseMessageId(textIn(row, "id")),
    kind: wordIn(row, "kind", KINDS),
    class: wordIn(row, "class", MESSAGE_CLASSES),
    character: parseCharacterId(textIn(row, "character")),
    place: placeIn(row),
    ...(heardIn === row["place"] ? {} : { heardIn: placeOf(heardIn, textIn(row, "surface")) }),
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

/** The message a suspended row began with, and those it absorbed. One that cannot be read is left out. */
export function readPutAside(sql: Statements, root: number): readonly InboxRow[] {
  return sql.all(`${INBOXES} where state = 'suspended' and (n = :root or lead = :root) order by n`, { root }).flatMap((row) => {
    try {
      return [readInbox(row)];
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      return []; // A damaged row; it ends with the others.
    }
  });
}

/** Rows to run, as a start finds them, and the numbers of those that cannot be read. */
export interface OpenRows {
  readonly open: readonly (InboxRow & { readonly attempts: number })[];
  readonly unreadable: readonly number[];
}

const OPEN = `select n, id, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_delivery, trigger_text,
    trigger_name, trigger_at_ms, resumed_state, resumed_answer, attempts, ${HEARD_IN}
  from inboxes where state <> 'ended' and state = 'open' order by n`;

/** Read every row that is open, oldest first. */
export function readOpenRows(sql: Statements): OpenRows {
  const open: (InboxRow & { readonly attempts: number })[] = [];
  const unreadable: number[] = [];
  for (const row of sql.each(OPEN)) {
    try {
      open.push({ ...readInbox(row), attempts: numberIn(row, "attempts") });
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      unreadable.push(numberIn(row, "n"));
    }
  }
  return { open, unreadable };
}
