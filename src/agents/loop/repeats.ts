import { parseBareJson } from "../../foundation/bare-json.ts";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ToolCall } from "../../vocabulary/calls/agent-model.ts";
import type { SessionEntry } from "../../vocabulary/calls/session.ts";

/** The same call is judged so often in one turn; after that it is not run any more. */
export const MAX_SAME_CALLS = 3;
/** Refusals of repeated calls after which the turn ends. */
export const MAX_REPEATED = 3;

/** What a call asks for, whatever its id and the order of its arguments. */
export function wishOf({ name, arguments: text }: Pick<ToolCall, "name" | "arguments">): string {
  try {
    return `${name} ${canonicalJson(parseBareJson(text))}`;
  } catch (error) {
    if (isRuntimeError(error) || error instanceof SyntaxError) return `${name} ${text}`;
    throw error;
  }
}

/** How often a call was asked for before in these entries of a turn. */
export function askedBefore(entries: readonly SessionEntry[], call: ToolCall): number {
  const wish = wishOf(call);
  const calls = callsIn(entries);
  const at = calls.findIndex(({ id }) => id === call.id);
  return calls.slice(0, at < 0 ? calls.length : at).filter((one) => wishOf(one) === wish).length;
}

/** Every call that these entries ask for, in order. */
export function callsIn(entries: readonly SessionEntry[]): readonly ToolCall[] {
  return entries.flatMap(({ body }) => (body.kind === "answered" ? body.calls : []));
}
