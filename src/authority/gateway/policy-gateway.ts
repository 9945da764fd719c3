import { parseBareJson } from "../../foundation/bare-json.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Store } from "../../store/store.ts";
import { ANSWER_CODE } from "../../vocabulary/calls/answer-code.ts";
import type { ApprovalAnswer } from "../../vocabulary/calls/approval-answer.ts";
import { answerText } from "../../vocabulary/calls/approval-answer.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { askText, mustBeShown, parseAsk } from "../../vocabulary/calls/ask.ts";
import { mintAction } from "../../vocabulary/calls/authorized-action.ts";
import type { CallBatch, CallContext, DenyCode, Gateway, Verdict } from "../../vocabulary/calls/gateway.ts";
import { DENY_CODES } from "../../vocabulary/calls/gateway.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { ToolCapability, ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";
import { TURN_BITS } from "../../vocabulary/calls/tool-definition.ts";
import { TURN_CEILINGS } from "../../vocabulary/calls/turn-ceilings.ts";
import type { People } from "../people.ts";
import type { DenyingRule } from "./deny-texts.ts";
import { denyText, refusedText } from "./deny-texts.ts";
import type { BrokenCall, FrozenCall, Registry } from "./frozen-call.ts";
import { freezeCall, registryOf } from "./frozen-call.ts";
import type { JudgeBounds, JudgeRow, JudgedCall, JudgedResult, KeptAnswer } from "./judge-rows.ts";
import { createLabelSource } from "./label-source.ts";
import type { Protects, Stand } from "./stand.ts";
import { standOf } from "./stand.ts";
import type { ToolLimits } from "./tool-budgets.ts";
import { chargesOf } from "./tool-budgets.ts";
import { leastAssurance } from "./tool-matrix.ts";
import type { Guardrail, Outcome, Voters } from "./votes.ts";
import { outcomeOf } from "./votes.ts";

/** Questions that one turn, and that turns with others' words in them within an hour, may come to (SE-084). */
export const ASK_BOUNDS = { asksPerTurn: 3, foreignAsksPerHour: 10 } as const;
/** Lines of a card on what follows from its call. */
const MAX_FORETOLD = 8;
/** Milliseconds that a question waits for its answer. */
export const ASK_EXPIRES_MS: number = 24 * 3_600_000;
/** How long, and how often, an answer counts on (SE-085). */
export const KEPT_ANSWER: { readonly expiresMs: number; readonly uses: number } = { expiresMs: 14 * 24 * 3_600_000, uses: 100 };

/** What the gateway works with. */
export interface GatewayNeeds {
  readonly store: { readonly calls: Pick<Store["calls"], "judge" | "use">; readonly read: { readonly calls: Store["read"]["calls"] } };
  readonly clock: Clock;
  readonly people: People;
  readonly definitions: readonly ToolDefinition[];
  readonly limits: () => ToolLimits;
  /** Operators' accounts that are the owner's own: what is asked of them can be shown whole at the own machine. */
  readonly ownAccounts: () => ReadonlySet<PrincipalId>;
  /** Capabilities that configuration opens to accounts of a platform (SE-081). */
  readonly remote: () => ReadonlySet<ToolCapability>;
  readonly protects: Protects;
  /** Rules of the operator. */
  readonly guardrail: Guardrail;
  /** Whether an operator took a text of this digest as own words (SE-080). */
  readonly endorsed: (sha256: string) => boolean;
  /** Told whose words a turn carries that wanted more questions than it may have (SE-084). */
  readonly asksSpent: (foreign: readonly string[]) => void;
}

interface Judgement {
  readonly call: FrozenCall | BrokenCall;
  readonly outcome: Outcome;
}

/** Make the one door to every effect. @throws RuntimeError `capacity` for too many tools (MC-040). */
export function createGateway(needs: GatewayNeeds): Gateway {
  if (needs.definitions.length > CEILINGS.tools)
    throw new RuntimeError("capacity", `Cannot take these tools: at most ${CEILINGS.tools} are allowed`);
  return new PolicyGateway(needs);
}

class PolicyGateway implements Gateway {
  readonly labels: Gateway["labels"];
  readonly #needs: GatewayNeeds;
  readonly #registry: Registry;

  constructor(needs: GatewayNeeds) {
    this.#needs = needs;
    this.#registry = registryOf(needs.definitions);
    this.labels = createLabelSource();
  }

  tools(context: CallContext): ReturnType<Gateway["tools"]> {
    const stand = this.#standOf(context);
    const grant = this.#grantOf(context);
    return this.#needs.definitions
      .filter(({ name, classes, capability }) => {
        if (stand.authority[classes.changes] === "deny") return false;
        if (stand.alone && grant?.tool !== name) return false;
        return assuranceReaches(stand.authority.assurance, leastAssurance(capability, stand.remote));
      })
      .map(({ name, description, parameters }) => ({ name, description, parameters }))
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  async judge(batch: CallBatch, signal: AbortSignal): Promise<readonly Verdict[]> {
    throwIfAborted(signal);
    const stand = this.#standOf(batch);
    const judgements = batch.calls.map((call, at) => this.#judgement(batch, stand, { call, at }));
    const nowMs = this.#needs.clock.nowMs();
    const results = await this.#needs.store.calls.judge({
      ...this.#about(batch, stand, nowMs),
      ...ASK_BOUNDS,
      bitsPerTurn: TURN_BITS,
      calls: judgements.map((one) => this.#judged(one, stand, { batch, nowMs })),
    });
    if (stand.foreign.length > 0 && results.some(({ code }) => code === "asks_spent")) this.#needs.asksSpent(stand.foreign);
    return judgements.map((one, at) => this.#verdict(one, results[at], { batch, stand, nowMs }));
  }

  async answered(batch: CallBatch, answer: ApprovalAnswer, signal: AbortSignal): Promise<Verdict> {
    throwIfAborted(signal);
    const [call, ...others] = batch.calls;
    if (call === undefined || others.length > 0)
      throw new RuntimeError("invalid_argument", "Cannot take an answer: it is to exactly one call");
    const frozen = freezeCall(call, this.#registry);
    const stand = this.#standOf(batch);
    const asked = this.#asked(frozen, answer, { batch, stand });
    if (typeof asked === "string" || frozen.kind === "broken") return denied(frozen, typeof asked === "string" ? asked : "changed");
    return await this.#settle({ frozen, answer, ask: asked, batch, stand }, signal);
  }

  /** The question that was answered, when it is that very call's and its person's; else why it counts for nothing. */
  #asked(
    frozen: FrozenCall | BrokenCall,
    answer: ApprovalAnswer,
    { batch, stand }: { readonly batch: CallBatch; readonly stand: Stand },
  ): Ask | "changed" | "denied" | "used" {
    const record = this.#needs.store.read.calls.ask(answer.approval);
    if (record === null || record.state !== "answered" || record.answer !== answerText(answer)) return "changed";
    // A no stays one, however often it is looked at; a yes counts once.
    if (record.usedAtMs !== null) return answer.answer === "deny" ? "denied" : "used";
    const ask = parseAsk(record.call);
    const isSame = frozen.digest === record.digest && ask?.call === frozen.id && ask.session === batch.session;
    return isSame && stand.person === record.person ? ask : "changed";
  }

  /** What holds now decides, not what held when it was asked (TR-014). */
  async #settle({ frozen, answer, ask, batch, stand }: Settling, signal: AbortSignal): Promise<Verdict> {
    const outcome = outcomeOf(frozen, stand, this.#votersOf(batch));
    const nowMs = this.#needs.clock.nowMs();
    const wider = stand.authors.some((one) => !ask.influence.includes(one));
    const code = codeOf(answer, outcome, wider);
    const scope = code === "" && stand.foreign.length === 0 && ask.scopes.includes(answer.scope) ? answer.scope : "once";
    const { used } = await this.#needs.store.calls.use({
      ...this.#about(batch, stand, nowMs),
      approval: answer.approval,
      call: frozen.id,
      tool: frozen.definition.name,
      digest: frozen.digest,
      verdict: code === "" ? "allow" : "deny",
      code,
      keep:
        scope === "once"
          ? null
          : { scope, influence: JSON.stringify(stand.influence), expiresAtMs: nowMs + KEPT_ANSWER.expiresMs, uses: KEPT_ANSWER.uses },
    });
    if (!used) return denied(frozen, "used");
    // Somebody's words came in since: the card did not name them, so it is asked again.
    if (code === "changed") return (await this.judge(batch, signal))[0] ?? denied(frozen, "changed");
    if (code === "") return this.#allowed(frozen, batch, stand);
    const { reason } = answer;
    return code === "denied" && reason !== undefined
      ? { kind: "deny", call: frozen.id, code, text: refusedText(reason) }
      : denied(frozen, code, denialIn(outcome));
  }

  #votersOf({ hooks = [] }: CallBatch): Voters {
    return { guardrail: this.#needs.guardrail, hooks };
  }

  #standOf(context: CallContext): Stand {
    const { people, endorsed, remote, protects } = this.#needs;
    return standOf(context, { people, endorsed, protects, registry: this.#registry, remote: remote() });
  }

  #judgement(batch: CallBatch, stand: Stand, { call, at }: { readonly call: CallBatch["calls"][number]; readonly at: number }): Judgement {
    const frozen = freezeCall(call, this.#registry);
    const deny = (code: DenyCode, rule: string): Judgement => ({ call: frozen, outcome: { verdict: "deny", code, rule } });
    if (at >= TURN_CEILINGS[batch.starter].requestCalls) return deny("ceiling", "request_calls");
    if (frozen.kind === "broken") return deny(frozen.code, "schema");
    const outcome = outcomeOf(frozen, stand, this.#votersOf(batch));
    if (stand.alone) return { call: frozen, outcome: this.#scheduled(frozen, outcome, { batch, stand }) };
    // What can only be shown whole at the own machine cannot be asked about elsewhere (SE-084).
    if (
      outcome.verdict === "ask" &&
      stand.authority.assurance !== "local" &&
      !this.#needs.ownAccounts().has(stand.person) &&
      mustBeShown({ bytes: frozen.bytes, dynamic: frozen.facts.dynamic === true })
    )
      return deny("ceiling", "shown_whole");
    return { call: frozen, outcome };
  }

  /** Nobody is there: what a grant names word for word may run, and nothing that others' words shaped is asked for (TR-015). */
  #scheduled(frozen: FrozenCall, outcome: Outcome, { batch, stand }: { readonly batch: CallBatch; readonly stand: Stand }): Outcome {
    if (outcome.verdict === "deny") return outcome;
    const grant = this.#grantOf(batch);
    const isNamed = grant !== null && grant.tool === frozen.definition.name && (grant.digest === null || grant.digest === frozen.digest);
    if (!isNamed || grant.by !== stand.person || grant.character !== batch.character)
      return { verdict: "deny", rule: "grant", code: "not_allowed" };
    if (outcome.verdict === "allow") return { verdict: "allow", rule: "grant" };
    const isExact = grant.digest === frozen.digest && isToolsOwn(outcome) && stand.foreign.length === 0;
    return isExact ? { verdict: "allow", rule: "grant" } : { verdict: "deny", rule: outcome.rule, code: "no_approver" };
  }

  #grantOf(context: CallContext): ReturnType<GatewayNeeds["store"]["read"]["calls"]["grant"]> {
    return context.grant === null ? null : this.#needs.store.read.calls.grant(context.grant, this.#needs.clock.nowMs());
  }

  #about(batch: CallBatch, stand: Stand, atMs: number): Omit<JudgeRow, "calls" | JudgeBounds> {
    const { turn, root, session, character } = batch;
    return { atMs, turn, root, session, person: stand.person, character, foreign: stand.foreign.length > 0 };
  }

  #judged({ call, outcome }: Judgement, stand: Stand, { batch, nowMs }: { readonly batch: CallBatch; readonly nowMs: number }): JudgedCall {
    const isBroken = call.kind === "broken";
    return {
      call: call.id,
      // A name that no tool has is the model's text, and no text is kept here.
      tool: isBroken ? "unknown" : call.definition.name,
      digest: call.digest,
      verdict: outcome.verdict,
      code: outcome.verdict === "deny" ? outcome.code : "",
      rule: outcome.rule,
      charges: isBroken ? [] : chargesOf(call.facts, stand.person, { nowMs, limits: this.#needs.limits() }),
      bits: isBroken ? 0 : (call.facts.bits ?? 0),
      keptAnswer: isBroken || outcome.verdict !== "ask" ? null : this.#keptFor(call, outcome.scopes, { batch, stand, nowMs }),
      grant: stand.alone && outcome.verdict === "allow" ? batch.grant : null,
    };
  }

  /** An answer that counts for exactly this call: never where somebody else's words are, never beyond whose words it was given under (SE-085). */
  #keptFor(
    { digest }: FrozenCall,
    scopes: readonly string[],
    { batch, stand, nowMs }: { readonly batch: CallBatch; readonly stand: Stand; readonly nowMs: number },
  ): KeptAnswer["approval"] | null {
    if (stand.foreign.length > 0) return null;
    const fits = this.#needs.store.read.calls
      .keptAnswers(nowMs, digest)
      .find(
        (kept) =>
          scopes.includes(kept.scope) &&
          kept.person === stand.person &&
          kept.character === batch.character &&
          (kept.scope === "always" || kept.session === batch.session) &&
          stand.authors.every((one) => namesIn(kept.influence).includes(one)),
      );
    return fits?.approval ?? null;
  }

  #verdict({ call, outcome }: Judgement, result: JudgedResult | undefined, { batch, stand, nowMs }: Ruling): Verdict {
    const code = DENY_CODES.find((one) => one === result?.code);
    if (result === undefined || result.verdict === "deny" || call.kind === "broken")
      return denied(call, code ?? "not_allowed", denialIn(outcome));
    if (result.verdict === "allow") return this.#allowed(call, batch, stand);
    const { scopes, reason } = askedBy(outcome);
    // What is answered by a code waits no longer than its code counts.
    const expiresMs = stand.authority.assurance === "relayed" ? ANSWER_CODE.forMs : ASK_EXPIRES_MS;
    const ask: Ask = {
      session: batch.session,
      call: call.id,
      tool: call.definition.name,
      bytes: call.bytes,
      rule: result.rule,
      ...(reason === undefined ? {} : { reason }),
      influence: stand.influence,
      foreign: stand.foreign,
      destination: call.facts.reach?.shown ?? "",
      scopes,
      least: leastAssurance(call.definition.capability, stand.remote),
      dynamic: call.facts.dynamic === true,
      ...foretoldBy(call, nowMs),
      words: batch.words,
    };
    return {
      kind: "ask",
      call: batch.calls.find(({ id }) => id === call.id)?.id ?? call.id,
      question: { digest: call.digest, call: askText(ask), expiresAtMs: nowMs + expiresMs },
    };
  }

  #allowed(call: FrozenCall, { turn, session }: CallBatch, { person }: Stand): Verdict {
    const { id, definition, definitionDigest, argumentsText, digest } = call;
    const action = mintAction({
      turn,
      session,
      person,
      call: id,
      tool: definition.name,
      definition: definitionDigest,
      argumentsText,
      digest,
    });
    return { kind: "allow", call: id, action };
  }
}

interface Settling {
  readonly frozen: FrozenCall;
  readonly answer: ApprovalAnswer;
  readonly ask: Ask;
  readonly batch: CallBatch;
  readonly stand: Stand;
}

interface Ruling {
  readonly batch: CallBatch;
  readonly stand: Stand;
  readonly nowMs: number;
}

function codeOf({ answer }: ApprovalAnswer, outcome: Outcome, wider: boolean): DenyCode | "" {
  if (answer === "deny") return "denied";
  if (outcome.verdict === "deny") return outcome.code;
  return wider ? "changed" : "";
}

function denied({ id }: Pick<FrozenCall, "id">, code: DenyCode, rule: DenyingRule | null = null): Verdict {
  return { kind: "deny", call: id, code, text: denyText(code, rule) };
}

function askedBy(outcome: Outcome): Pick<Ask, "scopes" | "reason"> {
  return outcome.verdict === "ask" ? outcome : { scopes: ["once"] };
}

/** What follows from a call, as far as its card has room for it. */
function foretoldBy({ definition, argumentsText }: FrozenCall, nowMs: number): Pick<Ask, "foretold"> {
  const foretold = definition.foretell?.(parseBareJson(argumentsText), nowMs) ?? [];
  return foretold.length === 0 ? {} : { foretold: foretold.slice(0, MAX_FORETOLD) };
}

/** Whether nobody asks but the tool itself. */
function isToolsOwn({ rule, only }: Extract<Outcome, { verdict: "ask" }>): boolean {
  return rule === "tool" && only;
}

function denialIn(outcome: Outcome): DenyingRule | null {
  return outcome.verdict === "deny" ? outcome : null;
}

/** The names in a kept list; one that cannot be read names nobody. */
function namesIn(text: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : [];
  } catch {
    return [];
  }
}
