import { z } from "zod";
import type { Ask } from "../vocabulary/calls/ask.ts";
import { mustBeShown, parseAsk } from "../vocabulary/calls/ask.ts";
import { cardPieces } from "../vocabulary/calls/ask-card.ts";
import type { AskScope } from "../vocabulary/calls/tool-definition.ts";
import { ASK_SCOPES } from "../vocabulary/calls/tool-definition.ts";

/** A question as its card shows it: every text is one printable line (SE-084, SE-103). */
export interface CardView {
  readonly id: string;
  readonly number: number;
  /** Of what is asked for: an answer is to exactly that. */
  readonly digest: string;
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  /** The frozen question. */
  readonly call: string;
  /** What the card of a call shows, in this order; null for a question about no call. */
  readonly pieces: {
    readonly tool: string;
    readonly because: string;
    readonly influence: readonly { readonly whose: string; readonly isOther: boolean }[];
    readonly destination: string;
    readonly digest: string;
    readonly bytes: readonly string[];
    readonly dynamic: boolean;
    readonly foretold: readonly string[];
    readonly scopes: readonly AskScope[];
    readonly words: string;
    /** Whether it can be allowed only after all of it was shown. */
    readonly whole: boolean;
  } | null;
  /** What is asked, where it is about no call; "" otherwise. */
  readonly asks: string;
}

/** Checks a {@link CardView}. */
export const cardView: z.ZodType<CardView> = z.object({
  id: z.string(),
  number: z.int(),
  digest: z.string(),
  askedAtMs: z.number(),
  expiresAtMs: z.number(),
  call: z.string(),
  pieces: z
    .object({
      tool: z.string(),
      because: z.string(),
      influence: z.array(z.object({ whose: z.string(), isOther: z.boolean() })),
      destination: z.string(),
      digest: z.string(),
      bytes: z.array(z.string()),
      dynamic: z.boolean(),
      foretold: z.array(z.string()),
      scopes: z.array(z.enum(ASK_SCOPES)),
      words: z.string(),
      whole: z.boolean(),
    })
    .nullable(),
  asks: z.string(),
});

/** Draw a question from its frozen text alone. */
export function cardOf(question: Pick<CardView, "id" | "number" | "digest" | "askedAtMs" | "expiresAtMs" | "call">): CardView {
  const { id, number, digest, askedAtMs, expiresAtMs, call } = question;
  const ask = parseAsk(call);
  const pieces = ask === null ? null : piecesOf(ask);
  return { id, number, digest, askedAtMs, expiresAtMs, call, pieces, asks: ask === null ? asksOf(call) : "" };
}

function piecesOf(ask: Ask): NonNullable<CardView["pieces"]> {
  return { ...cardPieces(ask), whole: mustBeShown(ask) };
}

const wish = z.union([
  z.object({ kind: z.literal("continue"), requests: z.int(), calls: z.int() }),
  z.object({ kind: z.literal("missed"), dueAtMs: z.number() }),
]);

/** The session of a question: of its call, or of the turn that asks whether it may go on; null for none. */
export function sessionOf(call: string): string | null {
  return parseAsk(call)?.session ?? z.object({ session: z.string() }).safeParse(jsonOf(call)).data?.session ?? null;
}

function asksOf(call: string): string {
  const known = wish.safeParse(jsonOf(call)).data;
  if (known === undefined) return "A turn waits for your answer.";
  if (known.kind === "missed")
    return `Something was due at ${new Date(known.dueAtMs).toISOString().slice(0, 16)}Z, while nobody was here. Shall it happen now?`;
  return `The model was asked ${known.requests} times and made ${known.calls} calls for this. Shall it go on?`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null; // A damaged row says nothing of itself.
  }
}
