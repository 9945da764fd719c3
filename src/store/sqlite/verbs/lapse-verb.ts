import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { InboxRow } from "../../store.ts";
import { numberIn } from "../rows/columns.ts";
import { endInbox, readPutAside } from "../rows/inbox-rows.ts";
import type { Statements } from "../rows/statements.ts";
import { dropQuestion } from "./turn-verbs.ts";
import type { VerbContext } from "./verbs.ts";

const LATE = `select inbox.n, coalesce(inbox.root, inbox.n) as root from approval join inbox on approval.inbox = inbox.n
  where approval.state = 'pending' and inbox.state = 'suspended' and approval.expires_at_ms <= :nowMs`;

/** End every suspended row whose question has run out, and tell which messages that were (SE-084, TR-042). */
export function lapse({ sql }: VerbContext, row: { readonly nowMs: number }): { readonly lapsed: readonly InboxRow[] } {
  // Read before they end, since their words go then.
  const lapsed = sql.all(LATE, { nowMs: row.nowMs }).flatMap((late) => readPutAside(sql, numberIn(late, "root")));
  expireQuestions(sql, row.nowMs);
  return { lapsed };
}

const OF_PERSON = `select inbox.n, coalesce(inbox.root, inbox.n) as root from approval join inbox on approval.inbox = inbox.n
  where approval.state = 'pending' and inbox.state = 'suspended' and inbox.role = 'operator' and approval.person = :person`;

/** End every suspended row that waits for somebody who may answer it no more: its card is void, and the message it began with ends. */
export function voidQuestions(
  { sql }: VerbContext,
  { person, atMs }: { readonly person: PrincipalId; readonly atMs: number },
): { readonly ended: readonly InboxRow[] } {
  const waiting = sql.all(OF_PERSON, { person });
  const ended = waiting.flatMap((one) => readPutAside(sql, numberIn(one, "root")));
  for (const one of waiting) {
    const n = numberIn(one, "n");
    endInbox(sql, "unfinished", { n, end: "cancelled", reason: "not_operator", atMs }, { turn: null });
    dropQuestion(sql, n, { state: "cancelled", atMs });
  }
  return { ended };
}

/** End them; gives how many questions there were. */
export function expireQuestions(sql: Statements, nowMs: number): number {
  const late = sql.all(LATE, { nowMs });
  for (const one of late) {
    const n = numberIn(one, "n");
    endInbox(sql, "unfinished", { n, end: "expired", reason: "unanswered", atMs: nowMs }, { turn: null });
    dropQuestion(sql, n, { state: "expired", atMs: nowMs });
  }
  return late.length;
}
