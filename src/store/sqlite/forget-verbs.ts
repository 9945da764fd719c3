import type { MessageId, TurnId } from "../../vocabulary/ids.ts";
import { parseTurnId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { ForgetCounts } from "../store.ts";
import { numberIn, optionalNumberIn, textIn } from "./columns.ts";
import { dueScrub, raiseEpoch } from "./epoch.ts";
import { renameSpender } from "./spend-rows.ts";
import type { Params, Statements } from "./statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Large tables with rows of people, in the order in which they are gone through. */
export const FORGET_TABLES = ["event", "decision", "inbox", "part"] as const;
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

/** Rows of the person's own direct lines: what stands behind the character's name is the whole id. */
const DIRECT = `(substr(place, 1, 7) = 'direct:' and substr(place, 8 + instr(substr(place, 8), ':')) = :person)`;
const OWN = `(author_kind = 'person' and author = :person)`;
const SHAPED = `(author_kind = 'character' and instr(influence, '"' || :person || '"') > 0)`;
const RANGE = "n > :after and n <= :upto";
/** The same direct place under the pseudonym. */
const PLACE = `case when ${DIRECT} then substr(place, 1, 7 + instr(substr(place, 8), ':')) || :pseudonym else place end`;

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
export function forgetSlice({ sql }: VerbContext, row: ForgetSlice): ForgetSliceResult {
  const upto = endOf(sql, row);
  if (upto === null) return { next: null, counts: NOTHING_FORGOTTEN, turns: [] };
  const range: Params = { person: row.person, after: row.after, upto };
  const done = row.dryRun ? countSlice(sql, row, range) : eraseSlice(sql, row, range);
  return { next: upto, counts: { ...NOTHING_FORGOTTEN, ...done.counts }, turns: done.turns };
}

/** Erase what is left, in small tables, and note that the person is forgotten. */
export function forgetEnd(context: VerbContext, row: ForgetSubject): { readonly counts: ForgetCounts } {
  const { sql } = context;
  const who: Params = { person: row.person };
  const both: Params = { person: row.person, pseudonym: row.pseudonym };
  const counts = {
    ...NOTHING_FORGOTTEN,
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
  sql.run(
    `delete from place where ${DIRECT} and not exists (select 1 from event where event.place = place.id)`.replaceAll("(place", "(id"),
    who,
  );
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

const OWN_SCOPE = `substr(scope, -length(':person:' || :person)) = ':person:' || :person`;

/** What the small tables hold, for whoever asks before it is done. */
export function countSmall({ sql }: VerbContext, row: ForgetSubject): { readonly counts: ForgetCounts } {
  const who: Params = { person: row.person };
  const count = (from: string): number => countOf(sql, `select count(*) as count from ${from}`, who);
  return {
    counts: {
      ...NOTHING_FORGOTTEN,
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
      return { counts: { decisions: count("person = :person") }, turns: [] };
    case "inbox":
      return { counts: { waiting: count("person = :person and state <> 'ended'") }, turns: [] };
    case "part":
      return { counts: {}, turns: [] };
  }
}

function eraseSlice(sql: Statements, row: ForgetSlice, range: Params): Done {
  const renamed: Params = { ...range, pseudonym: row.pseudonym };
  switch (row.table) {
    case "event":
      return eraseEvents(sql, row, range);
    case "decision": {
      const decisions = sql.run(
        `update or ignore decision set person = :pseudonym, place = ${PLACE} where ${RANGE} and person = :person`,
        renamed,
      );
      // A minute's shared row that was there already under the pseudonym stands for both.
      sql.run(`delete from decision where ${RANGE} and person = :person`, range);
      return { counts: { decisions }, turns: [] };
    }
    case "inbox":
      return eraseInbox(sql, row, range);
    case "part":
      sql.run(
        `update part set body = '', action = '', place = ${PLACE} where ${RANGE} and ${DIRECT} and state not in ('queued', 'sending')`,
        renamed,
      );
      return { counts: {}, turns: [] };
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
       settled_at_ms = coalesce(settled_at_ms, :atMs), body = '', action = ''
     where turn in (select turn from event where ${RANGE} and ${gone} and turn is not null)`,
    { ...range, atMs },
  );
  sql.run(
    `delete from delivery where (surface, id) in (
       select surface, delivery from event where ${RANGE} and ${OWN} and substr(delivery, 1, length(:person) + 1) = :person || ':')`,
    range,
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

/** What waits is cancelled; what has ended goes on under the pseudonym. */
function eraseInbox(sql: Statements, row: ForgetSlice, range: Params): Done {
  const params: Params = { ...range, atMs: row.atMs, keep: row.keep ?? "" };
  const waits = `${RANGE} and person = :person and state <> 'ended' and id <> :keep`;
  sql.run(
    `update turn set ended_at_ms = coalesce(ended_at_ms, :atMs) where id in (select turn from inbox where ${waits} and turn is not null)`,
    params,
  );
  const { atMs: _, ...unmoved } = params;
  const waiting = sql.run(
    `update inbox set state = 'ended', end = 'cancelled', end_reason = 'forgotten', ended_at_ms = :atMs, resumed_state = null, resumed_answer = null
     where ${waits}`,
    params,
  );
  sql.run(
    `update approval set state = case state when 'pending' then 'cancelled' else state end, settled_at_ms = coalesce(settled_at_ms, :atMs),
       state_json = '', call = '', digest = '', person = case person when :person then :pseudonym else person end
     where person = :person or inbox in (select id from inbox where ${RANGE} and person = :person and id <> :keep)`,
    { ...params, pseudonym: row.pseudonym },
  );
  sql.run(`update inbox set trigger_text = '', trigger_name = '' where ${RANGE} and person = :person`, range);
  sql.run(`update inbox set person = :pseudonym, place = ${PLACE} where ${RANGE} and person = :person and id <> :keep`, {
    ...unmoved,
    pseudonym: row.pseudonym,
  });
  return { counts: { waiting }, turns: [] };
}

function countOf(sql: Statements, text: string, params: Params): number {
  const row = sql.get(text, params);
  return row === null ? 0 : numberIn(row, "count");
}
