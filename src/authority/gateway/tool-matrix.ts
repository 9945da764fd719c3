import type { Assurance } from "../../vocabulary/principal.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { AskScope, ToolCapability } from "../../vocabulary/calls/tool-definition.ts";

/**
 * The least assurance of the line that may use a capability, and that may answer a question about it (SE-081). Roles and channels
 * stand in `turn-authority.ts`: only an operator's direct line has tools at all (TR-013, MC-042).
 */
export const TOOL_MATRIX: ReadonlyMap<ToolCapability, Assurance> = new Map<ToolCapability, Assurance>([
  ["read", "relayed"],
  ["change", "relayed"],
  ["world", "relayed"],
  ["session", "platform"],
  ["memory", "platform"],
  ["files", "platform"],
  ["config", "platform"],
  ["speak", "platform"],
  ["processes", "local"],
  ["schedule", "local"],
]);

/** What is made to happen later happens with the authority of the own machine: no configuration opens it to another line (TR-015). */
const NEVER_REMOTE: ReadonlySet<ToolCapability> = new Set<ToolCapability>(["schedule"]);

/** The least assurance for a capability; `remote` names those that configuration opens to accounts of a platform. */
export function leastAssurance(capability: ToolCapability, remote: ReadonlySet<ToolCapability>): Assurance {
  // What the table does not name is for nobody but the owner at the own machine.
  const least = TOOL_MATRIX.get(capability) ?? "local";
  return least === "local" && remote.has(capability) && !NEVER_REMOTE.has(capability) ? "platform" : least;
}

/** Scopes that an answer on such a line may have: beyond one call only at the own machine, unless configuration says otherwise (SE-081). */
export function scopesAt(assurance: Assurance, scopes: readonly Exclude<AskScope, "once">[], remote: boolean): readonly AskScope[] {
  return assuranceReaches(assurance, remote ? "platform" : "local") ? ["once", ...scopes] : ["once"];
}
