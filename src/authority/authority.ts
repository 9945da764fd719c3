import type { Clock } from "../foundation/clock.ts";
import type { Store } from "../store/store.ts";
import type { InboundEvent } from "../vocabulary/inbound.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { Origin } from "../vocabulary/origin.ts";
import type { PrincipalId, Role } from "../vocabulary/principal.ts";
import type { Log } from "../foundation/log.ts";
import type { BudgetNotice, BudgetView } from "../vocabulary/budget.ts";
import type { CallPreview, CallWish } from "../vocabulary/calls/call-preview.ts";
import type { Gateway } from "../vocabulary/calls/gateway.ts";
import type { CallMeter } from "../vocabulary/call-meter.ts";
import type { Asking, BudgetLimits, CallsLimit, Reservation } from "./budgets.ts";
import { createBudgets } from "./budgets.ts";
import type { AnswerDesk } from "./approvals/answer-desk.ts";
import { createAnswerDesk } from "./approvals/answer-desk.ts";
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

/** The tools a gateway stands before, and what the operator says of them. */
export type GatewayTools = Pick<GatewayNeeds, "definitions" | "remote" | "protects" | "guardrail" | "endorsed" | "asksSpent">;

/** Accounts with an operator's role, and those of them that are the owner's own; none when that is left out. */
export interface OperatorAccounts {
  readonly operators: () => ReadonlySet<PrincipalId>;
  readonly own?: () => ReadonlySet<PrincipalId>;
}

/** Says who someone is and what that allows. Nothing here ever sees a message's text. */
export interface Authority extends AnswerDesk {
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
  /** The bounds, read anew at each use; `notice` is told once a day and bound, for the operator (TR-092, SE-090). */
  budgets: { limits: () => BudgetLimits & MoneyLimits & ToolLimits; notice: (notice: BudgetNotice) => void };
  log: Pick<Log, "failure">;
  /** Whether a text holds a configured secret. */
  hides: (text: string) => boolean;
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
    limits: needs.budgets.limits,
    charged: (scope, sinceMs) => needs.store.read.charged(scope, sinceMs),
    notice: needs.budgets.notice,
  });
  const isNamed = (person: PrincipalId): boolean => isNamedPerson(person, people);
  const money = createMoney({ clock, limits: needs.budgets.limits, store, isNamed, log: needs.log, notice: needs.budgets.notice });
  const reserve = (person: PrincipalId, surface: SurfaceName, more: Pick<Asking, "beside" | "further" | "room">): Reservation => {
    const refusal = money.refusal(person, surface);
    if (refusal !== null) return { kind: "exhausted", ...refusal, ofDay: true };
    return budgets.reserve({ person, surface, named: isNamed(person), ...more });
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
    ...createAnswerDesk({ store, clock, ownAccounts, hides: needs.hides, roleOf: (person) => roleOf(person, people) }),
    gateway: (tools) => createGateway({ ...tools, ownAccounts, store, clock, people, limits: needs.budgets.limits }),
    preview: previewCall,
    budgets: (surfaces) => [...money.views(surfaces), ...budgets.views(surfaces)],
  };
}
