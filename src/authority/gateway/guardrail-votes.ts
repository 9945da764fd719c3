import { parseBareJson } from "../../foundation/bare-json.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { StepBudget } from "../../foundation/linear-pattern.ts";
import type { GuardrailsConfig } from "../../config/guardrails-config.ts";
import type { GuardrailRule, RuleSubject } from "../../vocabulary/calls/guardrail-rule.ts";
import { RULE_STEPS, holds } from "../../vocabulary/calls/guardrail-rule.ts";
import { isSmallModel } from "../../vocabulary/calls/small-model.ts";
import type { FrozenCall } from "./frozen-call.ts";
import type { Guardrail, Vote } from "./votes.ts";

/** What the operator's rules are, and what they are asked about, each time anew. */
export interface GuardrailNeeds {
  /** The rules in force: a changed file counts from the next call (CH-080). */
  readonly rules: () => GuardrailsConfig;
  /** Every model that may answer a turn with tools now, as `host/model`. */
  readonly models: () => readonly string[];
}

/** Let the operator's rules vote on calls, in their order, by the bytes that would run (CH-071, CH-074). */
export function createGuardrail({ rules, models }: GuardrailNeeds): Guardrail {
  return (call) => {
    const config = rules();
    if (config.unusable !== null) return [{ verdict: "deny", rule: "guardrails", code: "guardrail", reason: config.unusable }];
    const subject = subjectOf(call);
    const budget: StepBudget = { left: RULE_STEPS };
    return config.rules.flatMap((rule) => (isVoting(rule, config, models()) ? voteOf(rule, subject, budget) : []));
  };
}

/** Whether a rule votes at all: it is on, in its mode, for a model that may answer, and what it says counts (CH-079). */
export function isVoting(rule: GuardrailRule, config: GuardrailsConfig, models: readonly string[]): boolean {
  if (config.disabled.includes(rule.id) || !rule.modes.includes(config.mode)) return false;
  if (!config.enabled && rule.verdict === "ask") return false;
  if (rule.models === null) return true;
  return models.some((model) => (rule.small && isSmall(model, config)) || isOneOf(rule.models ?? [], model));
}

function isSmall(model: string, { small }: GuardrailsConfig): boolean {
  return (small.byName && isSmallModel(model)) || isOneOf(small.models, model);
}

function isOneOf(names: NonNullable<GuardrailRule["models"]>, model: string): boolean {
  return names.some((name) => name.isIn(model, { left: RULE_STEPS }));
}

function voteOf(rule: GuardrailRule, subject: RuleSubject, budget: StepBudget): readonly Vote[] {
  const name = `rule:${rule.id}`;
  try {
    if (!holds(rule, subject, budget)) return [];
  } catch (error) {
    if (!isRuntimeError(error, "capacity")) throw error;
    return [{ verdict: "deny", rule: name, code: "guardrail", reason: "the call is too large to be looked at by the rules" }];
  }
  const { verdict, reason, scopes } = rule;
  return [
    verdict === "deny" ? { verdict, rule: name, code: "guardrail", reason } : { verdict, rule: name, reason, scopes: ["once", ...scopes] },
  ];
}

/** What would run, read from the frozen bytes and from nothing else. */
function subjectOf({ definition, argumentsText, facts }: FrozenCall): RuleSubject {
  return {
    tool: definition.name,
    kind: definition.capability,
    arguments: parseBareJson(argumentsText),
    folder: facts.folder ?? null,
    paths: [...(facts.paths ?? []), ...Object.keys(facts.executes ?? {})],
  };
}
