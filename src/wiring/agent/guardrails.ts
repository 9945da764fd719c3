import { createGuardrail, isVoting } from "../../authority/gateway/guardrail-votes.ts";
import type { Authority, GatewayTools } from "../../authority/authority.ts";
import type { Guardrail, Vote } from "../../authority/gateway/votes.ts";
import type { GuardrailsConfig } from "../../config/guardrails-config.ts";
import type { Speaker } from "../../models/speaker.ts";
import type { GuardrailsDesk } from "../../operations/guardrails.ts";
import { RULE_STEPS } from "../../vocabulary/calls/guardrail-rule.ts";
import type { GuardrailRule } from "../../vocabulary/calls/guardrail-rule.ts";
import type { ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";
import type { ComposeOptions } from "../compose-options.ts";

/** The rules in force: the file is looked at with each call, so that a change counts from the next one (CH-080). */
function rulesNow({ config }: ComposeOptions): GuardrailsConfig {
  config.reload();
  return config.current().guardrails;
}

/** The operator's rules as the gateway asks them, behind what stands against every call. */
export function openGuardrail(options: ComposeOptions, speaker: Pick<Speaker, "configured">, hooks: () => readonly Vote[]): Guardrail {
  const rules = createGuardrail({ rules: () => rulesNow(options), models: () => namesOf(speaker) });
  return (call) => [...hooks(), ...rules(call)];
}

/** What `troupe guardrails` shows and tries. */
export function guardrailsDesk(
  options: ComposeOptions,
  {
    authority,
    speaker,
    tools,
  }: { readonly authority: Pick<Authority, "preview">; readonly speaker: Pick<Speaker, "configured">; readonly tools: GatewayTools },
): GuardrailsDesk {
  return {
    view() {
      const rules = rulesNow(options);
      const { mode, enabled, unusable } = rules;
      return {
        file: options.config.current().source.path,
        mode,
        enabled,
        unusable,
        rules: rules.rules.map((rule) => ({
          id: rule.id,
          verdict: rule.verdict,
          reason: rule.reason,
          line: rule.line,
          votes: isVoting(rule, rules, namesOf(speaker)),
          tools: tools.definitions.filter((one) => mayBeAbout(rule, one)).map(({ name }) => name),
        })),
      };
    },
    preview: (wish) => authority.preview(tools, wish),
  };
}

function mayBeAbout({ tools, kinds }: GuardrailRule, { name, capability }: ToolDefinition): boolean {
  return (kinds?.includes(capability) ?? true) && (tools?.some((one) => one.isIn(name, { left: RULE_STEPS })) ?? true);
}

function namesOf({ configured }: Pick<Speaker, "configured">): readonly string[] {
  return configured.map(({ name }) => name);
}
