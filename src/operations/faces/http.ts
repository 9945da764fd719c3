import { z } from "zod";
import type { ErrorCode } from "../../foundation/errors.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { Operations } from "../operations.ts";
import { wireErrorOf } from "./wire.ts";

/** One call that came over HTTP, its body parsed and bounded by the listener. */
export interface HttpCall {
  readonly name: string;
  /** `{ "args": { … } }`. */
  readonly body: unknown;
  /** Who calls, as the listener established it from the session token. */
  readonly actor: OriginFacts;
}

/** The answer: text for people, data for programs. */
export interface HttpAnswer {
  readonly status: number;
  readonly body:
    | { readonly kind: "done"; readonly text: string; readonly data: unknown }
    | { readonly kind: "failed"; readonly code: ErrorCode; readonly message: string };
}

const request = z.strictObject({ args: z.record(z.string(), z.unknown()) });

const STATUS: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  invalid_argument: 400,
  forbidden: 403,
  not_found: 404,
  capacity: 429,
  aborted: 503,
  closed: 503,
  deadline: 504,
};

/** Run an operation for an HTTP request. Never throws: whatever fails is an answer with its code and fixed message. */
export async function runOverHttp(operations: Operations, call: HttpCall, signal: AbortSignal): Promise<HttpAnswer> {
  const parsed = request.safeParse(call.body);
  if (!parsed.success)
    return { status: 400, body: { kind: "failed", code: "usage", message: 'Cannot run that: the body must be {"args": {…}}' } };
  if (operations.list.find(({ name }) => name === call.name)?.who.terminal === true)
    return { status: 403, body: { kind: "failed", code: "forbidden", message: "Cannot run that here: only at this computer's terminal" } };
  try {
    const { json, lines } = operations.present(call.name, await operations.run(call.name, parsed.data.args, call.actor, signal));
    return { status: 200, body: { kind: "done", text: lines.map(({ text }) => text).join("\n"), data: json } };
  } catch (error) {
    const { code, message } = wireErrorOf(error);
    return { status: STATUS[code] ?? 500, body: { kind: "failed", code, message } };
  }
}
