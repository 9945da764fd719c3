import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, toned } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
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
}

/** A session of an agent, as data. */
export interface SessionView {
  readonly id: string;
  readonly character: string;
  readonly person: string;
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
}

/** Result of `sessions`; entries are those of the one that was asked for. */
export interface SessionsAnswer {
  readonly sessions: readonly SessionView[];
  readonly entries: readonly EntryView[];
}

/** Where histories are kept. */
export interface SessionsLedger {
  list(limit: number): readonly SessionView[];
  /** The newest entries of one, oldest first. */
  entries(id: string, last: number): readonly EntryView[];
}

/** `troupe sessions`. */
export const sessions: Declared<SessionsArguments, SessionsAnswer> = declare<SessionsArguments, SessionsAnswer>({
  name: "sessions",
  summary: "list the agents' sessions, or show the newest entries of one",
  arguments: z.strictObject({
    id: z.string().max(40).optional().describe("which one, as the list shows it, or the beginning of it"),
    last: z.int().min(1).max(500).optional().describe(`how many entries; ${STANDARD_ENTRIES} without it`),
  }),
  positional: ["id"],
  who: OPERATORS_LINE,
  result: z.object({
    sessions: z.array(
      z.object({
        id: z.string(),
        character: z.string(),
        person: z.string(),
        usedAtMs: z.number(),
        current: z.boolean(),
        entries: z.number(),
        bytes: z.number(),
        carries: z.array(z.object({ whose: z.string(), sinceMs: z.number() })),
      }),
    ),
    entries: z.array(z.object({ seq: z.number(), atMs: z.number(), what: z.string(), text: z.string() })),
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

function entryLine({ seq, atMs, what, text }: EntryView): Line {
  const at = printable(stamp(atMs));
  return line`${printable(String(seq))} ${at} ${printable(what)}: ${printable(text, MAX_ENTRY_CHARACTERS)}`;
}

function stamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}

/** Bind it to where sessions are kept. Away from the own machine everybody sees the sessions of their own lines alone. */
export function bindSessions(ledger: SessionsLedger): Operation {
  return sessions.bind((args, { actor }) => {
    const listed = ledger.list(MAX_LISTED).filter(({ person }) => actor.assurance === "local" || person === actor.principal);
    if (args.id === undefined) return Promise.resolve({ sessions: listed, entries: [] });
    const written = args.id.trim();
    const [found, ...others] = written === "" ? [] : listed.filter(({ id }) => id.startsWith(written));
    if (found === undefined) throw new RuntimeError("not_found", "Cannot find that session: troupe sessions lists what there is");
    if (others.length > 0) throw new RuntimeError("usage", "Cannot tell which session is meant: several begin so; write more of the id");
    return Promise.resolve({ sessions: [found], entries: ledger.entries(found.id, args.last ?? STANDARD_ENTRIES) });
  });
}
