import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import { SESSION_CEILINGS } from "../vocabulary/calls/session.ts";
import type { Declared, Operation } from "./operation.ts";
import { OPERATORS_LINE, declare } from "./operation.ts";

/** Sessions that a list shows, and entries that are shown of one: the newest. */
const MAX_LISTED = 50;
const STANDARD_ENTRIES = 20;
const MAX_ENTRY_CHARACTERS = 600;

/** Arguments of `sessions`. */
export interface SessionsArguments {
  readonly id?: string | undefined;
  readonly last?: number | undefined;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
  readonly most?: number | undefined;
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
}

/** A session of an agent, as data. */
export interface SessionView {
  readonly id: string;
  readonly character: string;
  readonly person: string;
  /** The direct line that it is of. */
  readonly place: string;
  /** The session that it goes on from; null when it began empty. */
  readonly parent: string | null;
  readonly createdAtMs: number;
  readonly usedAtMs: number;
  /** Whether its line goes on in it. */
  readonly current: boolean;
  readonly entries: number;
  readonly bytes: number;
  /** Whose words it carries beside its own person's, and since when; nobody's is an empty list. */
  readonly carries: readonly { readonly whose: string; readonly sinceMs: number }[];
}

/** One entry of a history. */
export interface EntryView {
  readonly seq: number;
  readonly atMs: number;
  /** `said`, `answered`, `begun`, `note`, or what became of a call: `ok`, `denied`, `unknown` and so on. */
  readonly what: string;
  readonly text: string;
  /** The call that it is about, and its tool; null for none. */
  readonly call: string | null;
  readonly tool: string | null;
  /** Calls that an answer asks for. */
  readonly calls: readonly { readonly call: string; readonly tool: string; readonly arguments: string }[];
  /** Whether words were left out for their length. */
  readonly cut: boolean;
}

/** What the turns of a session came to, as far as they are kept. */
export interface SpentView {
  readonly turns: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costMicros: number;
  /** Turns of which nobody knows what they cost. */
  readonly unpricedTurns: number;
}

/** Result of `sessions`; entries are those of the one that was asked for. */
export interface SessionsAnswer {
  readonly sessions: readonly SessionView[];
  /** Whether there are more sessions behind these. */
  readonly more: boolean;
  readonly entries: readonly EntryView[];
  /** Of the one that was asked for; null for a list. */
  readonly spent: SpentView | null;
}

/** Which entries of a history: the newest, those before one, or those behind one. */
export interface EntrySpan {
  readonly last: number;
  readonly before?: number | undefined;
  readonly after?: number | undefined;
}

/** Where histories are kept. */
export interface SessionsLedger {
  /** The sessions used last, newest first; of one person, or of all. */
  list(limit: number, whose: string | null): readonly SessionView[];
  /** Those whose id begins so, at most two; one of exactly that id first. */
  named(beginning: string, whose: string | null): readonly SessionView[];
  /** Entries of one, oldest first. */
  entries(id: string, span: EntrySpan): readonly Omit<EntryView, "cut">[];
  spent(id: string): SpentView;
}

const entry = z.object({
  seq: z.number(),
  atMs: z.number(),
  what: z.string(),
  text: z.string(),
  call: z.string().nullable(),
  tool: z.string().nullable(),
  calls: z.array(z.object({ call: z.string(), tool: z.string(), arguments: z.string() })),
  cut: z.boolean(),
});

/** `troupe sessions`. */
export const sessions: Declared<SessionsArguments, SessionsAnswer> = declare<SessionsArguments, SessionsAnswer>({
  name: "sessions",
  summary: "list the agents' sessions, or show the newest entries of one",
  arguments: z.strictObject({
    id: z.string().max(40).optional().describe("which one, as the list shows it, or the beginning of it"),
    last: z.int().min(1).max(500).optional().describe(`how many entries; ${STANDARD_ENTRIES} without it`),
    before: z.int().min(1).optional().describe("only entries before this one"),
    after: z.int().min(0).optional().describe("only entries behind this one, the next first"),
    most: z.int().min(100).optional().describe("characters of each text; all without it"),
    skip: z.int().min(0).max(SESSION_CEILINGS.sessions).optional().describe("sessions to leave out of the list, from the newest on"),
    limit: z.int().min(1).max(MAX_LISTED).optional().describe(`sessions of the list; ${MAX_LISTED} without it`),
  }),
  positional: ["id"],
  who: OPERATORS_LINE,
  result: z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        character: z.string(),
        person: z.string(),
        place: z.string(),
        parent: z.string().nullable(),
        createdAtMs: z.number(),
        usedAtMs: z.number(),
        current: z.boolean(),
        entries: z.number(),
        bytes: z.number(),
        carries: z.array(z.object({ whose: z.string(), sinceMs: z.number() })),
      }),
    ),
    more: z.boolean(),
    entries: z.array(entry),
    spent: z
      .object({
        turns: z.int(),
        promptTokens: z.number(),
        completionTokens: z.number(),
        costMicros: z.number(),
        unpricedTurns: z.int(),
      })
      .nullable(),
  }),
  render: ({ sessions: listed, entries }) => {
    if (listed.length === 0) return [line`There are no sessions. One begins with what you say to a character: troupe chat`];
    return [...columns([HEAD, ...listed.map(rowOf)], 0), ...listed.flatMap(carried), ...entries.map(entryLine)];
  },
});

const HEAD: readonly Printable[] = ["id", "character", "whose", "used", "entries", ""].map((word) => printable(word));

function rowOf({ id, character, person, usedAtMs, entries, current }: SessionView): readonly Printable[] {
  return [
    printable(id),
    printable(character),
    printable(person),
    printable(stamp(usedAtMs)),
    printable(String(entries)),
    printable(current ? "in use" : "rests"),
  ];
}

function carried({ id, carries }: SessionView): readonly Line[] {
  return carries.map(({ whose, sinceMs }) =>
    toned(
      "strong",
      line`${printable(id)} carries words of ${printable(whose)} since ${printable(stamp(sinceMs))}; /clean leaves them behind.`,
    ),
  );
}

function entryLine({ seq, atMs, what, text: own, call, tool, calls }: EntryView): Line {
  const at = printable(stamp(atMs));
  const about = call === null ? "" : tool === null ? call : `${call} ${tool}: `;
  const text = [`${about}${own}`, ...calls.map((one) => `${one.call} ${one.tool} ${one.arguments}`)].join(" ").trim();
  return line`${printable(String(seq))} ${at} ${printable(what)}: ${printable(text, MAX_ENTRY_CHARACTERS)}`;
}

function stamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** Bind it to where sessions are kept. Away from the own machine everybody sees the sessions of their own lines alone. */
export function bindSessions(ledger: SessionsLedger): Operation {
  return sessions.bind((args, { actor }) => {
    const whose = actor.assurance === "local" ? null : actor.principal;
    const { id, skip = 0, limit = MAX_LISTED } = args;
    if (id === undefined) {
      const listed = ledger.list(skip + limit + 1, whose).slice(skip);
      return Promise.resolve({ sessions: listed.slice(0, limit), more: listed.length > limit, entries: [], spent: null });
    }
    if (args.before !== undefined && args.after !== undefined)
      throw new RuntimeError("usage", "Cannot show entries: say before or after, not both");
    const found = namedBy(ledger.named(id.trim(), whose), id.trim());
    const { before, after, most, last = STANDARD_ENTRIES } = args;
    const entries = ledger.entries(found.id, { last, before, after }).map((one) => cutTo(one, most ?? Number.POSITIVE_INFINITY));
    return Promise.resolve({ sessions: [found], more: false, entries, spent: ledger.spent(found.id) });
  });
}

/** The one session whose id begins so. @throws RuntimeError `not_found`, `usage` */
function namedBy([found, ...others]: readonly SessionView[], written: string): SessionView {
  if (found === undefined) throw new RuntimeError("not_found", "Cannot find that session: troupe sessions lists what there is");
  if (others.length > 0 && found.id !== written)
    throw new RuntimeError("usage", "Cannot tell which session is meant: several begin so; write more of the id");
  return found;
}

function cutTo(one: Omit<EntryView, "cut">, most: number): EntryView {
  const isLong = one.text.length > most || one.calls.some((each) => each.arguments.length > most);
  if (!isLong) return { ...one, cut: false };
  const calls = one.calls.map((each) => ({ ...each, arguments: each.arguments.slice(0, most) }));
  return { ...one, text: one.text.slice(0, most), calls, cut: true };
}
