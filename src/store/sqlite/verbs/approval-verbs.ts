import { toldAnswer } from "../../../vocabulary/calls/approval-answer.ts";
import type { ResumeRow, SuspendRow } from "../../store.ts";
import { numberIn } from "../rows/columns.ts";
import type { Statements } from "../rows/statements.ts";
import { insertEvent } from "../rows/event-rows.ts";
import { toRecordColumn } from "../rows/record-codec.ts";
import { insertPart } from "./part-verbs.ts";
import { keepCode } from "./code-verbs.ts";
import { endTurn } from "./turn-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** Questions that may wait at the same time (MC-040). */
export const MAX_PENDING_APPROVALS = 4_096;

/** Put a running turn aside with its question, and say it. Refused when the turn is not the row's, or too many questions wait. */
export function suspend(context: VerbContext, row: SuspendRow): { readonly suspended: boolean; readonly seq: number } {
  const { sql, generation, numbers } = context;
  const n = numbers.message(row.inbox);
  if (n === null) return { suspended: false, seq: 0 };
  const suspended = sql.run(
    `update inbox set state = 'suspended' where n = :n and state = 'running' and turn = :turn and generation = :generation and lead is null
       and (select count(*) from approval where state = 'pending') < :max`,
    { n, turn: row.turn, generation, max: MAX_PENDING_APPROVALS },
  );
  if (suspended === 0) return { suspended: false, seq: 0 };
  sql.run("update inbox set state = 'suspended' where lead = :n and state = 'running'", { n });
  sql.run(
    `insert into approval(id, inbox, turn, digest, call, state_json, person, state, created_at_ms, expires_at_ms, number)
     values (:approval, :n, :turn, :digest, :call, :state, :person, 'pending', :atMs, :expiresAtMs, :number)`,
    {
      approval: row.approval,
      n,
      turn: row.turn,
      digest: row.question.digest,
      call: row.question.call,
      state: row.question.state,
      person: row.person,
      atMs: row.atMs,
      expiresAtMs: row.question.expiresAtMs,
      number: row.number ?? nextNumber(sql),
    },
  );
  if (row.code !== undefined) keepCode(context, row.approval, row.code);
  endTurn(sql, { inbox: n, atMs: row.atMs, record: toRecordColumn(row.record ?? null) });
  return { suspended: true, seq: row.card === undefined ? 0 : sayQuestion(context, row, row.card) };
}

/** Keep the question as a line of its turn, with its parts on their way. */
function sayQuestion(context: VerbContext, { turn }: SuspendRow, { event, parts }: NonNullable<SuspendRow["card"]>): number {
  const { sql, numbers } = context;
  const kept = insertEvent(context, { ...event, state: "pending", turn });
  const row = sql.get("update turn set event = :event where id = :turn returning n", { event: kept.n, turn });
  const n = numberIn(row ?? {}, "n");
  numbers.ended(turn, { turn: n, event: kept.n });
  for (const part of parts) insertPart(sql, part, n, event);
  return kept.seq;
}

/** Take the next number, for whoever has to write it on a card first. */
export function numberQuestion({ sql }: VerbContext): { readonly number: number } {
  return { number: nextNumber(sql) };
}

/** A number for people to type: it only rises, so that an answer to an old question never is one to a new. */
function nextNumber(sql: Statements): number {
  sql.run("update meta set value = cast(cast(value as integer) + 1 as text) where key = 'approval_number'");
  const row = sql.get("select cast(value as integer) as number from meta where key = 'approval_number'");
  return row === null ? 0 : numberIn(row, "number");
}

/**
 * Take the one answer of a question. The suspended row stays suspended and ends with the new row, in the same way: so the message
 * that began it all has one end, and it is what came of it (SE-084, TR-007).
 */
export function resume({ sql, numbers }: VerbContext, row: ResumeRow): { readonly resumed: boolean } {
  const answered = sql.get(
    `update approval set state = 'answered', settled_at_ms = :atMs, answer = :answer, answered_by = :by where id = :approval and digest = :digest and person = :person
       and state = 'pending' and expires_at_ms > :atMs and (:mustBeShown = 0 or shown_at_ms is not null)
       and exists (select 1 from inbox where inbox.n = approval.inbox and inbox.state = 'suspended')
     returning inbox`,
    {
      approval: row.approval,
      digest: row.digest,
      person: row.person,
      by: row.by ?? row.person,
      atMs: row.atMs,
      answer: row.answer,
      mustBeShown: row.mustBeShown === true ? 1 : 0,
    },
  );
  if (answered === null) return { resumed: false };
  const n = numbers.next();
  sql.run(
    `insert into inbox(n, id, root, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, resumed_state, resumed_answer, state, attempts, generation)
     select :n, :id, coalesce(root, n), 'resume', class, character, place, surface, person, :atMs, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, (select state_json from approval where id = :approval), :told, 'open', 0, 0
     from inbox where n = :suspended`,
    {
      n,
      id: row.inbox,
      atMs: row.atMs,
      told: toldAnswer(row.answer, row.reason),
      approval: row.approval,
      suspended: numberIn(answered, "inbox"),
    },
  );
  numbers.named(row.inbox, n);
  sql.run(
    "insert into audit(at_ms, by_person, act, person, about) values (:atMs, :by, case when :answer like 'allow %' then 'approve' else 'refuse' end, null, :approval)",
    { atMs: row.atMs, by: row.by ?? row.person, answer: row.answer, approval: row.approval },
  );
  // What the resumed run needs stands in its own row now, and goes with it.
  sql.run("update approval set state_json = '' where id = :approval", { approval: row.approval });
  return { resumed: true };
}
