import { z } from "zod";
import { canonicalJson } from "../../foundation/canonical-json.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { parseGrantId, parseSessionId } from "../../vocabulary/ids.ts";
import type { GrantId, SessionId } from "../../vocabulary/ids.ts";
import type { TurnStarter } from "../../vocabulary/calls/turn-ceilings.ts";

const starter = z.enum(["surface", "schedule", "terminal", "console"]);
const grant = z.string().max(40).nullable();
const shape = z.strictObject({
  session: z.string().max(40),
  /** The call that waits for an answer; null when the turn waits to hear whether it should go on. */
  call: z.string().max(40).nullable(),
  starter,
  grant,
  ranMs: z.number().min(0),
});

/** What a suspended turn needs beside its history: what it waits for, and under what it runs. */
export interface TurnState {
  readonly session: SessionId;
  /** The call that waits for an answer; null when the turn waits to hear whether it should go on. */
  readonly call: string | null;
  readonly starter: TurnStarter;
  readonly grant: GrantId | null;
  /** Milliseconds that it ran: waiting does not count (TR-007). */
  readonly ranMs: number;
}

/** Write it. */
export function turnState(state: TurnState): string {
  return canonicalJson({ ...state });
}

/** Read it again. @throws RuntimeError `state_corrupt` */
export function parseTurnState(text: string): TurnState {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new RuntimeError("state_corrupt", "Cannot go on with a turn: what it left cannot be read", { cause: error });
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) throw new RuntimeError("state_corrupt", "Cannot go on with a turn: what it left is not of its form");
  const { data } = parsed;
  return { ...data, session: parseSessionId(data.session), grant: data.grant === null ? null : parseGrantId(data.grant) };
}
