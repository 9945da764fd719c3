import type { MessageId, TurnId } from "../../../vocabulary/ids.ts";
import { parseTurnId } from "../../../vocabulary/ids.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { ForgetCounts } from "../../forgotten.ts";
import { numberIn, optionalNumberIn, textIn } from "../rows/columns.ts";
import { dueScrub, raiseEpoch } from "../file/epoch.ts";
import { countInSessions, forgetInSessions } from "./session-verbs.ts";
import { renameSpender } from "../rows/spend-rows.ts";
import type { Params, Statements } from "../rows/statements.ts";
import { endTurnsWhere } from "./turn-verbs.ts";
import type { VerbContext } from "./verbs.ts";

/** Large tables with rows of people, in the order in which they are gone through. */
export const FORGET_TABLES = ["event", "decision", "inbox"] as const;
/** Rows looked at in one commit: a forgetting in a large database holds no other verb up for long. */
export const FORGET_SPAN_ROWS = 2_000;
/** Turns whose erased lines are named, for whoever holds copies of them in memory: the newest. */
export const MAX_FORGOTTEN_TURNS = 1_000;

/** Nothing of anybody. */
export const NOTHING_FORGOTTEN: ForgetCounts = { lines: 0, answers: 0, waiting: 0, members: 0, presence: 0, blocks: 0, decisions: 0 };

/** Who is forgotten, and under which name rows that stay go on. */
export interface ForgetSubject {
  readonly person: PrincipalId;
  readonly pseudonym: PrincipalId;
  readonly atMs: number;
}

/** One stretch of one table. */
export interface ForgetSlice extends ForgetSubject {
  readonly table: (typeof FORGET_TABLES)[number];
  /** Rows behind this number. */
  readonly after: number;
  /** The request itself, which is still to be answered: its row runs on, without its words. */
  readonly keep: MessageId | null;
  /** Only count. */
  readonly dryRun: boolean;
}

/** What one stretch held; `next` is null at the table's end. */
export interface ForgetSliceResult {
  readonly next: number | null;
  readonly counts: ForgetCounts;
  readonly turns: readonly TurnId[];
}

/** Rows of the person's own direct lines. */
const DIRECT = "place in (select n from place where person = :person)";
/** A direct line does not repeat whose it is. */
const OWN = `(author_kind = 'person' and (coalesce(author, '') = :person or (author is null and ${DIRECT})))`;
/** In the person's own direct line every answer goes, whatever shaped it; elsewhere influence is a list that names them. */
const SHAPED = `(author_kind = 'character' and instr(influence, '"' || :person || '"') > 0)`;
const WHOSE = `(coalesce(person, '') = :person or (person is null and ${DIRECT}))`;
const RANGE = "n > :after and n <= :upto";
const WAITS = `${RANGE} and ${WHOSE} and state <> 'ended' and n <> :keep`;
/** Who is meant, in a table of which the place may say it; and the same direct place under the pseudonym. */
const renamed = (table: string): string => `person = case when person is not null then :pseudonym end,
  place = coalesce((select other.n from place own join place other on other.person = :pseudonym and other.character = own.character
    where own.n = ${table}.place and own.person = :person), place)`;
/** The same direct places under the pseudonym. */
const PSEUDONYM_PLACES = `insert into place(id, used_at_ms)
  select 'direct:' || character || ':' || :pseudonym, used_at_ms from place where person = :person
  on conflict(id) do update set used_at_ms = max(used_at_ms, excluded.used_at_ms)`;

/** Note that somebody is to be forgotten, before anything is erased: whatever cuts the work short, the next start finishes it. */
export function forgetBegin(context: VerbContext, row: ForgetSubject): null {
  context.sql.run(
    "insert into forgotten(hash, at_ms, done) values (:pseudonym, :atMs, 0) on conflict(hash) do update set at_ms = max(at_ms, excluded.at_ms), done = 0",
    { pseudonym: row.pseudonym, atMs: row.atMs },
  );
  raiseEpoch(context);
  context.due.list = true;
  return null;
}

/** Erase what one stretch of a table holds of the person (TR-043, SE-080). */
export function forgetSlice(context: VerbContext, row: ForgetSlice): ForgetSliceResult {
  const { sql } = context;
  const upto = endOf(sql, row);
  if (upto === null) return { next: null, counts: NOTHING_FORGOTTEN, turns: [] };
  const range: Params = { person: row.person, after: row.after, upto };
  const done = row.dryRun ? countSlice(sql, row, range) : eraseSlice(context, row, range);
  return { next: upto, counts: { ...NOTHING_FORGOTTEN, ...done.counts }, turns: done.turns };
}

/** Erase what is left, in small tables, and note that the person is forgotten. */
export function forgetEnd(context: VerbContext, row: ForgetSubject): { readonly counts: ForgetCounts } {
  const { sql } = context;
  context.charges.write(sql);
  const who: Params = { person: row.person };
  const both: Params = { person: row.person, pseudonym: row.pseudonym };
  const counts = {
    ...NOTHING_FORGOTTEN,
    answers: forgetInSessions(sql, row.person),
    members: sql.run("delete from principal where id = :person", who),
    presence: sql.run("delete from presence where person = :person", who),
    blocks: sql.run(
      `insert into trust(person, role, by_person, at_ms, confirmed, until_ms)
         select :pseudonym, role, by_person, at_ms, confirmed, until_ms from trust where person = :person and role = 'blocked'
       on conflict(person) do nothing`,
      both,
    ),
  };
  sql.run("delete from trust where person = :person", who);
  sql.run("update trust set by_person = :pseudonym where by_person = :person", both);
  // What operators did about the person goes on, without saying whom: a forgetting clears no audit (TR-043).
  sql.run("update audit set person = :pseudonym where person = :person", both);
  sql.run("update audit set by_person = :pseudonym where by_person = :person", both);
  sql.run("update pause set by_person = :pseudonym where by_person = :person", both);
  sql.run("update call_decision set person = :pseudonym where person = :person", both);
  sql.run(`delete from kept_answer where person = :person or ${NAMED_IN_INFLUENCE}`, who);
  sql.run("update call_grant set by_person = :pseudonym, revoked_at_ms = coalesce(revoked_at_ms, at_ms) where by_person = :person", both);
  sql.run("update approval set answered_by = :pseudonym where answered_by = :person", both);
  forgetAsked(context, row);
  dropPlaces(context, who);
  sql.run("delete from told where person = :person", who);
  sql.run("delete from invite where member = :person", who);
  // The wish not to be heard is kept as a block is: whoever forgets somebody must not begin to hear them.
  sql.run(
    "insert into opted_out(person, at_ms) select :pseudonym, at_ms from opted_out where person = :person on conflict(person) do nothing",
    both,
  );
  sql.run("delete from opted_out where person = :person", who);
  sql.run("delete from delivery where substr(id, 1, length(:person) + 1) = :person || ':'", who);
  sql.run(
    `insert into budget(scope, window_start_ms, amount)
       select substr(scope, 1, length(scope) - length(:person)) || :pseudonym, window_start_ms, amount from budget where ${OWN_SCOPE}
     on conflict(scope, window_start_ms) do update set amount = amount + excluded.amount`,
    both,
  );
  sql.run(`delete from budget where ${OWN_SCOPE}`, who);
  renameSpender(sql, row);
  sql.run("update forgotten set done = 1 where hash = :pseudonym", { pseudonym: row.pseudonym });
  raiseEpoch(context);
  dueScrub(context);
  return { counts };
}

const NAMED_IN_INFLUENCE = `instr(influence, '"' || :person || '"') > 0`;

/** Questions about calls that the person's words shaped say so on their face: what they held goes, and as nobody can answer them they run out. */
function forgetAsked({ sql }: VerbContext, { person, atMs }: ForgetSubject): void {
  sql.run(
    `update approval set expires_at_ms = min(expires_at_ms, :atMs), state_json = '', call = '', digest = ''
     where instr(call, '"' || :person || '"') > 0`,
    { person, atMs },
  );
}

/** The person's direct lines, where nothing is kept of them any more; one with the request in it, which is still to be answered, stays. */
function dropPlaces({ sql, numbers }: VerbContext, who: Params): void {
  sql.run(`delete from conversation where ${DIRECT} and not exists (select 1 from event where event.place = conversation.place)`, who);
  sql.run(
    `delete from place where person = :person and not exists (select 1 from event where event.place = place.n)
       and n not in (select place from conversation) and n not in (select place from decision) and n not in (select place from inbox)`,
    who,
  );
  numbers.drop();
}

const OWN_SCOPE = `substr(scope, -length(':person:' || :person)) = ':person:' || :person`;

/** What the small tables hold, for whoever asks before it is done. */
export function countSmall({ sql }: VerbContext, row: ForgetSubject): { readonly counts: ForgetCounts } {
  const who: Params = { person: row.person };
  const count = (from: string): number => countOf(sql, `select count(*) as count from ${from}`, who);
  return {
    counts: {
      ...NOTHING_FORGOTTEN,
      answers: countInSessions(sql, row.person),
      members: count("principal where id = :person"),
      presence: count("presence where person = :person"),
      blocks: count("trust where person = :person and role = 'blocked'"),
    },
  };
}

function endOf(sql: Statements, { table, after }: ForgetSlice): number | null {
  const row = sql.get(`select max(n) as upto from (select n from ${table} where n > :after order by n limit :rows)`, {
    after,
    rows: FORGET_SPAN_ROWS,
  });
  return row === null ? null : optionalNumberIn(row, "upto");
}

type Done = { readonly counts: Partial<ForgetCounts>; readonly turns: readonly TurnId[] };

function countSlice(sql: Statements, { table }: ForgetSlice, range: Params): Done {
  const count = (where: string): number => countOf(sql, `select count(*) as count from ${table} where ${RANGE} and ${where}`, range);
  switch (table) {
    case "event":
      return { counts: { lines: count(OWN), answers: count(`not ${OWN} and (${SHAPED} or ${DIRECT})`) }, turns: [] };
    case "decision":
      return { counts: { decisions: count(WHOSE) }, turns: [] };
    case "inbox":
      return { counts: { waiting: count(`${WHOSE} and state <> 'ended'`) }, turns: [] };
  }
}

function eraseSlice(context: VerbContext, row: ForgetSlice, range: Params): Done {
  const { sql } = context;
  if (row.table !== "event") sql.run(PSEUDONYM_PLACES, { person: row.person, pseudonym: row.pseudonym });
  switch (row.table) {
    case "event":
      return eraseEvents(sql, row, range);
    case "decision": {
      const decisions = sql.run(`update or ignore decision set ${renamed("decision")} where ${RANGE} and ${WHOSE}`, {
        ...range,
        pseudonym: row.pseudonym,
      });
      // A minute's shared row that was there already under the pseudonym stands for both.
      sql.run(`delete from decision where ${RANGE} and person = :person`, range);
      return { counts: { decisions }, turns: [] };
    }
    case "inbox":
      return eraseInbox(context, row, range);
  }
}

/** Own lines go, and all of the own direct lines; what characters said of them elsewhere stays as an empty place in the order. */
function eraseEvents(sql: Statements, { atMs }: ForgetSlice, range: Params): Done {
  const gone = `author_kind = 'character' and (${SHAPED} or ${DIRECT})`;
  const turns = sql.all(
    `select turn from event where ${RANGE} and ${gone} and turn is not null order by n desc limit ${MAX_FORGOTTEN_TURNS}`,
    range,
  );
  sql.run(
    `update part set state = case state when 'sending' then 'unknown' when 'queued' then 'cancelled' else state end,
       reason = case when state in ('sending', 'queued') then 'forgotten' else reason end,
       settled_at_ms = coalesce(settled_at_ms, :atMs), body = null, action = null
     where turn in (select n from turn where id in (select turn from event where ${RANGE} and ${gone} and turn is not null))`,
    { ...range, atMs },
  );
  const lines = sql.run(`delete from event where ${RANGE} and ${OWN}`, range);
  const direct = sql.run(`delete from event where ${RANGE} and ${DIRECT}`, range);
  const blanked = sql.run(
    `update event set body = '', action = '', state = 'unsaid', witnesses = '[]', audience = '[]', influence = '[]'
     where ${RANGE} and ${SHAPED}`,
    range,
  );
  return { counts: { lines, answers: direct + blanked }, turns: turns.map((turn) => parseTurnId(textIn(turn, "turn"))) };
}

const END_WAITING_TURNS = endTurnsWhere(WAITS);

/** What waits is cancelled; what has ended goes on under the pseudonym. */
function eraseInbox({ sql, numbers }: VerbContext, row: ForgetSlice, range: Params): Done {
  const keep = row.keep === null ? null : numbers.message(row.keep);
  const unmoved: Params = { ...range, keep: keep ?? 0 };
  const params: Params = { ...unmoved, atMs: row.atMs };
  sql.run(END_WAITING_TURNS, { ...params, record: null });
  const waiting = sql.run(
    `update inbox set state = 'ended', end = 'cancelled', end_reason = 'forgotten', ended_at_ms = :atMs, trigger_text = null,
       trigger_name = null, resumed_state = null, resumed_answer = null
     where ${WAITS}`,
    params,
  );
  sql.run(
    `update approval set state = case state when 'pending' then 'cancelled' else state end, settled_at_ms = coalesce(settled_at_ms, :atMs),
       state_json = '', call = '', digest = '', person = case person when :person then :pseudonym else person end
     where person = :person or inbox in (select n from inbox where ${RANGE} and ${WHOSE} and n <> :keep)`,
    { ...params, pseudonym: row.pseudonym },
  );
  sql.run(`update inbox set trigger_text = '', trigger_name = '' where ${RANGE} and ${WHOSE} and state <> 'ended'`, range);
  sql.run(`update inbox set ${renamed("inbox")} where ${RANGE} and ${WHOSE} and n <> :keep`, { ...unmoved, pseudonym: row.pseudonym });
  return { counts: { waiting }, turns: [] };
}

function countOf(sql: Statements, text: string, params: Params): number {
  const row = sql.get(text, params);
  return row === null ? 0 : numberIn(row, "count");
}
