import type { OriginFacts } from "../vocabulary/origin.ts";
import type { Assurance, Role } from "../vocabulary/principal.ts";
import { assuranceReaches } from "../vocabulary/principal.ts";

/** What a message can be allowed to do. Tools come with the agent voice; today there is talk and what one may ask about oneself. */
export type Capability = "talk" | "own_conversation" | "operate";

interface Rule {
  readonly roles: readonly Role[];
  readonly channels: readonly OriginFacts["channel"][];
  readonly least: Assurance;
}

/**
 * The capability matrix (TR-013, MC-042) as data. Whatever no row allows is denied. A public line is never more than talk,
 * whoever wrote it (MC-027).
 */
export const MATRIX: Readonly<Record<Capability, readonly Rule[]>> = {
  talk: [{ roles: ["operator", "trusted", "guest"], channels: ["public", "direct"], least: "anonymous" }],
  own_conversation: [{ roles: ["operator", "trusted", "guest"], channels: ["public", "direct"], least: "anonymous" }],
  operate: [{ roles: ["operator"], channels: ["direct"], least: "local" }],
};

/** Whether the matrix lets an origin use a capability. */
export function allows(origin: OriginFacts, capability: Capability): boolean {
  return MATRIX[capability].some(
    (rule) => rule.roles.includes(origin.role) && rule.channels.includes(origin.channel) && assuranceReaches(origin.assurance, rule.least),
  );
}
