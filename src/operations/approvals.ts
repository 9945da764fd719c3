import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import { MAX_REASON_CHARACTERS, reasonIn } from "../vocabulary/calls/approval-answer.ts";
import type { AnswerRefusal } from "../vocabulary/calls/answer-refusal.ts";
import { askCard } from "../vocabulary/calls/ask-card.ts";
import { mustBeShown, parseAsk } from "../vocabulary/calls/ask.ts";
import type { ApprovalId } from "../vocabulary/ids.ts";
import { parseApprovalId } from "../vocabulary/ids.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { AskScope } from "../vocabulary/calls/tool-definition.ts";
import { ASK_SCOPES } from "../vocabulary/calls/tool-definition.ts";
import type { CardView } from "./card-view.ts";
import { cardOf, cardView, sessionOf } from "./card-view.ts";
import type { Declared, Operation } from "./operation.ts";
import { OPERATORS_LINE, declare } from "./operation.ts";

const ACTS = ["list", "show", "allow", "deny", "kept", "revoke"] as const;

/** Arguments of `approvals`. */
export interface ApprovalsArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly id?: string | undefined;
  readonly scope?: AskScope | undefined;
  readonly because?: string | undefined;
  readonly digest?: string | undefined;
}

/** A question that waits, as a list has it. */
export interface QuestionView {
  readonly id: string;
  readonly number: number;
  readonly person: string;
  /** Whether whoever asked for this list may answer it. */
  readonly mine: boolean;
  /** Null for a question about no call. */
  readonly tool: string | null;
  /** Of what is asked for. */
  readonly digest: string;
  /** The session of the agent's turn that asks; null where no agent does. */
  readonly session: string | null;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

/** An answer that counts on. */
export interface KeptView {
  readonly id: string;
  readonly number: number;
  readonly person: string;
  readonly tool: string;
  readonly scope: string;
  readonly expiresAtMs: number;
  readonly usesLeft: number;
}

/** Result of `approvals`: what was done, and what waits or counts on from now. */
export interface ApprovalsAnswer {
  readonly done: (typeof ACTS)[number];
  readonly number: number | null;
  /** The frozen question that is shown; its card is drawn from it alone. */
  readonly card: CardView | null;
  readonly waiting: readonly QuestionView[];
  readonly kept: readonly KeptView[];
}

/** A question as the store keeps it, as far as this command looks at it. */
export interface KeptQuestion {
  readonly approval: ApprovalId;
  readonly number: number;
  readonly digest: string;
  readonly call: string;
  readonly person: PrincipalId;
  readonly state: string;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
}

/** Where questions are kept, and who takes their answers. */
export interface ApprovalsLedger {
  pending(nowMs: number): readonly KeptQuestion[];
  ask(id: ApprovalId): KeptQuestion | null;
  askNumbered(number: number): KeptQuestion | null;
  /** Whether an agent's session of that id is kept. */
  hasSession(id: string): boolean;
  keptAnswers(nowMs: number): readonly (Omit<KeptView, "id"> & { readonly approval: ApprovalId })[];
  /** Whether what is asked of somebody may be answered by whoever calls. */
  isAsked(person: PrincipalId, by: OriginFacts): boolean;
  shown(row: { readonly approval: ApprovalId; readonly person: PrincipalId; readonly atMs: number }): Promise<{ readonly shown: boolean }>;
  revoke(row: { readonly approval: ApprovalId; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly revoked: boolean }>;
  /** Judge an answer and let the turn go on; why not, where it does not count. */
  answer(given: {
    readonly approval: ApprovalId;
    readonly answer: "allow" | "deny";
    readonly scope: AskScope;
    readonly reason?: string;
    readonly by: OriginFacts;
  }): Promise<AnswerWord>;
}

/** What came of an answer. */
export type AnswerWord = "taken" | AnswerRefusal;

const question = z.object({
  id: z.string(),
  number: z.int(),
  person: z.string(),
  mine: z.boolean(),
  tool: z.string().nullable(),
  digest: z.string(),
  session: z.string().nullable(),
  askedAtMs: z.number(),
  expiresAtMs: z.number(),
});
const kept = z.object({
  id: z.string(),
  number: z.int(),
  person: z.string(),
  tool: z.string(),
  scope: z.string(),
  expiresAtMs: z.number(),
  usesLeft: z.int(),
});

/** `troupe approvals`: what waits for an answer, the whole of one, its answer, and answers that count on (SE-084, SE-085). */
export const approvals: Declared<ApprovalsArguments, ApprovalsAnswer> = declare<ApprovalsArguments, ApprovalsAnswer>({
  name: "approvals",
  summary: "see what waits for your answer, answer it, and take back answers that count on",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("list, show, allow, deny, kept or revoke; list without it"),
    id: z.string().max(40).optional().describe("the question's number or id"),
    scope: z.enum(ASK_SCOPES).optional().describe("how far an allow counts: once, session or always, as its card offers"),
    because: z.string().max(MAX_REASON_CHARACTERS).optional().describe("with deny: why, in your words, for the one who asked"),
    digest: z.string().max(64).optional().describe("the digest of what you were shown; an answer to anything else is refused"),
  }),
  positional: ["act", "id"],
  who: OPERATORS_LINE,
  result: z.object({
    done: z.enum(ACTS),
    number: z.int().nullable(),
    card: cardView.nullable(),
    waiting: z.array(question),
    kept: z.array(kept),
  }),
  render,
});

function render({ done, number, card, waiting, kept: standing }: ApprovalsAnswer): readonly Line[] {
  switch (done) {
    case "show":
      return cardLines(card);
    case "allow":
    case "deny":
      return [
        toned("good", done === "allow" ? line`Question ${number ?? 0}: allowed.` : line`Question ${number ?? 0}: denied.`),
        ...listOf(waiting),
      ];
    case "revoke":
    case "kept":
      return [...(done === "revoke" ? [toned("good", line`Answer ${number ?? 0} counts no more.`)] : []), ...keptOf(standing)];
    case "list":
      return listOf(waiting);
  }
}

function cardLines(card: ApprovalsAnswer["card"]): readonly Line[] {
  const ask = card === null ? null : parseAsk(card.call);
  if (card === null) return [];
  return ask === null
    ? [line`${printable(card.asks)}`, line`Answer: ${printable(`allow ${card.number} | deny ${card.number}`)}`]
    : askCard(ask, card);
}

function listOf(waiting: readonly QuestionView[]): readonly Line[] {
  if (waiting.length === 0) return [line`Nothing waits for an answer.`];
  return [
    toned("strong", line`Waiting for an answer:`),
    ...columns(
      waiting.map((one) => [
        printable(`${one.number}`),
        printable(one.tool ?? "a question"),
        printable(one.person),
        printable(`until ${timeOf(one.expiresAtMs)}`),
      ]),
    ),
    line`The whole of one: troupe approvals show NUMBER`,
  ];
}

function keptOf(standing: readonly KeptView[]): readonly Line[] {
  if (standing.length === 0) return [line`No answer counts on.`];
  return [
    toned("strong", line`Answers that count on:`),
    ...columns(
      standing.map((one) => [
        printable(`${one.number}`),
        printable(one.tool),
        printable(one.scope),
        printable(one.person),
        printable(`${one.usesLeft} times, until ${timeOf(one.expiresAtMs)}`),
      ]),
    ),
    line`Take one back: troupe approvals revoke NUMBER`,
  ];
}

function timeOf(atMs: number): string {
  return atMs > 8.64e15 ? "answered" : `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

const REFUSED: Readonly<Record<Exclude<AnswerWord, "taken">, readonly ["not_found" | "forbidden" | "usage", string]>> = {
  not_found: ["not_found", "no question of that number waits for you"],
  not_waiting: ["not_found", "that question waits no more"],
  wrong_line: ["forbidden", "not from this line"],
  show_first: ["usage", "it has to be shown whole first: troupe approvals show NUMBER"],
  code: ["forbidden", "not from this line"],
  wrong_code: ["forbidden", "not from this line"],
  code_over: ["forbidden", "not from this line"],
  scope: ["usage", "that was not offered with this question; its card says what is"],
};

/** Bind it to where questions are kept. */
export function bindApprovals(ledger: ApprovalsLedger, clock: Clock): Operation {
  const stand = (actor: OriginFacts, done: ApprovalsAnswer["done"], more: Partial<ApprovalsAnswer> = {}): ApprovalsAnswer => ({
    done,
    number: null,
    card: null,
    waiting: ledger
      .pending(clock.nowMs())
      .filter((one) => mayList(one, actor))
      .map((one) => viewOf(one, actor, ledger)),
    kept: ledger
      .keptAnswers(clock.nowMs())
      .filter((one) => mayList(one, actor))
      .map(({ approval, number, person, tool, scope, expiresAtMs, usesLeft }) => ({
        id: approval,
        number,
        person,
        tool,
        scope,
        expiresAtMs,
        usesLeft,
      })),
    ...more,
  });
  const named = (id: string | undefined, act: string): KeptQuestion => {
    if (id === undefined) throw new RuntimeError("usage", `Cannot ${act}: name the question by its number`);
    const found = /^[1-9]\d{0,8}$/.test(id) ? ledger.askNumbered(Number(id)) : ledger.ask(parseApprovalId(id));
    if (found === null) throw new RuntimeError("not_found", `Cannot ${act}: no question of that number waits for you`);
    return found;
  };
  return approvals.bind(async (args, { actor }) => {
    const { act = "list", id } = args;
    const reason = reasonOf(act, args.because);
    if (act === "list" || act === "kept") return stand(actor, act);
    const asked = named(id, act);
    const { approval, number } = asked;
    if (act === "show") return stand(actor, act, { number, card: await show(ledger, asked, actor, clock) });
    if (act === "revoke") {
      const { revoked } = mayList(asked, actor)
        ? await ledger.revoke({ approval, by: actor.principal, atMs: clock.nowMs() })
        : { revoked: false };
      if (!revoked) throw new RuntimeError("not_found", "Cannot revoke: no answer of that number counts on");
    } else await answer(ledger, asked, { ...args, ...reason, act }, actor);
    return stand(actor, act, { number });
  });
}

/** Give an answer to what was asked, and to nothing else. @throws RuntimeError with why it does not count */
async function answer(
  ledger: ApprovalsLedger,
  asked: KeptQuestion,
  { act, scope = "once", digest, reason }: ApprovalsArguments & { readonly act: "allow" | "deny"; readonly reason?: string },
  by: OriginFacts,
): Promise<void> {
  // What was shown is not what waits: nobody has seen what this would answer (SE-084). Of another's question nothing is told.
  if (digest !== undefined && digest !== asked.digest && ledger.isAsked(asked.person, by))
    throw new RuntimeError("not_found", `Cannot ${act}: what waits is not what you were shown; look at it again`);
  const word = await ledger.answer({ approval: asked.approval, answer: act, scope, ...(reason === undefined ? {} : { reason }), by });
  if (word !== "taken") throw new RuntimeError(REFUSED[word][0], `Cannot ${act}: ${REFUSED[word][1]}`);
}

/** Away from the own machine everybody sees what is theirs alone. */
function mayList({ person }: { readonly person: string }, actor: OriginFacts): boolean {
  return actor.assurance === "local" || person === actor.principal;
}

function reasonOf(act: string, because: string | undefined): { readonly reason?: string } {
  const reason = because === undefined ? null : reasonIn(because);
  if (reason === null) return {};
  if (act !== "deny") throw new RuntimeError("usage", `Cannot ${act} with a reason: only deny takes one`);
  return { reason };
}

/** Show all of an own question, and note that where nothing is cut; another's is none (SE-084). */
async function show(ledger: ApprovalsLedger, asked: KeptQuestion, actor: OriginFacts, clock: Clock): Promise<ApprovalsAnswer["card"]> {
  const { approval, person, state } = asked;
  if (!ledger.isAsked(person, actor) || state !== "pending")
    throw new RuntimeError("not_found", "Cannot show: no question of that number waits for you");
  const ask = parseAsk(asked.call);
  if (actor.assurance !== "local" && ask !== null && mustBeShown(ask))
    throw new RuntimeError("usage", "Cannot show: all of this one is shown at the own machine only");
  if (actor.assurance === "local") await ledger.shown({ approval, person, atMs: clock.nowMs() });
  return cardOf({ ...asked, id: approval });
}

function viewOf(asked: KeptQuestion, actor: OriginFacts, ledger: ApprovalsLedger): QuestionView {
  const { approval, number, person, digest, call, askedAtMs, expiresAtMs } = asked;
  const named = sessionOf(call);
  const session = named !== null && ledger.hasSession(named) ? named : null;
  const mine = ledger.isAsked(person, actor);
  return { id: approval, number, person, mine, tool: parseAsk(call)?.tool ?? null, digest, session, askedAtMs, expiresAtMs };
}
