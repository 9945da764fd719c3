import type { OriginFacts } from "../../vocabulary/origin.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";

/** The voices a turn may run: a command, the sandboxed responder, or the agent with its tools. */
export type VoiceKind = "operation" | "responder" | "agent";

/**
 * Say which voice a turn is for (TR-031, TR-032): a command its operation, an operator's direct line the agent, on chat surfaces
 * and at the terminal alike; everything else the responder. Whoever's account nobody vouches for is no operator here, whatever
 * its role says (SE-081): authority is the least of both.
 */
export function voiceRule(kind: MessageClass, { role, channel, assurance }: OriginFacts): VoiceKind {
  if (kind === "command") return "operation";
  return role === "operator" && channel === "direct" && assuranceReaches(assurance, "relayed") ? "agent" : "responder";
}
