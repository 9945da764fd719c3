import { RuntimeError } from "../../../foundation/errors.ts";
import type { ProposalEffect, ProposeRow, SettleProposalRow } from "../../call-store.ts";
import { MAX_PENDING_APPROVALS, numberQuestion } from "./approval-verbs.ts";
import { isStopped } from "./call-verbs.ts";
import { numberIn } from "../rows/columns.ts";
import { writeAudit } from "./operator-verbs.ts";
import { setSetting, setTrust } from "./people-verbs.ts";
import type { PseudonymOf } from "../rows/pseudonym.ts";
import type { VerbContext } from "./verbs.ts";

/** {@link SettleProposalRow} as the writer gets it. */
export interface SettleProposalCall extends SettleProposalRow {
  /** Under which name somebody goes on who was forgotten; null where the effect is on nobody. */
  readonly pseudonym: ReturnType<PseudonymOf> | null;
}

/** Proposals stand among the questions, without a row of the inbox; whose they are stands where a turn keeps its state. */
const WAITS = "inbox is null and state = 'pending' and state_json = :client";

/** Keep a proposal as a question. What is proposed already keeps its number; one too many is not kept. */
export function propose(context: VerbContext, row: ProposeRow): { readonly number: number | null } {
  const { sql } = context;
  const { client, digest, atMs } = row;
  sql.run(
    "update approval set state = 'expired', settled_at_ms = :atMs, state_json = '', call = '' where inbox is null and state = 'pending' and expires_at_ms <= :atMs",
    { atMs },
  );
  const same = sql.get(`select number from approval where ${WAITS} and digest = :digest`, { client, digest });
  if (same !== null) return { number: numberIn(same, "number") };
  const counted = sql.get(
    `select count(*) as own, (select count(*) from approval where state = 'pending') as every from approval where ${WAITS}`,
    {
      client,
    },
  );
  if (counted === null || numberIn(counted, "own") >= row.most || numberIn(counted, "every") >= MAX_PENDING_APPROVALS)
    return { number: null };
  const { number } = numberQuestion(context);
  sql.run(
    `insert into approval(id, inbox, turn, digest, call, state_json, person, state, created_at_ms, expires_at_ms, number)
     values (:approval, null, :turn, :digest, :call, :client, :person, 'pending', :atMs, :expiresAtMs, :number)`,
    {
      approval: row.approval,
      turn: row.turn,
      digest,
      call: row.call,
      client,
      person: row.person,
      atMs,
      expiresAtMs: row.expiresAtMs,
      number,
    },
  );
  return { number };
}

/** Take a person's answer to a proposal and do what was shown, in one commit: both or neither, once. */
export function settleProposal(context: VerbContext, row: SettleProposalCall): { readonly settled: boolean } {
  const { sql } = context;
  const { approval, digest, person, atMs, effect } = row;
  const allows = effect !== null;
  if (allows && (isStopped(sql) || !canDo(context, effect))) return { settled: false };
  const settled = sql.run(
    `update approval set state = 'answered', settled_at_ms = :atMs, answer = :answer, answered_by = :person, state_json = '',
       used_at_ms = case when :allows = 1 then :atMs end
     where id = :approval and digest = :digest and person = :person and inbox is null and state = 'pending' and expires_at_ms > :atMs
       and (:allows = 0 or shown_at_ms is not null)`,
    { approval, digest, person, atMs, answer: row.answer, allows: allows ? 1 : 0 },
  );
  if (settled === 0) return { settled: false };
  writeAudit(sql, { atMs, by: person, act: allows ? "approve" : "refuse", person: null, about: approval });
  if (allows) perform(context, row, effect);
  return { settled: true };
}

/** A reply goes where its trigger is kept; whatever else is proposed can always be done. */
function canDo({ sql, numbers }: VerbContext, effect: ProposalEffect): boolean {
  if (effect.kind !== "say") return true;
  const n = numbers.message(effect.trigger);
  return n !== null && sql.get("select 1 as kept from inboxes where n = :n and trigger_text is not null", { n }) !== null;
}

function perform(context: VerbContext, row: SettleProposalCall, effect: ProposalEffect): void {
  switch (effect.kind) {
    case "trust":
      if (row.pseudonym === null) throw new RuntimeError("internal", "Cannot change trust: nobody is named");
      setTrust(context, { ...effect.row, pseudonym: row.pseudonym });
      return;
    case "setting":
      setSetting(context, effect.row);
      return;
    case "say":
      say(context, row, effect);
  }
}

/** A row that goes on from the trigger, to where the trigger's answers go; it runs as every turn does. */
function say({ sql, numbers }: VerbContext, row: SettleProposalCall, effect: Extract<ProposalEffect, { kind: "say" }>): void {
  const n = numbers.next();
  sql.run(
    `insert into inbox(n, id, root, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, resumed_state, resumed_answer, state, attempts, generation)
     select :n, :id, coalesce(root, n), 'resume', 'talk', character, place, surface, person, :atMs, role, assurance, trigger_id, trigger_text,
       trigger_name, trigger_at_ms, :state, :answer, 'open', 0, 0 from inbox where n = :trigger`,
    { n, id: effect.inbox, atMs: row.atMs, state: effect.state, answer: row.answer, trigger: numbers.message(effect.trigger) },
  );
  numbers.named(effect.inbox, n);
}
