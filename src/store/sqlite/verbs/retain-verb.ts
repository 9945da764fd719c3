import { SESSION_CEILINGS } from "../../../vocabulary/calls/session.ts";
import type { RetentionRow } from "../../store.ts";
import { numberIn } from "../rows/columns.ts";
import { LINE_BYTES } from "../rows/line-bytes.ts";
import type { Params, Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Decisions kept at most (TR-003). */
export const MAX_DECISIONS = 200_000;
/** Conversations kept at most: the least recently used go first (MC-070). */
export const MAX_CONVERSATIONS = 4_096;
/** Bytes of all conversations kept at most (MC-070). */
export const MAX_MEMORY_BYTES: number = 64 * 1_048_576;
/** Bytes of one conversation at most: its oldest lines go first. */
export const MAX_CONVERSATION_BYTES: number = 4 * 1_048_576;
/** Bytes of a place's talk that no character perceives, of everybody's and of one person's: their oldest lines go first (SE-090). */
export const MAX_AMBIENT_BYTES: { readonly place: number; readonly person: number } = { place: 1_048_576, person: 131_072 };
/** Rows that one call drops at most, so that no write waits long behind it; what is left goes with the next call. */
export const MAX_DROPPED_ROWS = 250;

const SETTLED_TURN = `ended_at_ms < :decisionsBeforeMs
  and not exists (select 1 from part where part.turn = turn.n and part.state in ('queued', 'sending'))
  and not exists (select 1 from inbox where inbox.n = turn.inbox and inbox.state <> 'ended')`;

/** One way in which rows of a table get old. */
interface Cut {
  readonly table: string;
  readonly key: string;
  readonly where: string;
  readonly by: readonly (keyof RetentionRow)[];
}

/** The direct lines of a room's guests whom nobody invited, or all other conversations: half of each bound is for either (SE-090). */
function half(not: "" | "not"): string {
  return `${not} (substr(coalesce(place.person, ''), 1, 5) = 'room:' and not exists (select 1 from invite where invite.member = place.person))`;
}

/** Places that nothing is said in any more outnumber those; so the order of the join is fixed. */
const CONVERSATIONS = "conversation cross join place on place.n = conversation.place";

/** Lines of the conversations beyond the bounds in number and in bytes, the least recently used first; those go whole. */
function surplus(not: "" | "not"): string {
  const [most, bytes] = [MAX_CONVERSATIONS / 2, MAX_MEMORY_BYTES / 2];
  // The order is looked for only when a bound is passed: most calls end with the two sums.
  return `(select count(*) > ${most} or sum(bytes) > ${bytes} from ${CONVERSATIONS} where ${half(not)}) and place in (select place from (
      select conversation.place, row_number() over recent as at, sum(bytes) over recent as upto from ${CONVERSATIONS} where ${half(not)}
      window recent as (order by touched_at_ms desc, place.id rows unbounded preceding))
    where at > ${most} or upto > ${bytes}) and state <> 'pending'`;
}

const WEIGHT = `octet_length(body) + octet_length(action) + ${LINE_BYTES}`;

/** The oldest lines of a place, or of one person in it, beyond so many bytes. */
function overlong(of: { readonly places: string; readonly lines?: string; readonly each: string; readonly bytes: number }): string {
  const { places, lines = "true", each, bytes } = of;
  return `n in (select n from (
      select n, sum(${WEIGHT}) over (partition by ${each} order by seq desc) as upto from event
      where place in (select place from conversation where ${places} > ${bytes}) and ${lines})
    where upto > ${bytes}) and state <> 'pending'`;
}

const AMBIENT = { places: "ambient_bytes", lines: "witnesses = '[]'" } as const;
/** A room's guest comes back under its id only while it is a member. */
const GONE_GUEST = `substr(person, 1, 5) = 'room:' and at_ms < :membersBeforeMs
  and not exists (select 1 from principal where principal.id = told.person)`;

/**
 * Each drops rows of one table. Open work and a line that is on its way never go, however old. Parts go before their turn, so
 * that no part is ever without one. A public place forgets as a whole, once its last exchange is long ago (TR-043); what is said
 * in a place that never rests goes by the age that direct lines have.
 */
const CUTS: readonly Cut[] = [
  { table: "decision", key: "n", where: "at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  {
    table: "part",
    key: "turn, idx",
    where: `turn in (select n from turn where ${SETTLED_TURN} order by ended_at_ms limit :max)`,
    by: ["decisionsBeforeMs"],
  },
  {
    table: "turn",
    key: "n",
    where: `${SETTLED_TURN} and not exists (select 1 from part where part.turn = turn.n)`,
    by: ["decisionsBeforeMs"],
  },
  { table: "inbox", key: "n", where: "ended_at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "approval", key: "id", where: "settled_at_ms < :decisionsBeforeMs and state <> 'pending'", by: ["decisionsBeforeMs"] },
  { table: "call_decision", key: "n", where: "at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "kept_answer", key: "id", where: "expires_at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "call_grant", key: "id", where: "expires_at_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  { table: "budget", key: "scope, window_start_ms", where: "window_start_ms < :decisionsBeforeMs", by: ["decisionsBeforeMs"] },
  {
    table: "spend",
    key: "day, surface, person, character, model",
    where: "(day + 1) * 86400000 <= :decisionsBeforeMs",
    by: ["decisionsBeforeMs"],
  },
  { table: "event", key: "n", where: "at_ms < :directBeforeMs and state <> 'pending'", by: ["directBeforeMs"] },
  {
    table: "event",
    key: "n",
    // ";" is the character after ":", so the range holds the public places and no other.
    where: `place in (select conversation.place from conversation join place on place.n = conversation.place
        where place.id >= 'public:' and place.id < 'public;' and exchanged_at_ms < :publicBeforeMs)
      and at_ms < :publicBeforeMs and state <> 'pending'`,
    by: ["publicBeforeMs"],
  },
  // Talk that no character perceives pushes out only itself, and a flooder's own first.
  { table: "event", key: "n", where: overlong({ ...AMBIENT, each: "place, author", bytes: MAX_AMBIENT_BYTES.person }), by: [] },
  { table: "event", key: "n", where: overlong({ ...AMBIENT, each: "place", bytes: MAX_AMBIENT_BYTES.place }), by: [] },
  { table: "event", key: "n", where: overlong({ places: "bytes", each: "place", bytes: MAX_CONVERSATION_BYTES }), by: [] },
  {
    table: "event",
    key: "n",
    // The conversations that were used last stay; every other one goes whole (MC-070).
    where: surplus("not"),
    by: [],
  },
  // A room's guests have a table of their own: however many there are, they push out only each other (SE-090).
  { table: "event", key: "n", where: surplus(""), by: [] },
  {
    table: "conversation",
    key: "place",
    where: "touched_at_ms < :membersBeforeMs and not exists (select 1 from event where event.place = conversation.place)",
    by: ["membersBeforeMs"],
  },
  {
    table: "delivery",
    key: "surface, id",
    // Only of lines that are gone: a line that is kept remembers its own.
    where: "at_ms < :deliveriesBeforeMs",
    by: ["deliveriesBeforeMs"],
  },
  { table: "told", key: "person, character", where: "at_ms < :toldBeforeMs", by: ["toldBeforeMs"] },
  { table: "told", key: "person, character", where: GONE_GUEST, by: ["membersBeforeMs"] },
  {
    table: "place",
    key: "n",
    where: `used_at_ms < :decisionsBeforeMs and not exists (select 1 from event where event.place = place.n)
      and n not in (select place from conversation) and n not in (select place from decision) and n not in (select place from inbox)`,
    by: ["decisionsBeforeMs"],
  },
  { table: "session", key: "n", where: "used_at_ms < :sessionsBeforeMs", by: ["sessionsBeforeMs"] },
  {
    table: "session",
    key: "n",
    where: `n in (select n from session order by current desc, used_at_ms desc, n desc limit -1 offset ${SESSION_CEILINGS.sessions})`,
    by: [],
  },
  { table: "presence", key: "place, person", where: "left_at_ms < :membersBeforeMs", by: ["membersBeforeMs"] },
  { table: "invite", key: "id", where: "expires_at_ms < :membersBeforeMs", by: ["membersBeforeMs"] },
  { table: "principal", key: "id", where: "seen_at_ms < :membersBeforeMs", by: ["membersBeforeMs"] },
];

/** Numbers only rise, and lines have some of them too: where all that there could be are too many, they are counted. */
const SPAN = "select coalesce((select max(n) from decision) - (select min(n) from decision) + 1, 0) as count";
const COUNT = "select count(*) as count from decision";
const SURPLUS = "delete from decision where n in (select n from decision order by n limit :surplus)";

function dropSurplus(sql: Statements, max: number): number {
  const count = (text: string): number => numberIn(sql.get(text) ?? {}, "count");
  const surplus = count(SPAN) > MAX_DECISIONS ? Math.min(max, count(COUNT) - MAX_DECISIONS) : 0;
  return surplus > 0 ? sql.run(SURPLUS, { surplus }) : 0;
}

/** Drop what is older than the given moments, and decisions beyond the newest 200,000 (TR-003, TR-043). */
export function retain({ sql, numbers, charges }: VerbContext, row: RetentionRow): { readonly dropped: number } {
  charges.write(sql);
  let left = MAX_DROPPED_ROWS;
  for (const { table, key, where, by } of CUTS) {
    if (left === 0) break;
    const params: Params = { max: left, ...Object.fromEntries(by.map((name) => [name, row[name]])) };
    left -= sql.run(`delete from ${table} where (${key}) in (select ${key} from ${table} where ${where} limit :max)`, params);
  }
  if (left > 0) left -= dropSurplus(sql, left);
  numbers.drop();
  return { dropped: MAX_DROPPED_ROWS - left };
}
