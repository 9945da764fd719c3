import { canonicalDigest } from "../../foundation/canonical-json.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** SHA-256 of all that a definition says: an answer to a question about a call counts for exactly that tool (SE-084). */
export function definitionDigest({ name, description, parameters, capability, classes, verdict, scopes }: ToolDefinition): string {
  return canonicalDigest({ name, description, parameters, capability, classes, verdict, scopes });
}
