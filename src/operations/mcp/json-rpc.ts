import { z } from "zod";

/** Longest message that is read, in bytes. */
export const MAX_MCP_BYTES: number = 65_536;
/** Versions of the protocol that are spoken, newest first. */
export const MCP_VERSIONS: readonly [string, ...string[]] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** What a request is named by, so that its answer finds it. */
export type RpcId = string | number;

/** A message as it was read. */
export type RpcMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: unknown }
  /** Something that has no answer: a notification, or an answer to a question that nobody here asks. */
  | { readonly kind: "unanswered" }
  | { readonly kind: "refused"; readonly answer: RpcAnswer };

/** An answer, ready to be written. */
export interface RpcAnswer {
  readonly jsonrpc: "2.0";
  readonly id: RpcId | null;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Codes of the protocol, with what each says: fixed sentences, since what was sent may be anybody's words. */
const ERRORS = {
  unreadable: { code: -32_700, message: "This is no JSON." },
  invalid: { code: -32_600, message: "This is no single request of JSON-RPC 2.0." },
  no_method: { code: -32_601, message: "There is no such method." },
  arguments: { code: -32_602, message: "There is no such tool, or it takes no such arguments." },
  failed: { code: -32_603, message: "This could not be done." },
  too_long: { code: -32_600, message: "A message has at most 65536 bytes." },
  too_many: { code: -32_000, message: "Too many calls; try again later." },
  stopped: { code: -32_000, message: "Everything stands still until the owner takes it up again." },
} as const;

const id = z.union([z.string().max(200), z.number().int()]);
const version = z.literal("2.0");
const method = z.string().min(1).max(100);
const request = z.strictObject({ jsonrpc: version, id, method, params: z.unknown().optional() });
const notification = z.strictObject({ jsonrpc: version, method, params: z.unknown().optional() });
const response = z.looseObject({ jsonrpc: version, id, method: z.undefined().optional() });

/** Read one message. A batch is none: the protocol has them no more. */
export function readRpc(text: string): RpcMessage {
  if (Buffer.byteLength(text) > MAX_MCP_BYTES) return refusedRpc("too_long");
  const value = jsonIn(text);
  if (value === undefined) return refusedRpc("unreadable");
  const asked = request.safeParse(value);
  if (asked.success) return { kind: "request", id: asked.data.id, method: asked.data.method, params: asked.data.params };
  if (notification.safeParse(value).success || response.safeParse(value).success) return { kind: "unanswered" };
  return refusedRpc("invalid");
}

/** The answer to a request that failed. */
export function rpcError(to: RpcId | null, error: keyof typeof ERRORS): RpcAnswer {
  return { jsonrpc: "2.0", id: to, error: ERRORS[error] };
}

/** The answer to a request. */
export function rpcResult(to: RpcId, result: unknown): RpcAnswer {
  return { jsonrpc: "2.0", id: to, result };
}

function refusedRpc(error: keyof typeof ERRORS): RpcMessage {
  return { kind: "refused", answer: rpcError(null, error) };
}

function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
