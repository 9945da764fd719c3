import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import { callLines } from "../vocabulary/calls/ask-card.ts";
import type { CallPreview, CallWish } from "../vocabulary/calls/call-preview.ts";
import { GUARDRAIL_MODES } from "../vocabulary/calls/guardrail-rule.ts";
import type { GuardrailMode } from "../vocabulary/calls/guardrail-rule.ts";
import { ASK_SCOPES } from "../vocabulary/calls/tool-definition.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

const ACTS = ["list", "try"] as const;
const MAX_CALL = 65_536;

/** Arguments of `guardrails`. */
export interface GuardrailsArguments {
  readonly act?: (typeof ACTS)[number] | undefined;
  readonly tool?: string | undefined;
  readonly call?: string | undefined;
  readonly others?: boolean | undefined;
}

/** A rule as a list has it. */
export interface RuleView {
  readonly id: string;
  readonly verdict: "ask" | "deny";
  readonly reason: string;
  /** Line of the configuration; null where that is not known. */
  readonly line: number | null;
  /** Whether it votes now. */
  readonly votes: boolean;
  /** Tools of today that it may be about, by name and kind alone. */
  readonly tools: readonly string[];
}

/** What stands of the rules now. */
export interface RulesView {
  readonly file: string | null;
  readonly mode: GuardrailMode;
  readonly enabled: boolean;
  /** Why every call is denied; null while the rules can be used. */
  readonly unusable: string | null;
  readonly rules: readonly RuleView[];
}

/** Result of `guardrails`. */
export interface GuardrailsAnswer extends RulesView {
  /** The call that was tried; null for a list. */
  readonly preview: CallPreview | null;
}

/** Where rules and the gateway stand. */
export interface GuardrailsDesk {
  view(): RulesView;
  preview(wish: CallWish): CallPreview;
}

const verdict = z.enum(["ask", "deny"]);

/** `troupe guardrails`: the operator's rules over calls of tools, and what they would say of one (CH-074, CH-079). */
export const guardrails: Declared<GuardrailsArguments, GuardrailsAnswer> = declare<GuardrailsArguments, GuardrailsAnswer>({
  name: "guardrails",
  summary: "see your rules over calls of tools, and try what they say of one: nothing is run",
  arguments: z.strictObject({
    act: z.enum(ACTS).optional().describe("list or try; list without it"),
    tool: z.string().max(64).optional().describe("with try the tool's name"),
    call: z.string().max(MAX_CALL).optional().describe("with try its arguments as JSON; {} without them"),
    others: z.boolean().optional().describe("with try as if somebody else's words were in the turn"),
  }),
  positional: ["act", "tool", "call"],
  who: OWNER_ONLY,
  result: z.object({
    file: z.string().nullable(),
    mode: z.enum(GUARDRAIL_MODES),
    enabled: z.boolean(),
    unusable: z.string().nullable(),
    rules: z.array(
      z.object({
        id: z.string(),
        verdict,
        reason: z.string(),
        line: z.int().nullable(),
        votes: z.boolean(),
        tools: z.array(z.string()),
      }),
    ),
    preview: z
      .object({
        verdict: z.enum(["allow", "ask", "deny"]),
        rule: z.string(),
        reason: z.string().nullable(),
        scopes: z.array(z.enum(ASK_SCOPES)),
        votes: z.array(z.object({ verdict, rule: z.string() })),
        bytes: z.string().nullable(),
        text: z.string().nullable(),
      })
      .nullable(),
  }),
  render: (answer) => (answer.preview === null ? listOf(answer) : previewOf(answer.preview)),
});

function listOf({ file, mode, enabled, unusable, rules }: RulesView): readonly Line[] {
  const shut = unusable === null ? [] : [toned("bad", line`Every call is denied: ${printable(unusable)}. See: troupe check`)];
  if (rules.length === 0)
    return [
      ...shut,
      line`There are no rules beside those of the code. Write some under guardrails.rules; docs/guides/guardrails.md has examples.`,
    ];
  return [
    ...shut,
    toned("strong", line`Rules over calls, in ${printable(file ?? "the built-in example", 200)}, mode ${printable(mode)}:`),
    ...columns(
      rules.map((rule) => [
        printable(rule.id),
        printable(rule.verdict),
        printable(rule.votes ? "votes" : "does not vote"),
        printable(rule.line === null ? "" : `line ${rule.line}`),
        printable(rule.tools.length === 0 ? "no tool there is" : rule.tools.join(" "), 120),
        printable(rule.reason, 200),
      ]),
    ),
    ...(enabled ? [] : [line`Rules and hooks ask nothing (guardrails.enabled is false); what they deny stays denied.`]),
    line`Try a call: troupe guardrails try TOOL '{"argument": "value"}'`,
  ];
}

const VERDICTS: Readonly<Record<CallPreview["verdict"], { readonly tone: Line["tone"]; readonly words: string }>> = {
  allow: { tone: "good", words: "It would run at once" },
  ask: { tone: "strong", words: "You would be asked" },
  deny: { tone: "bad", words: "It would be denied" },
};

function previewOf({ verdict: found, rule, reason, scopes, votes, bytes, text }: CallPreview): readonly Line[] {
  const { tone, words } = VERDICTS[found];
  return [
    toned(tone, line`${printable(words)}, by the rule ${printable(rule)}. Nothing was run.`),
    ...(reason === null ? [] : [line`Its reason: ${printable(reason)}`]),
    ...(scopes.length === 0 ? [] : [line`An answer could count: ${printable(scopes.join(", "))}`]),
    ...(text === null ? [] : [line`The model would be told: ${printable(text, 600)}`]),
    ...(votes.length === 0
      ? []
      : [line`Votes, in their order:`, ...columns(votes.map((vote) => [printable(vote.verdict), printable(vote.rule)]))]),
    ...(bytes === null ? [] : [line`What the rules looked at:`, ...callLines(bytes).map((part) => line`  ${part}`)]),
  ];
}

/** Bind it to the rules in force. */
export function bindGuardrails(desk: GuardrailsDesk): Operation {
  return guardrails.bind(({ act = "list", tool, call = "{}", others = false }) => {
    if (act === "list") {
      if (tool !== undefined)
        throw new RuntimeError("usage", "Cannot list rules: a list takes no tool; to try a call, write try before it");
      return Promise.resolve({ ...desk.view(), preview: null });
    }
    if (tool === undefined) throw new RuntimeError("usage", "Cannot try a call: name the tool, and give its arguments as JSON");
    return Promise.resolve({ ...desk.view(), preview: desk.preview({ call: { name: tool, arguments: call }, others }) });
  });
}
