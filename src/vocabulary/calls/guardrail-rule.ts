import type { LinearPattern, StepBudget } from "../../foundation/linear-pattern.ts";
import { placesOf } from "./call-paths.ts";
import type { AskScope, ToolCapability } from "./tool-definition.ts";

/** How strict the operator's rules are: in `strict` those vote too that say so. */
export const GUARDRAIL_MODES = ["auto", "strict"] as const;
/** One of {@link GUARDRAIL_MODES}. */
export type GuardrailMode = (typeof GUARDRAIL_MODES)[number];

/** Steps that all rules together may take to look at one call: the same on every computer, a few hundredths of a second on a slow one. */
export const RULE_STEPS = 2_000_000;

/** A rule of the operator: where everything it names is so, it votes (CH-074). */
export interface GuardrailRule {
  readonly id: string;
  /** Where it stands in the configuration; null where that is not known. */
  readonly line: number | null;
  readonly verdict: "ask" | "deny";
  /** Why, for the model and for whoever is asked. */
  readonly reason: string;
  /** Names of tools; null for every tool. */
  readonly tools: readonly LinearPattern[] | null;
  readonly kinds: readonly ToolCapability[] | null;
  /** Stands in the command. */
  readonly command: LinearPattern | null;
  /** One of the paths is one of these. */
  readonly paths: readonly LinearPattern[] | null;
  /** One of the paths lies in none of these folders. */
  readonly outside: readonly string[] | null;
  /** Patterns by the argument they stand in, `*` for any. */
  readonly arguments: ReadonlyMap<string, LinearPattern>;
  /** How far an answer to its question may count, beside once. */
  readonly scopes: readonly Exclude<AskScope, "once">[];
  /** Models for which it votes; null for all. */
  readonly models: readonly LinearPattern[] | null;
  /** Whether it votes for small models, whatever their names. */
  readonly small: boolean;
  readonly modes: readonly GuardrailMode[];
}

/** A call as rules see it: what would run, read from the bytes that would. */
export interface RuleSubject {
  readonly tool: string;
  /** What the tool is a case of; null where that is not known. */
  readonly kind: ToolCapability | null;
  /** The arguments as the body would get them. */
  readonly arguments: unknown;
  /** Real path of the folder that it works in. */
  readonly folder: string | null;
  /** Real paths that it works on, as far as the tool says so. */
  readonly paths: readonly string[];
}

/**
 * Whether a call is one that the rule is about: everything it names must be so. What cannot be told counts as so, since a rule only
 * ever tightens. @throws RuntimeError `capacity` when the steps are used up before that is known.
 */
export function holds(rule: GuardrailRule, call: RuleSubject, budget: StepBudget): boolean {
  if (rule.tools?.some((name) => name.isIn(call.tool, budget)) === false) return false;
  if (rule.kinds !== null && (call.kind === null || !rule.kinds.includes(call.kind))) return false;
  if (rule.command !== null && !commandHolds(rule.command, call, budget)) return false;
  if ((rule.paths !== null || rule.outside !== null) && !pathsHold(rule, call, budget)) return false;
  return [...rule.arguments].every(([name, pattern]) =>
    isInAny(pattern, textsIn(name === "*" ? call.arguments : fieldOf(call, name)), budget),
  );
}

function commandHolds(pattern: LinearPattern, call: RuleSubject, budget: StepBudget): boolean {
  const texts = textsIn(fieldOf(call, "command"));
  // A process whose command nobody can see may be any.
  if (texts.length === 0) return call.kind === "processes";
  return isInAny(pattern, [...texts, texts.join(" ")], budget);
}

function pathsHold({ paths, outside }: GuardrailRule, call: RuleSubject, budget: StepBudget): boolean {
  const places = placesOf(call);
  if (places.length === 0) return call.kind === "files" || call.kind === "processes";
  const isOne = paths?.some((glob) => places.some((place) => place === null || glob.isIn(place, budget))) ?? true;
  return isOne && (outside === null || places.some((place) => place === null || !outside.some((folder) => lies(place, folder))));
}

function lies(place: string, folder: string): boolean {
  return place === folder || place.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** A pattern is looked for in the text as it is, and as it reads: without what is invisible, in the plain form of each character. */
function isInAny(pattern: LinearPattern, texts: readonly string[], budget: StepBudget): boolean {
  return texts.some((text) => {
    const read = text.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
    return pattern.isIn(text, budget) || (read !== text && pattern.isIn(read, budget));
  });
}

function fieldOf({ arguments: args }: RuleSubject, name: string): unknown {
  if (typeof args !== "object" || args === null || !Object.hasOwn(args, name)) return undefined;
  return new Map<string, unknown>(Object.entries(args)).get(name);
}

/** Everything in a value that can be read: texts, numbers, and the names of fields. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value === "number" || typeof value === "boolean") return [String(value)];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one: unknown) => textsIn(one));
  return Object.entries(value).flatMap(([name, field]: [string, unknown]) => [name, ...textsIn(field)]);
}
