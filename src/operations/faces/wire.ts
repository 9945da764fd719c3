import { z } from "zod";
import { ERROR_CODES, RuntimeError } from "../../foundation/errors.ts";
import type { ErrorCode } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import type { TerminalOutput } from "../../vocabulary/terminal-session.ts";

/** Version of the local socket's language; both ends must speak the same. */
export const WIRE_VERSION: number = 1;
/** Longest line a command may send, in bytes: a message of 64 KiB, escaped, fits. */
export const MAX_REQUEST_BYTES: number = 512 * 1024;
/** Longest line the running process may send, in bytes. */
export const MAX_ANSWER_BYTES: number = 8 * 1024 * 1024;

const id = z.int().min(1);

/** What a command sends. */
export type ClientFrame =
  | { readonly type: "hello"; readonly version: number }
  | { readonly type: "run"; readonly id: number; readonly name: string; readonly args?: unknown }
  | { readonly type: "attach"; readonly id: number; readonly character: string | null }
  | { readonly type: "line"; readonly id: number; readonly text: string }
  | { readonly type: "shown"; readonly id: number; readonly output: number; readonly ok: boolean }
  | { readonly type: "eof"; readonly id: number }
  | { readonly type: "cancel"; readonly id: number };

/** Checks a {@link ClientFrame}. */
export const clientFrame: z.ZodType<ClientFrame> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("hello"), version: z.int() }),
  z.strictObject({ type: z.literal("run"), id, name: z.string().max(40), args: z.unknown().optional() }),
  z.strictObject({ type: z.literal("attach"), id, character: z.string().max(40).nullable() }),
  z.strictObject({ type: z.literal("line"), id, text: z.string() }),
  z.strictObject({ type: z.literal("shown"), id, output: id, ok: z.boolean() }),
  z.strictObject({ type: z.literal("eof"), id }),
  z.strictObject({ type: z.literal("cancel"), id }),
]);

/** A failure as it travels: code and the fixed message, never a cause. */
export interface WireError {
  readonly code: ErrorCode;
  readonly message: string;
}

/** What the running process sends. */
export type ServerFrame =
  | { readonly type: "hello"; readonly version: number; readonly troupe: string }
  | { readonly type: "result"; readonly id: number; readonly result?: unknown }
  | { readonly type: "error"; readonly id: number | null; readonly error: WireError }
  | { readonly type: "output"; readonly id: number; readonly output: number; readonly show: TerminalOutput };

/** Longest single line a terminal shows of a part, in characters. */
const MAX_SHOWN_CHARACTERS = 8_000;
// What comes over the socket is made printable anew: a brand does not travel (SE-103).
const safe = z.string().transform((text) => printable(text, MAX_SHOWN_CHARACTERS));

const terminalOutput: z.ZodType<TerminalOutput> = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("heard"), id: safe }),
  z.strictObject({ kind: z.literal("typing"), name: safe, on: z.boolean() }),
  z.strictObject({
    kind: z.literal("said"),
    name: safe,
    badge: safe.nullable(),
    action: safe.nullable(),
    lines: z.array(safe),
    last: z.boolean(),
  }),
  z.strictObject({ kind: z.literal("notice"), text: safe }),
]);

const errorCodes: z.ZodType<ErrorCode> = z.custom<ErrorCode>((value) => typeof value === "string" && Object.hasOwn(ERROR_CODES, value));

/** Checks a {@link ServerFrame}. */
export const serverFrame: z.ZodType<ServerFrame> = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("hello"), version: z.int(), troupe: z.string().max(40) }),
  z.strictObject({ type: z.literal("result"), id, result: z.unknown().optional() }),
  z.strictObject({ type: z.literal("error"), id: id.nullable(), error: z.strictObject({ code: errorCodes, message: safe }) }),
  z.strictObject({ type: z.literal("output"), id, output: id, show: terminalOutput }),
]);

/** Whatever was thrown, as it may be told to a caller: our own message, or one fixed sentence for what is no {@link RuntimeError}. */
export function wireErrorOf(error: unknown): WireError {
  if (error instanceof RuntimeError) return { code: error.code, message: error.message };
  return { code: "internal", message: "Cannot go on: the runtime broke a rule of its own" };
}
