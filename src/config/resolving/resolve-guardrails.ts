import { parseBareJson } from "../../foundation/bare-json.ts";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { LinearPattern } from "../../foundation/linear-pattern.ts";
import type { GuardrailRule } from "../../vocabulary/calls/guardrail-rule.ts";
import { GUARDRAIL_MODES, RULE_STEPS, holds } from "../../vocabulary/calls/guardrail-rule.ts";
import type { GuardrailsConfig } from "../guardrails-config.ts";
import { MAX_RULES } from "../schema/guardrails-schema.ts";
import type { ConfigPath, Position } from "../problem.ts";
import { didYouMean, showName } from "../problem.ts";
import type { RawConfig, RawExample, RawRule } from "../schema/raw-config.ts";
import type { Report } from "./resolve-config.ts";
import { suggest } from "../rules/suggest.ts";

const SMALL = "small";
const BY_NAME = "auto";
const MATCHERS = ["tool", "kind", "command", "path", "outside", "arguments"] as const;

/**
 * Make the operator's rules of what the file says, and try each on its own examples (CH-074). Every rule that is broken goes to
 * `report`, with the place of what is wrong.
 */
export function resolveGuardrails(
  { guardrails: raw }: RawConfig,
  locate: (path: ConfigPath) => Position | null,
  report: Report,
): GuardrailsConfig {
  const entries = Object.entries(raw.rules);
  if (entries.length > MAX_RULES) report(["guardrails", "rules"], `must be at most ${MAX_RULES}`);
  for (const [index, id] of raw.disable.entries())
    if (!Object.hasOwn(raw.rules, id))
      report(["guardrails", "disable", index], `there is no rule ${showName(id)}${didYouMean(suggest(id, Object.keys(raw.rules)))}`);
  return {
    enabled: raw.enabled,
    mode: raw.mode,
    disabled: [...raw.disable],
    small: {
      byName: raw.small_models.includes(BY_NAME),
      models: raw.small_models.filter((one) => one !== BY_NAME).map(globPattern),
    },
    rules: entries.map(([id, rule]) => {
      const path = ["guardrails", "rules", id];
      const made = ruleOf(id, rule, locate(path)?.line ?? null);
      checkRule(path, rule, made, report);
      return made;
    }),
    unusable: null,
  };
}

function ruleOf(id: string, raw: RawRule, line: number | null): GuardrailRule {
  const { models, verdict, reason } = raw;
  return {
    ...matchersOf(raw),
    id,
    line,
    verdict,
    reason,
    scopes: raw.scopes ?? ["session", "always"],
    models: models?.filter((one) => one !== SMALL).map(globPattern) ?? null,
    small: models?.includes(SMALL) ?? false,
    modes: raw.modes ?? GUARDRAIL_MODES,
  };
}

function matchersOf(raw: RawRule): Pick<GuardrailRule, "tools" | "kinds" | "command" | "paths" | "outside" | "arguments"> {
  return {
    tools: raw.tool?.map(globPattern) ?? null,
    kinds: raw.kind ?? null,
    command: raw.command === undefined ? null : LinearPattern.parse(raw.command),
    paths: raw.path?.map(pathPattern) ?? null,
    outside: raw.outside ?? null,
    arguments: new Map(Object.entries(raw.arguments ?? {}).map(([field, pattern]) => [field, LinearPattern.parse(pattern)])),
  };
}

function checkRule(path: ConfigPath, raw: RawRule, rule: GuardrailRule, report: Report): void {
  if (MATCHERS.every((matcher) => raw[matcher] === undefined))
    report(path, `must name what it is about: one of ${MATCHERS.join(", ")}; tool: ["*"] is every call`);
  if (raw.verdict === "deny" && raw.scopes !== undefined)
    report([...path, "scopes"], "is of no use: what is denied is asked of nobody; take it away");
  for (const word of ["match", "not_match"] as const)
    for (const [index, example] of raw[word].entries())
      checkExample([...path, word, index], example, { rule, wanted: word === "match" }, report);
}

function checkExample(
  path: ConfigPath,
  example: RawExample,
  { rule, wanted }: { readonly rule: GuardrailRule; readonly wanted: boolean },
  report: Report,
): void {
  try {
    const subject = {
      tool: example.tool,
      kind: example.kind ?? null,
      arguments: parseBareJson(canonicalJson(example.arguments)),
      folder: example.folder ?? null,
      paths: [],
    };
    if (holds(rule, subject, { left: RULE_STEPS }) === wanted) return;
    report(
      path,
      wanted
        ? "the rule is not about this call; correct the one or the other"
        : "the rule is about this call; correct the one or the other",
    );
  } catch (error) {
    if (!isRuntimeError(error, "invalid_argument") && !isRuntimeError(error, "capacity")) throw error;
    report(path, "is no call that can be tried: it is nested too deeply, or too large");
  }
}

/** A name with `*` for any letters. */
function globPattern(glob: string): LinearPattern {
  return LinearPattern.parse(`^${escape(glob).replaceAll("\\*", ".*")}$`);
}

/** A path with `*` within a name and `**` across folders; names of files are the same in every case of their letters, since some disks say so. */
function pathPattern(glob: string): LinearPattern {
  const parts = glob.split(/(\*\*\/|\*\*|\*|\?)/);
  const words: Readonly<Record<string, string>> = { "**/": "(?:.*\\/)?", "**": ".*", "*": "[^\\/]*", "?": "[^\\/]" };
  return LinearPattern.parse(`(?i)^${parts.map((part) => words[part] ?? escape(part)).join("")}$`);
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}
