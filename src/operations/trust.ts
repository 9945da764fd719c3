import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import { SPAN_FORM, parseSpan } from "./span.ts";

const LEVELS = ["trusted", "guest", "blocked"] as const;
/** What somebody can be made to be. */
export type TrustLevel = (typeof LEVELS)[number];

/** Arguments of `trust` and `block`. */
export interface TrustArguments {
  readonly person: string;
  readonly remove?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/** Arguments of `block`, which may end by itself. */
export interface BlockArguments extends TrustArguments {
  readonly for?: string | undefined;
}

/** Result of `trust` and `block`. */
export interface TrustAnswer {
  readonly person: string;
  /** The name last seen; null for somebody never seen here. Data, never identity. */
  readonly name: string | null;
  readonly from: TrustLevel;
  readonly to: TrustLevel;
  /** When a block ends by itself; null for every other change. */
  readonly untilMs: number | null;
  /** The same as it was written, `2d`. */
  readonly span: string | null;
  /** False while it waits to be confirmed. */
  readonly done: boolean;
}

/** Where trust is kept. */
export interface TrustLedger {
  trust(person: PrincipalId): TrustLevel;
  nameOf(person: PrincipalId): string | null;
  setTrust(row: {
    readonly person: PrincipalId;
    readonly role: TrustLevel;
    readonly by: PrincipalId;
    readonly atMs: number;
    readonly untilMs: number | null;
  }): Promise<void>;
}

const fields = {
  person: z.string().max(200).describe("<realm>:<account>, as why and People show it"),
  remove: z.boolean().optional().describe("take the person off the list instead"),
  yes: z.boolean().optional().describe("confirm; without it the change is only shown"),
};
const result: z.ZodType<TrustAnswer> = z.object({
  person: z.string(),
  name: z.string().nullable(),
  from: z.enum(LEVELS),
  to: z.enum(LEVELS),
  untilMs: z.number().nullable(),
  span: z.string().nullable(),
  done: z.boolean(),
});
const common = {
  positional: ["person"],
  who: OWNER_ONLY,
  result,
  exit: ({ done }: TrustAnswer) => (done ? "done" : "question"),
} as const;

/** `troupe trust`: shown first, done with `--yes` (SE-096). */
export const trust: Declared<TrustArguments, TrustAnswer> = declare<TrustArguments, TrustAnswer>({
  ...common,
  name: "trust",
  summary: "put a person on the trust list, after showing whom",
  arguments: z.strictObject(fields),
  render: (answer) => renderChange("trust", answer),
});
/** `troupe block`: shown first, done with `--yes`. */
export const block: Declared<BlockArguments, TrustAnswer> = declare<BlockArguments, TrustAnswer>({
  ...common,
  name: "block",
  summary: "stop hearing a person, for a time or for good, after showing whom",
  arguments: z.strictObject({ ...fields, for: z.string().max(10).optional().describe(`how long, as ${SPAN_FORM}; for good without it`) }),
  render: (answer) => renderChange("block", answer),
});

function renderChange(command: string, { person, name, from, to, untilMs, span, done }: TrustAnswer): readonly Line[] {
  const shown = name === null ? printable("never seen here") : printable(`last seen as "${printable(name, 80)}"`, 120);
  const until = untilMs === null ? printable("") : printable(` until ${new Date(untilMs).toISOString().slice(0, 19)}Z`);
  const change = line`${printable(person)} (${shown}): ${printable(from)} → ${printable(to)}${until}`;
  const again = printable(`troupe ${command} ${person}${to === "guest" ? " --remove" : ""}${span === null ? "" : ` --for ${span}`} --yes`);
  return done ? [toned("good", change)] : [change, toned("strong", line`Nothing is changed yet. To do it: ${again}`)];
}

/** Bind both to where trust is kept. */
export function bindTrust(ledger: TrustLedger, clock: Clock): readonly Operation[] {
  const change = async (level: "trusted" | "blocked", args: BlockArguments, by: PrincipalId): Promise<TrustAnswer> => {
    const person = personOf(args.person, level);
    const atMs = clock.nowMs();
    const span = args.remove === true ? null : (args.for ?? null);
    const untilMs = span === null ? null : atMs + parseSpan(span);
    const to = args.remove === true ? "guest" : level;
    const done = args.yes === true;
    const answer = { person, name: ledger.nameOf(person), from: ledger.trust(person), to, untilMs, span, done } as const;
    if (done) await ledger.setTrust({ person, role: to, by, atMs, untilMs });
    return answer;
  };
  return [
    trust.bind((args, { actor }) => change("trusted", args, actor.principal)),
    block.bind((args, { actor }) => change("blocked", args, actor.principal)),
  ];
}

/** A guest of a room never is more (SE-087), a client that a model drives neither (SE-082), and the owner stays the owner. */
function personOf(written: string, level: TrustLevel): PrincipalId {
  const person = parsePrincipalId(written);
  if (person === LOCAL_OWNER) throw new RuntimeError("usage", "Cannot change that: the owner stays the owner");
  if (level === "trusted" && /^(?:room|mcp):/.test(person))
    throw new RuntimeError("usage", "Cannot trust that: a room's member is always a guest, and a client is no person");
  return person;
}
