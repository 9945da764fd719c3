import { parseBareJson } from "../../foundation/bare-json.ts";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { ToolCall } from "../../vocabulary/calls/agent-model.ts";
import { MAX_ASK_BYTES } from "../../vocabulary/calls/ask.ts";
import { definitionDigest } from "../../vocabulary/calls/definition-digest.ts";
import type { DenyCode } from "../../vocabulary/calls/gateway.ts";
import type { CallFacts, ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** A call that a registered tool takes, frozen: from here on only these bytes are judged, shown and run (SE-084). */
export interface FrozenCall {
  readonly kind: "frozen";
  readonly id: string;
  readonly definition: ToolDefinition;
  readonly definitionDigest: string;
  readonly argumentsText: string;
  readonly bytes: string;
  readonly digest: string;
  readonly facts: CallFacts;
}

/** A call that nothing can be made of; `digest` stands for what the model wrote. */
export interface BrokenCall {
  readonly kind: "broken";
  readonly id: string;
  readonly digest: string;
  readonly code: Extract<DenyCode, "unknown_tool" | "malformed" | "ceiling">;
}

/** Tools by name, with the digests of their definitions. */
export type Registry = ReadonlyMap<string, { readonly definition: ToolDefinition; readonly digest: string }>;

/** Take definitions in. */
export function registryOf(definitions: readonly ToolDefinition[]): Registry {
  return new Map(definitions.map((definition) => [definition.name, { definition, digest: definitionDigest(definition) }]));
}

/** Freeze a call: its arguments become canonical bytes, and what is checked is what those bytes say (MC-038). */
export function freezeCall(call: ToolCall, registry: Registry): FrozenCall | BrokenCall {
  const id = CALL_ID.test(call.id) ? call.id : `x${sha256Hex(call.id).slice(0, 32)}`;
  const broken = (code: BrokenCall["code"]): BrokenCall => ({
    kind: "broken",
    id,
    digest: sha256Hex(`${call.name}\n${call.arguments}`),
    code,
  });
  const known = registry.get(call.name);
  if (known === undefined) return broken("unknown_tool");
  if (id !== call.id) return broken("malformed");
  if (Buffer.byteLength(call.arguments) > MAX_ASK_BYTES) return broken("ceiling");
  const argumentsText = canonicalOf(call.arguments);
  if (argumentsText === null) return broken("malformed");
  const { definition, digest } = known;
  const checked = definition.check(parseBareJson(argumentsText));
  if (checked === null) return broken("malformed");
  // Own fields alone: what stands on a prototype is no fact of this call (SE-092).
  const facts: CallFacts = Object.freeze({ __proto__: null, ...checked });
  const { folder, executes } = facts;
  const bytes = canonicalJson({ arguments: parseBareJson(argumentsText), definition: digest, executes, folder, tool: definition.name });
  return { kind: "frozen", id, definition, definitionDigest: digest, argumentsText, bytes, digest: sha256Hex(bytes), facts };
}

/** The arguments as canonical JSON; null for what is no JSON object, or holds what JSON cannot say again. */
function canonicalOf(text: string): string | null {
  try {
    const canonical = canonicalJson(parseBareJson(text));
    return canonical.startsWith("{") ? canonical : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof RuntimeError) return null;
    throw error;
  }
}
