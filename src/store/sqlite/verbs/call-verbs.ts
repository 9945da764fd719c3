import type { ApprovalId, GrantId } from "../../../vocabulary/ids.ts";
import { CEILINGS } from "../../../vocabulary/limits.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { GrantRow, JudgeBounds, JudgeRow, JudgedCall, JudgedResult, LimitedCharge, UseRow } from "../../call-store.ts";
import { numberIn, textIn } from "../rows/columns.ts";
import { ALL_SCOPES } from "../file/restored.ts";
import type { Params, Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

const HOUR_MS = 3_600_000;

/** A charge with the scope under which it goes on for somebody who was forgotten. */
export interface ScopedCharge extends LimitedCharge {
  readonly pseudonym: string;
}

/** {@link JudgeRow} as the writer gets it. */
export interface JudgeCall extends Omit<JudgeRow, "calls"> {
  readonly calls: readonly (Omit<JudgedCall, "charges"> & { readonly charges: readonly ScopedCharge[] })[];
}

type Call = JudgeCall["calls"][number];

/** Judge calls of one answer by what only the store knows: in their order, so that an earlier one may use up a bound. */
export function judgeCalls(context: VerbContext, row: JudgeCall): readonly JudgedResult[] {
  context.charges.write(context.sql);
  return row.calls.map((call) => judgeOne(context.sql, row, call));
}

function judgeOne(sql: Statements, row: JudgeCall, call: Call): JudgedResult {
  const prior = sql.get(
    "select digest, verdict, code, rule from call_decision where session = :session and call = :call and phase = 'judged'",
    {
      session: row.session,
      call: call.call,
    },
  );
  if (prior !== null && textIn(prior, "digest") !== call.digest) return { verdict: "deny", code: "repeated", rule: "call_id" };
  const before = prior === null ? null : textIn(prior, "verdict");
  const result = boundOf(sql, row, call, before);
  sql.run(
    `insert into call_decision(session, call, phase, at_ms, turn, root, person, character, tool, digest, verdict, code, rule, shaped, bits)
     values (:session, :call, 'judged', :atMs, :turn, :root, :person, :character, :tool, :digest, :verdict, :code, :rule, :shaped, :bits)
     on conflict(session, call, phase) do update set verdict = excluded.verdict, code = excluded.code, rule = excluded.rule, shaped = max(shaped, excluded.shaped)`,
    { ...about(row, call), ...result, bits: call.bits },
  );
  return result;
}

/** A call that was let in before is charged no more, and a question that was asked before counts no more. */
function boundOf(sql: Statements, row: JudgeCall, call: Call, before: string | null): JudgedResult {
  const { rule } = call;
  if (call.verdict === "deny") return denied(call.code, rule);
  if (isStopped(sql)) return denied("stopped", "stop");
  const passed = before === "allow" || before === "ask";
  if (call.bits > 0 && !mayLearn(sql, row, call)) return denied("bits", "bits");
  if (!passed && !charge(sql, call.charges)) return denied("budget", "budget");
  if (call.verdict === "ask") return questionOf(sql, row, call, before);
  const granted = call.grant === null || before === "allow" || useGrant(sql, call.grant, row.atMs);
  return granted ? { verdict: "allow", code: "", rule } : denied("not_allowed", "grant");
}

function questionOf(sql: Statements, row: JudgeCall, call: Call, before: string | null): JudgedResult {
  const { keptAnswer, rule } = call;
  if (keptAnswer !== null && (before === "allow" || useKept(sql, keptAnswer, row.atMs)))
    return { verdict: "allow", code: "", rule: "kept_answer" };
  return mayAsk(sql, row, before === "ask" ? call : null) ? { verdict: "ask", code: "", rule } : denied("asks_spent", "asks");
}

function denied(code: string, rule: string): JudgedResult {
  return { verdict: "deny", code, rule };
}

/** Everything or nothing: each sum is looked at before any rises. */
function charge(sql: Statements, charges: readonly ScopedCharge[]): boolean {
  const fits = charges.every(({ scope, pseudonym, windowStartMs, amount, limit }) => {
    const row = sql.get(
      "select coalesce(sum(amount), 0) as sum from budget where scope in (:scope, :pseudonym, :all) and window_start_ms >= :windowStartMs",
      { scope, pseudonym, all: ALL_SCOPES, windowStartMs },
    );
    return (row === null ? 0 : numberIn(row, "sum")) + amount <= limit;
  });
  if (!fits) return false;
  for (const { scope, windowStartMs, amount } of charges)
    sql.run(
      `insert into budget(scope, window_start_ms, amount) values (:scope, :windowStartMs, :amount)
       on conflict(scope, window_start_ms) do update set amount = amount + excluded.amount`,
      { scope, windowStartMs, amount },
    );
  return true;
}

/** What other calls of the turn may tell is counted whatever became of their questions; a call that comes again counts once. */
function mayLearn(sql: Statements, row: JudgeCall, { call, bits }: Call): boolean {
  const known = sql.get(
    `select coalesce(sum(bits), 0) as sum from call_decision
     where root = :root and bits > 0 and phase = 'judged' and verdict <> 'deny' and not (session = :session and call = :call)`,
    { root: row.root, session: row.session, call },
  );
  return known !== null && numberIn(known, "sum") + bits <= row.bitsPerTurn;
}

function useGrant(sql: Statements, grant: GrantId, atMs: number): boolean {
  return (
    sql.run(
      "update call_grant set uses_left = uses_left - 1 where id = :grant and uses_left > 0 and expires_at_ms > :atMs and revoked_at_ms is null",
      { grant, atMs },
    ) === 1
  );
}

function useKept(sql: Statements, id: ApprovalId, atMs: number): boolean {
  return (
    sql.run(
      "update kept_answer set uses_left = uses_left - 1 where id = :id and uses_left > 0 and expires_at_ms > :atMs and revoked_at_ms is null",
      { id, atMs },
    ) === 1
  );
}

/** Answers after which a call was asked about anew: each is one question more of its turn. */
const ASKED_ANEW = "phase = 'answered' and (code = 'changed' or rule = 'answer_again')";

/**
 * Whether the bounds leave room for a question. One that was asked before counts no more, as after a restart, unless what its card
 * said has changed since its answer: then it is a question more, and a call gets one such.
 */
function mayAsk(sql: Statements, row: JudgeCall, asked: Call | null): boolean {
  const anew =
    asked === null
      ? null
      : sql.get(`select rule from call_decision where session = :session and call = :call and ${ASKED_ANEW}`, {
          session: row.session,
          call: asked.call,
        });
  if (asked !== null && anew === null) return true;
  if (anew !== null && textIn(anew, "rule") === "answer_again") return false;
  // The one that is asked anew is among those that were counted.
  const own = anew === null ? 0 : 1;
  const ofTurn =
    countOf(sql, "root = :root and verdict = 'ask'", { root: row.root }) +
    countOf(sql, `session = :session and root = :root and ${ASKED_ANEW}`, { session: row.session, root: row.root });
  if (ofTurn - own >= row.asksPerTurn) return false;
  if (!row.foreign) return true;
  const recent = { person: row.person, since: row.atMs - HOUR_MS };
  const shaped = countOf(sql, `person = :person and shaped = 1 and at_ms > :since and (verdict = 'ask' or ${ASKED_ANEW})`, recent);
  return shaped - own < row.foreignAsksPerHour;
}

function countOf(sql: Statements, which: string, params: Params): number {
  const row = sql.get(`select count(*) as count from call_decision where ${which}`, params);
  return row === null ? 0 : numberIn(row, "count");
}

/** Use up an answered question, once (SE-084). What its person lets count on is kept with the same commit. */
export function useAnswer({ sql }: VerbContext, row: UseRow): { readonly used: boolean } {
  const { approval, digest, person, atMs } = row;
  if (row.verdict === "allow" && isStopped(sql)) return { used: false };
  const used = sql.run(
    `update approval set used_at_ms = :atMs where id = :approval and digest = :digest and person = :person and state = 'answered'
       and used_at_ms is null`,
    { approval, digest, person, atMs },
  );
  if (used === 0) return { used: false };
  sql.run(
    `insert into call_decision(session, call, phase, at_ms, turn, root, person, character, tool, digest, verdict, code, rule, shaped)
     values (:session, :call, 'answered', :atMs, :turn, :root, :person, :character, :tool, :digest, :verdict, :code, :rule, :shaped)
     on conflict(session, call, phase) do update set at_ms = excluded.at_ms, turn = excluded.turn, verdict = excluded.verdict, code = excluded.code,
       rule = 'answer_again', shaped = max(shaped, excluded.shaped)`,
    { ...about(row, row), verdict: row.verdict, code: row.code, rule: "answer" },
  );
  if (row.keep !== null) keep(sql, row, row.keep);
  return { used: true };
}

function keep(sql: Statements, row: UseRow, kept: NonNullable<UseRow["keep"]>): void {
  sql.run(
    `insert into kept_answer(id, number, scope, session, character, person, tool, digest, influence, at_ms, expires_at_ms, uses_left)
     select id, number, :scope, :session, :character, :person, :tool, :digest, :influence, :atMs, :expiresAtMs, :uses from approval where id = :approval`,
    {
      approval: row.approval,
      session: row.session,
      character: row.character,
      person: row.person,
      tool: row.tool,
      digest: row.digest,
      atMs: row.atMs,
      ...kept,
    },
  );
  // The oldest make room (MC-040).
  sql.run("delete from kept_answer where id in (select id from kept_answer order by at_ms desc, id limit -1 offset :most)", {
    most: CEILINGS.approvals,
  });
}

function about(row: Omit<JudgeRow, "calls" | JudgeBounds>, { call, tool, digest }: Pick<JudgedCall, "call" | "tool" | "digest">) {
  const { session, atMs, turn, root, person, character } = row;
  return { session, atMs, turn, root, person, character, call, tool, digest, shaped: row.foreign ? 1 : 0 };
}

/** Whether everything stands still until the owner takes it up again (TR-073). */
export function isStopped(sql: Statements): boolean {
  return sql.get("select 1 as stopped from setting where key = 'stopped'") !== null;
}

/** Note that all of a question was shown to its person. */
export function noteShown(
  { sql }: VerbContext,
  row: { readonly approval: ApprovalId; readonly person: PrincipalId; readonly atMs: number },
): { readonly shown: boolean } {
  const shown = sql.run(
    "update approval set shown_at_ms = coalesce(shown_at_ms, :atMs) where id = :approval and person = :person and state = 'pending'",
    { ...row },
  );
  return { shown: shown === 1 };
}

/** Take a kept answer back: from the next call on it counts no more. */
export function revokeAnswer(
  { sql }: VerbContext,
  row: { readonly approval: ApprovalId; readonly by: PrincipalId; readonly atMs: number },
): { readonly revoked: boolean } {
  const { approval, by, atMs } = row;
  const revoked = sql.run("update kept_answer set revoked_at_ms = :atMs where id = :approval and revoked_at_ms is null", {
    approval,
    atMs,
  });
  if (revoked === 1)
    sql.run("insert into audit(at_ms, by_person, act, person, about) values (:atMs, :by, 'revoke_answer', null, :approval)", {
      approval,
      by,
      atMs,
    });
  return { revoked: revoked === 1 };
}

/** Keep a grant; those that stand are bounded. */
export function keepGrant({ sql }: VerbContext, row: GrantRow): { readonly kept: boolean } {
  const kept = sql.run(
    `insert into call_grant(id, by_person, character, tool, digest, at_ms, expires_at_ms, uses_left)
     select :grant, :by, :character, :tool, :digest, :atMs, :expiresAtMs, :uses
     where (select count(*) from call_grant where revoked_at_ms is null and expires_at_ms > :atMs and uses_left > 0) < :most`,
    { ...row, most: CEILINGS.grants },
  );
  if (kept === 1) noteGrant(sql, "grant", { ...row, about: `${row.grant} ${row.character} ${row.tool}` });
  return { kept: kept === 1 };
}

/** Take a grant back: from the next call on it counts no more. */
export function dropGrant(
  { sql }: VerbContext,
  { grant, by, atMs }: { readonly grant: GrantId; readonly by: PrincipalId; readonly atMs: number },
): { readonly revoked: boolean } {
  const revoked = sql.run(
    "update call_grant set revoked_at_ms = :atMs where id = :grant and revoked_at_ms is null and expires_at_ms > :atMs and uses_left > 0",
    { grant, atMs },
  );
  if (revoked === 1) noteGrant(sql, "ungrant", { by, atMs, about: grant });
  return { revoked: revoked === 1 };
}

function noteGrant(
  sql: Statements,
  act: "grant" | "ungrant",
  { by, atMs, about }: { readonly by: PrincipalId; readonly atMs: number; readonly about: string },
): void {
  sql.run("insert into audit(at_ms, by_person, act, person, about) values (:atMs, :by, :act, null, :about)", { atMs, by, act, about });
}
