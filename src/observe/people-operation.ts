import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import type { Line } from "../foundation/line.ts";
import { columns, line, text, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "../operations/operation.ts";
import { OWNER_ONLY, declare } from "../operations/operation.ts";
import type { StoreReader } from "../store/store.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** Arguments of `people`. */
export interface PeopleArguments {
  readonly find?: string | undefined;
  readonly limit?: number | undefined;
}

const ROLES = ["operator", "trusted", "guest", "blocked"] as const;

/** Somebody as operators see them. */
export interface PersonEntry {
  readonly id: string;
  /** The name last seen; null when none is kept. Data, never identity. */
  readonly name: string | null;
  readonly role: (typeof ROLES)[number];
  /** Whether an operator's trust can be given: a room's member is always a guest (SE-087). */
  readonly trustable: boolean;
  /** When a block ends by itself. */
  readonly blockedUntilMs: number | null;
  /** The invite that a room's member came in by, and until when it lets them stay; null for everybody else (SE-087). */
  readonly invited: { readonly id: string; readonly untilMs: number } | null;
  /** When a message was last heard, and where; null when none of the last week is kept. */
  readonly lastHeardAtMs: number | null;
  readonly lastPlace: string | null;
  /** Messages heard and replies begun since the day began. */
  readonly heardToday: number;
  readonly repliesToday: number;
  /** Characters this person has private lines with. */
  readonly privateLines: readonly { readonly character: string; readonly lastAtMs: number }[];
  /** How often operators opened those lines, and when last; null when never (TR-091). */
  readonly opened: { readonly times: number; readonly lastAtMs: number } | null;
}

/** Result of `people`: operators first, then the latest heard. */
export interface PeopleAnswer {
  readonly people: readonly PersonEntry[];
  /** Everybody there is, by role, whatever was asked for. */
  readonly counts: Readonly<Record<(typeof ROLES)[number], number>>;
  /** How many matched; more than are listed when the limit cut them. */
  readonly matched: number;
  /** When the day began that "today" counts from: as the budgets count it, in UTC. */
  readonly dayBeganMs: number;
  /** Replies one person may have in a day. */
  readonly repliesPerDay: number;
}

const STANDARD_LIMIT = 100;
const MAX_LIMIT = 500;
const DAY_MS = 86_400_000;
/** How far back somebody is looked for who is on no list. */
const SEEN_MS = 7 * DAY_MS;

const entry: z.ZodType<PersonEntry> = z.object({
  id: z.string(),
  name: z.string().nullable(),
  role: z.enum(ROLES),
  trustable: z.boolean(),
  blockedUntilMs: z.number().nullable(),
  invited: z.object({ id: z.string(), untilMs: z.number() }).nullable(),
  lastHeardAtMs: z.number().nullable(),
  lastPlace: z.string().nullable(),
  heardToday: z.int(),
  repliesToday: z.int(),
  privateLines: z.array(z.object({ character: z.string(), lastAtMs: z.number() })),
  opened: z.object({ times: z.int(), lastAtMs: z.number() }).nullable(),
});

/** `troupe people`. */
export const people: Declared<PeopleArguments, PeopleAnswer> = declare<PeopleArguments, PeopleAnswer>({
  name: "people",
  summary: "list who is here or was lately: role, last seen, what they said and got today",
  arguments: z.strictObject({
    find: z.string().max(200).optional().describe("only names and ids that hold this"),
    limit: z.int().min(1).max(MAX_LIMIT).optional().describe(`how many, ${STANDARD_LIMIT} without it`),
  }),
  positional: ["find"],
  who: OWNER_ONLY,
  result: z.object({
    people: z.array(entry),
    counts: z.object({ operator: z.int(), trusted: z.int(), guest: z.int(), blocked: z.int() }),
    matched: z.int(),
    dayBeganMs: z.number(),
    repliesPerDay: z.int(),
  }),
  render: renderPeople,
});

function renderPeople({ people: listed, counts, matched }: PeopleAnswer): readonly Line[] {
  const tally = ROLES.map((role) => `${counts[role]} ${role}`).join(", ");
  return [
    toned("strong", line`${printable(tally)}`),
    ...columns(
      listed.map((one) => [
        printable(one.name ?? "no name kept", 60),
        printable(one.invited === null ? one.role : `${one.role}, invited`),
        printable(one.id, 200),
        one.lastHeardAtMs === null ? text`not heard lately` : printable(new Date(one.lastHeardAtMs).toISOString().slice(0, 16)),
        text`${one.heardToday} said, ${one.repliesToday} answered today`,
      ]),
    ),
    ...(matched > listed.length ? [toned("faint", line`  and ${matched - listed.length} more: say part of a name or id`)] : []),
  ];
}

/** What `people` reads. */
export interface PeopleNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly reader: Pick<StoreReader, "people" | "directLines" | "auditedTimes" | "inviteOf">;
  readonly operators: () => readonly PrincipalId[];
  readonly repliesPerDay: () => number;
}

/** Bind `people` to what the store and the configuration know. */
export function bindPeople(needs: PeopleNeeds): Operation {
  return people.bind(({ find, limit = STANDARD_LIMIT }): Promise<PeopleAnswer> => {
    const nowMs = needs.clock.nowMs();
    const dayBeganMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    const all = everybody(needs, nowMs - SEEN_MS, dayBeganMs);
    const matching = all.filter((one) => holds(one, find));
    const counts = Object.fromEntries(ROLES.map((role) => [role, all.filter((one) => one.role === role).length]));
    return Promise.resolve({
      people: matching.slice(0, limit).map((one) => withLines(needs, one)),
      counts: { operator: 0, trusted: 0, guest: 0, blocked: 0, ...counts },
      matched: matching.length,
      dayBeganMs,
      repliesPerDay: needs.repliesPerDay(),
    });
  });
}

type Listed = Omit<PersonEntry, "privateLines" | "opened" | "invited">;

/** Operators first, whether or not they ever spoke; the rest as the store orders them. */
function everybody({ reader, operators }: PeopleNeeds, sinceMs: number, dayBeganMs: number): readonly Listed[] {
  const rows = reader.people(sinceMs, dayBeganMs);
  const listed = new Set<PrincipalId>(operators());
  const known = rows.map((row): Listed => ({
    id: row.id,
    name: row.name,
    role: listed.has(row.id) ? "operator" : roleOf(row.id, row.trust),
    trustable: isTrustable(row.id) && !listed.has(row.id),
    blockedUntilMs: row.trust === "blocked" ? row.untilMs : null,
    lastHeardAtMs: row.heardAtMs,
    lastPlace: row.place,
    heardToday: row.heardToday,
    repliesToday: row.callsToday,
  }));
  const seen = new Set<string>(known.map(({ id }) => id));
  const unseen = [...listed].filter((id) => !seen.has(id)).map((id): Listed => ({ ...NEVER, id, role: "operator" }));
  const all = [...known, ...unseen];
  return [...all.filter(({ role }) => role === "operator"), ...all.filter(({ role }) => role !== "operator")];
}

const NEVER = {
  name: null,
  trustable: false,
  blockedUntilMs: null,
  lastHeardAtMs: null,
  lastPlace: null,
  heardToday: 0,
  repliesToday: 0,
} as const;

/** Trust of a room's member counts nothing, whatever the list says (SE-087). */
function roleOf(id: PrincipalId, trust: "trusted" | "guest" | "blocked"): PersonEntry["role"] {
  return trust === "trusted" && !isTrustable(id) ? "guest" : trust;
}

function isTrustable(id: PrincipalId): boolean {
  return !/^(?:room|mcp|local):/.test(id);
}

function holds({ id, name }: Listed, find: string | undefined): boolean {
  if (find === undefined || find.trim() === "") return true;
  const wanted = find.trim().toLowerCase();
  return id.toLowerCase().includes(wanted) || (name?.toLowerCase().includes(wanted) ?? false);
}

function withLines({ reader }: PeopleNeeds, one: Listed): PersonEntry {
  const person = parsePrincipalId(one.id);
  const invite = reader.inviteOf(person);
  return {
    ...one,
    privateLines: [...reader.directLines(person)],
    opened: reader.auditedTimes(person, "read_lines"),
    invited: invite === null ? null : { id: invite.id, untilMs: invite.expiresAtMs },
  };
}
