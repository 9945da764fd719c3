import type { Clock } from "../foundation/clock.ts";
import type { Store } from "../store/store.ts";
import type { InboundEvent } from "../vocabulary/inbound.ts";
import type { ApprovalId, SurfaceName } from "../vocabulary/ids.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import { Origin } from "../vocabulary/origin.ts";
import type { PrincipalId, Role } from "../vocabulary/principal.ts";
import type { Log } from "../foundation/log.ts";
import type { BudgetNotice, BudgetView } from "../vocabulary/budget.ts";
import type { CallPreview, CallWish } from "../vocabulary/call-preview.ts";
import type { AskScope } from "../vocabulary/tool-definition.ts";
import type { Gateway } from "../vocabulary/gateway.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { Asking, BudgetLimits, CallsLimit, Reservation } from "./budgets.ts";
import { createBudgets } from "./budgets.ts";
import type { CodeBinding } from "./approvals/one-time-code.ts";
import { isCode, issueCode } from "./approvals/one-time-code.ts";
import type { AskRecord, TakenAnswer } from "./approvals/take-answer.ts";
import { isAsked, takeAnswer } from "./approvals/take-answer.ts";
import type { GatewayNeeds } from "./gateway/policy-gateway.ts";
import { previewCall } from "./gateway/preview-call.ts";
import { createGateway } from "./gateway/policy-gateway.ts";
import type { ToolLimits } from "./gateway/tool-budgets.ts";
import type { MoneyLimits, Payer } from "./money.ts";
import { createMoney } from "./money.ts";
import type { Capability } from "./matrix.ts";
import { allows } from "./matrix.ts";
import type { KeptLine } from "./origin.ts";
import { originOfKept, originOfLine } from "./origin.ts";
import type { People } from "./people.ts";
import { isInvited, isNamedPerson, roleOf } from "./people.ts";

/** An answer to a question that is named by its id or by its number, on the line of its origin. */
export interface GivenAnswer {
  readonly question: ApprovalId | number;
  readonly answer: "allow" | "deny";
  readonly scope: AskScope;
  /** With a denial: why, in its person's words. */
  readonly reason?: string;
  readonly by: Origin;
  /** What was typed as the question's code. */
  readonly code?: string | undefined;
}

/** The tools a gateway stands before, and what the operator says of them. */
export type GatewayTools = Pick<GatewayNeeds, "definitions" | "remote" | "guardrail" | "endorsed" | "asksSpent">;

/** Accounts with an operator's role, and those of them that are the owner's own; none when that is left out. */
export interface OperatorAccounts {
  readonly operators: () => ReadonlySet<PrincipalId>;
  readonly own?: () => ReadonlySet<PrincipalId>;
}

/** Says who someone is and what that allows. Nothing here ever sees a message's text. */
export interface Authority {
  originOfLine(event: Omit<InboundEvent, "text">): Origin;
  originOfKept(kept: KeptLine): Origin;
  roleOf(person: PrincipalId): Exclude<Role, "bot">;
  allows(origin: Origin, capability: Capability): boolean;
  /** Whether this is a guest whom an operator invited by name, and whose invite stands (SE-090). */
  isInvited(person: PrincipalId): boolean;
  /** Reserve one reply for a person in a surface, before any work: calls, and whether there is money left for it. `room` as in {@link Asking}. */
  reserve(person: PrincipalId, surface: SurfaceName, beside?: CallsLimit, room?: string): Reservation;
  /** Reserve a further call of a reply that is under way: a turn with tools asks its model many times. */
  reserveFurther(person: PrincipalId, surface: SurfaceName): Reservation;
  /** Stands before each call of a model that a turn makes, with the money of the day. */
  meterFor(payer: Payer): CallMeter;
  /** Whether an answer to a question counts (SE-084). */
  judgeAnswer(answer: GivenAnswer): TakenAnswer;
  /** The same for an answer that may come with a code: trying one is kept before it is looked at, and at most three are (SE-081). */
  proveAnswer(answer: GivenAnswer): Promise<TakenAnswer>;
  /** A code for a question that is asked on a line whose writer nobody vouches for; null on every other line. */
  codeFor(question: Omit<CodeBinding, "generation" | "person">, asked: Origin): ReturnType<typeof issueCode> | null;
  /** The same for a command: its face vouches for who calls. */
  judgeFrom(answer: Omit<GivenAnswer, "by" | "code">, by: OriginFacts): TakenAnswer;
  /** Whether a question of this person is for whoever calls. */
  isAsked(person: PrincipalId, by: OriginFacts): boolean;
  /** The one door to every effect of these tools (MC-036). @throws RuntimeError `capacity` */
  gateway(tools: GatewayTools): Gateway;
  /** What would become of a call on the owner's own line; nothing comes of it. */
  preview(tools: GatewayTools, wish: CallWish): CallPreview;
  /** Every budget of a day, in all and of each of these spaces, as it stands. */
  budgets(surfaces: readonly SurfaceName[]): readonly BudgetView[];
}

/** Open the authority over configuration (read anew at each use) and the stored trust list. It holds no task. */
export function openAuthority(needs: {
  store: Store;
  clock: Clock;
  accounts: OperatorAccounts;
  budgets: () => BudgetLimits & MoneyLimits & ToolLimits;
  log: Pick<Log, "failure">;
  /** Told once a day and bound, for the operator (TR-092, SE-090). */
  budgetNotice: (notice: BudgetNotice) => void;
}): Authority {
  const { store, clock } = needs;
  const { operators, own: ownAccounts = (): ReadonlySet<PrincipalId> => new Set() } = needs.accounts;
  const people: People = {
    operators,
    trust: (person) => store.read.trust(person),
    stay(person) {
      const invite = store.read.inviteOf(person);
      if (invite === null) return "uninvited";
      return invite.revokedAtMs === null && clock.nowMs() < invite.expiresAtMs ? "invited" : "ended";
    },
  };
  const budgets = createBudgets({
    clock: needs.clock,
    limits: needs.budgets,
    charged: (scope, sinceMs) => needs.store.read.charged(scope, sinceMs),
    notice: needs.budgetNotice,
  });
  const isNamed = (person: PrincipalId): boolean => isNamedPerson(person, people);
  const money = createMoney({ clock, limits: needs.budgets, store, isNamed, log: needs.log, notice: needs.budgetNotice });
  const reserve = (person: PrincipalId, surface: SurfaceName, more: Pick<Asking, "beside" | "further" | "room">): Reservation => {
    const refusal = money.refusal(person, surface);
    if (refusal !== null) return { kind: "exhausted", ...refusal, ofDay: true };
    return budgets.reserve({ person, surface, named: isNamed(person), ...more });
  };
  const recordOf = (question: ApprovalId | number): AskRecord | null =>
    typeof question === "number" ? store.read.calls.askNumbered(question) : store.read.calls.ask(question);
  const judgeFrom = ({ question, ...given }: Omit<GivenAnswer, "by" | "code">, by: OriginFacts, proved = false): TakenAnswer => {
    const record = recordOf(question);
    return takeAnswer({
      ...given,
      record,
      proved,
      by,
      ownAccounts: ownAccounts(),
      roleNow: roleOf(by.principal, people),
      nowMs: clock.nowMs(),
    });
  };
  return {
    originOfLine: (event) => originOfLine(event, people),
    originOfKept: (kept) => originOfKept(kept, people),
    roleOf: (person) => roleOf(person, people),
    isInvited: (person) => isInvited(person, people),
    allows: (origin, capability) => allows(Origin.factsOf(origin), capability),
    reserve: (person, surface, beside, room) =>
      reserve(person, surface, { ...(beside === undefined ? {} : { beside }), ...(room === undefined ? {} : { room }) }),
    reserveFurther: (person, surface) => reserve(person, surface, { further: true }),
    meterFor: (payer) => money.meterFor(payer),
    judgeAnswer: ({ by, code: _, ...given }) => judgeFrom(given, Origin.factsOf(by)),
    judgeFrom: (given, by) => judgeFrom(given, by),
    async proveAnswer({ by, code, ...given }) {
      const facts = Origin.factsOf(by);
      const judged = judgeFrom(given, facts);
      if (judged.kind === "taken") return code === undefined ? judged : { kind: "refused", why: "scope" };
      if (judged.why !== "code" || code === undefined) return judged;
      const record = recordOf(given.question);
      if (record === null) return { kind: "refused", why: "not_found" };
      const { approval, digest } = record;
      const { tried } = await store.calls.tryCode({ approval, atMs: clock.nowMs() });
      if (tried === null) return { kind: "refused", why: "code_over" };
      if (!isCode(code, tried, { approval, digest, person: facts.principal, generation: store.generation }))
        return { kind: "refused", why: "wrong_code" };
      return judgeFrom(given, facts, true);
    },
    codeFor(question, asked) {
      const { assurance, principal } = Origin.factsOf(asked);
      if (assurance !== "relayed") return null;
      return issueCode({ ...question, person: principal, generation: store.generation }, clock.nowMs());
    },
    isAsked: (person, by) => isAsked(person, by, ownAccounts()),
    gateway: (tools) => createGateway({ ...tools, ownAccounts, store, clock, people, limits: needs.budgets }),
    preview: previewCall,
    budgets: (surfaces) => [...money.views(surfaces), ...budgets.views(surfaces)],
  };
}
