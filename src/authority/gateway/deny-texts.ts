import type { DenyCode } from "../../vocabulary/calls/gateway.ts";

const REASONS: Readonly<Record<DenyCode, string>> = {
  unknown_tool: "there is no tool of that name. Nobody was asked",
  malformed: "its arguments are not of the tool's schema. Nobody was asked; it may be called again with arguments that are",
  not_allowed: "the one who asks may not do this from this line. Nobody was asked",
  no_approver: "it needs a person's answer and nobody is there to be asked",
  denied: "the person who was asked said no",
  asks_spent: "it needs a person's answer, and as many questions as one turn or one hour may have were asked. Nobody was asked",
  budget: "the day's budget for such calls is used up. Nobody was asked",
  bits: "one turn may learn no more of texts that it has not read. Nobody was asked",
  ceiling:
    "it is larger than can be asked about on this line, or one call too many. Nobody was asked; the owner can ask for it at the terminal",
  destination: "its destination is none that this turn was given. Nobody was asked",
  protected: "it touches the program's own state or a file with a key, which no tool may. Nobody was asked",
  changed: "what was approved is not what was called. It was not run",
  used: "it was begun before an interruption; whether it took effect is not known, and it is not run a second time",
  repeated: "its id names another call of this session. Nobody was asked",
  stopped: "everything was stopped by the owner. Nobody was asked",
  guardrail: "a rule of the owner forbids it. Nobody was asked",
  hook: "a hook of the owner forbids it. Nobody was asked",
};

/** A rule that denied, and why in its author's words. */
export interface DenyingRule {
  readonly rule: string;
  readonly reason?: string;
}

/** The result of a call that its person denied, with what they said to it (CH-075, CH-078). */
export function refusedText(reason: string): string {
  return `Denied by the runtime: ${REASONS.denied}, with the words ${JSON.stringify(reason)}. Do not try to reach the same result in another way.`;
}

/** The result of a denied call for the model: who denied it, why, whether a person was asked, and that it stays so (CH-078). */
export function denyText(code: DenyCode, rule: DenyingRule | null = null): string {
  if ((code !== "guardrail" && code !== "hook") || rule?.reason === undefined)
    return `Denied by the runtime: ${REASONS[code]}. Do not try to reach the same result in another way.`;
  const { rule: name, reason } = rule;
  return `Denied by a ${code === "hook" ? "hook" : "rule"} of the owner (${name}): ${reason.replace(/[.!?]+$/, "")}. Nobody was asked. Do not try to reach the same result in another way.`;
}
