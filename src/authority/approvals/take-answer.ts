import type { ResumeRow, Store } from "../../store/store.ts";
import type { AnswerRefusal } from "../../vocabulary/calls/answer-refusal.ts";
import { answerText } from "../../vocabulary/calls/approval-answer.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { mustBeShown, parseAsk } from "../../vocabulary/calls/ask.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER, assuranceReaches } from "../../vocabulary/principal.ts";
import type { AskScope } from "../../vocabulary/calls/tool-definition.ts";

/** A question as the store has it. */
export type AskRecord = NonNullable<ReturnType<Store["read"]["calls"]["ask"]>>;

/** An answer that the store may take, or why not. */
export type TakenAnswer =
  | { readonly kind: "taken"; readonly row: Omit<ResumeRow, "inbox" | "atMs"> }
  | { readonly kind: "refused"; readonly why: AnswerRefusal };

/** Who answers what. */
export interface AnswerRequest {
  readonly record: AskRecord | null;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
  /** With a denial: why, in its person's words. */
  readonly reason?: string;
  /** The line it was given on. */
  readonly by: OriginFacts;
  /** Accounts that are the owner's own: what is asked of them may be answered at the own machine as well (TR-010). */
  readonly ownAccounts: ReadonlySet<PrincipalId>;
  /** Its role at this moment (TR-015). */
  readonly roleNow: OriginFacts["role"];
  readonly nowMs: number;
  /** Whether a text holds a configured secret: then its card stood on no line, and nobody has seen what would run. */
  readonly hides: (text: string) => boolean;
  /** Whether it came with the question's code. */
  readonly proved?: boolean;
}

/**
 * Judge an answer to a question (SE-084): of the one who was asked, for a call still an operator, on a line as good as the call needs, after
 * all of it was shown where that is due, and within what was offered. What is another's looks like what is not there.
 */
export function takeAnswer(request: AnswerRequest): TakenAnswer {
  const { record, answer, scope, by } = request;
  if (record === null) return refused("not_found");
  const ask = parseAsk(record.call);
  const unheard = unheardOf(record, ask, request);
  if (unheard !== null) return refused(unheard);
  const { approval, digest, person } = record;
  const row = { approval, digest, person, by: by.principal, answer: answerText({ approval, answer, scope }) };
  // To say no one needs to know nothing and to be no more than the one who was asked.
  if (answer === "deny") return { kind: "taken", row: request.reason === undefined ? row : { ...row, reason: request.reason } };
  if (ask === null) return scope === "once" ? { kind: "taken", row } : refused("scope");
  const isDue = mustBeShown(ask) || request.hides(record.call);
  const lacking = lackingIn(ask, { ...record, isDue }, request);
  return lacking === null ? { kind: "taken", row: { ...row, mustBeShown: isDue } } : refused(lacking);
}

/** What an allow lacks to count. */
function lackingIn(
  ask: Ask,
  { shownAtMs, isDue }: AskRecord & { readonly isDue: boolean },
  { by, scope, proved = false }: AnswerRequest,
): AnswerRefusal | null {
  if (!assuranceReaches(by.assurance, ask.least)) return "wrong_line";
  if (!ask.scopes.includes(scope)) return "scope";
  if (isDue && (by.assurance !== "local" || shownAtMs === null)) return "show_first";
  // Whoever carries such a line can write it, and cannot read what was sent to its person (SE-081).
  return by.assurance === "relayed" && !proved ? "code" : null;
}

/** Why nothing that this one says counts here: what is another's looks like what is not there. */
function unheardOf(record: AskRecord, ask: Ask | null, request: AnswerRequest): "not_found" | "not_waiting" | null {
  const { by, ownAccounts, roleNow, nowMs } = request;
  if (!isAsked(record.person, by, ownAccounts) || by.channel !== "direct") return "not_found";
  if (ask !== null && roleNow !== "operator") return "not_found";
  return record.state !== "pending" || record.expiresAtMs <= nowMs ? "not_waiting" : null;
}

/** Whether a question is somebody's to answer: one's own, and at the own machine that of an account which configuration calls the owner's. */
export function isAsked(
  person: PrincipalId,
  by: Pick<OriginFacts, "principal" | "assurance">,
  ownAccounts: ReadonlySet<PrincipalId>,
): boolean {
  return person === by.principal || (by.principal === LOCAL_OWNER && by.assurance === "local" && ownAccounts.has(person));
}

function refused(why: AnswerRefusal): TakenAnswer {
  return { kind: "refused", why };
}
