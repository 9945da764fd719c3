import { z } from "zod";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import { parseCharacterId, parseMessageId, parseSessionId } from "../vocabulary/ids.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";

const VERDICTS = ["allow", "ask", "deny"] as const;
const STANDARD_LAST = 20;
const MAX_LAST = 200;
/** Characters of a digest that people are shown; as data it is whole. */
const SHOWN_DIGEST = 12;

/** Arguments of `decisions`; every one narrows. */
export interface DecisionsArguments {
  readonly message?: string | undefined;
  readonly tool?: string | undefined;
  readonly verdict?: (typeof VERDICTS)[number] | undefined;
  readonly person?: string | undefined;
  readonly character?: string | undefined;
  readonly session?: string | undefined;
  readonly foreign?: boolean | undefined;
  readonly last?: number | undefined;
  readonly before?: number | undefined;
}

/** One decision about a call of a tool: ids and codes alone. */
export interface DecisionView {
  readonly number: number;
  readonly atMs: number;
  /** `judged` when it was asked for, `answered` when a person's answer came. */
  readonly phase: "judged" | "answered";
  /** The message whose turn it was, for `why`. */
  readonly message: string;
  readonly turn: string;
  readonly session: string;
  readonly call: string;
  readonly person: string;
  readonly character: string;
  readonly tool: string;
  /** SHA-256 of exactly what was judged. */
  readonly digest: string;
  readonly verdict: (typeof VERDICTS)[number];
  /** Why it was denied; "" otherwise. */
  readonly code: string;
  readonly rule: string;
  /** Whether somebody else's words were about. */
  readonly foreign: boolean;
  /** How much of texts that were not read its result could tell. */
  readonly bits: number;
}

/** Result of `decisions`: newest first. */
export interface DecisionsAnswer {
  readonly decisions: readonly DecisionView[];
  /** What `before` takes for the next page; null on the last one. */
  readonly next: number | null;
}

/** `troupe decisions`: what was decided about calls of tools, by which rule (CH-070). */
export const decisions: Declared<DecisionsArguments, DecisionsAnswer> = declare<DecisionsArguments, DecisionsAnswer>({
  name: "decisions",
  summary: "list what was decided about calls of tools: who, what, by which rule, and the digest of what was judged",
  arguments: z.strictObject({
    message: z.string().max(40).optional().describe("only those of the turn that this message began"),
    tool: z.string().max(40).optional().describe("only calls of this tool"),
    verdict: z.enum(VERDICTS).optional().describe("only allow, ask or deny"),
    person: z.string().max(200).optional().describe("only turns of this <realm>:<account>"),
    character: z.string().max(40).optional().describe("only turns of this character"),
    session: z.string().max(40).optional().describe("only of this session"),
    foreign: z.boolean().optional().describe("only where somebody else's words were about"),
    last: z.int().min(1).max(MAX_LAST).optional().describe(`how many, ${STANDARD_LAST} without it`),
    before: z.int().min(1).optional().describe("only decisions before the one of this number"),
  }),
  positional: ["message"],
  who: OWNER_ONLY,
  result: z.object({
    decisions: z.array(
      z.object({
        number: z.int(),
        atMs: z.number(),
        phase: z.enum(["judged", "answered"]),
        message: z.string(),
        turn: z.string(),
        session: z.string(),
        call: z.string(),
        person: z.string(),
        character: z.string(),
        tool: z.string(),
        digest: z.string(),
        verdict: z.enum(VERDICTS),
        code: z.string(),
        rule: z.string(),
        foreign: z.boolean(),
        bits: z.int(),
      }),
    ),
    next: z.int().nullable(),
  }),
  render: ({ decisions: listed, next }) => {
    if (listed.length === 0) return [line`No call of a tool was decided about, as far as is kept and asked for.`];
    return [
      ...columns([HEAD, ...listed.map(rowOf)], 0).map((row, at) => (listed[at - 1]?.verdict === "deny" ? toned("bad", row) : row)),
      ...more(next),
    ];
  },
});

const HEAD: readonly Printable[] = ["", "at", "whose", "tool", "decided", "by", "message", "digest"].map((word) => printable(word));

function rowOf(one: DecisionView): readonly Printable[] {
  const answered = one.phase === "answered" ? "answered: " : "";
  const why = one.code === "" || one.code === one.rule ? one.rule : `${one.rule} (${one.code})`;
  const bits = one.bits === 0 ? "" : `, ${one.bits} bits`;
  return [
    printable(String(one.number)),
    printable(new Date(one.atMs).toISOString().slice(0, 19)),
    printable(`${one.person} with ${one.character}${one.foreign ? ", others' words about" : ""}`, 200),
    printable(one.tool),
    printable(`${answered}${one.verdict}${bits}`),
    printable(why, 120),
    printable(one.message),
    printable(one.digest.slice(0, SHOWN_DIGEST)),
  ];
}

function more(next: number | null): readonly Line[] {
  return next === null ? [] : [toned("faint", line`Older ones: --before ${next}`)];
}

/** Bind `decisions` to what the store kept. @throws RuntimeError `invalid_argument` for what is no id. */
export function bindDecisions(reader: Pick<StoreReader, "calls">): Operation {
  return decisions.bind((args): Promise<DecisionsAnswer> => {
    const { message, person, character, session, foreign, last = STANDARD_LAST, tool, verdict, before } = args;
    const found = reader.calls.decisions(last + 1, {
      tool,
      verdict,
      before,
      root: message === undefined ? undefined : parseMessageId(message),
      person: person === undefined ? undefined : parsePrincipalId(person),
      character: character === undefined ? undefined : parseCharacterId(character),
      session: session === undefined ? undefined : parseSessionId(session),
      foreign: foreign === true ? true : undefined,
    });
    const listed = found.slice(0, last);
    return Promise.resolve({
      decisions: listed.map(({ root, ...one }) => ({ ...one, message: root })),
      next: found.length > last ? (listed.at(-1)?.number ?? null) : null,
    });
  });
}
