import { RuntimeError } from "../../../foundation/errors.ts";
import { BITS, CALLS, CODES } from "./call-schema.ts";
import { textIn } from "../rows/columns.ts";
import { LINE_BYTES } from "../rows/line-bytes.ts";
import { NUMBERED } from "./numbered-schema.ts";
import { ENDORSED } from "../verbs/endorse-verbs.ts";
import { SCHEDULES } from "../verbs/schedule-verbs.ts";
import { SESSIONS } from "./session-schema.ts";
import type { Statements } from "../rows/statements.ts";

/** One step from the version before it. Steps are never edited once released: a change is a new step. */
export interface Migration {
  readonly version: number;
  readonly sql: string;
}

const FIRST = `
create table meta(key text primary key, value text not null) strict, without rowid;
create table lease(
  id integer primary key check (id = 1), owner text not null, pid integer not null, started text not null, host text not null,
  boot text not null, namespace text not null, generation integer not null, heartbeat_ms integer not null
) strict;
insert into lease values (1, '', 0, '', '', '', '', 0, 0);
create table surface_state(surface text primary key, state text not null, at_ms integer not null) strict, without rowid;
create table setting(key text primary key, value text not null check (length(cast(value as blob)) <= 4096)) strict, without rowid;

create table principal(
  id text primary key, surface text not null, name text not null, folded_name text not null,
  secret_hash text check (length(secret_hash) = 64 and secret_hash not glob '*[^0-9a-f]*'),
  at_ms integer not null, seen_at_ms integer not null
) strict, without rowid;
create unique index principal_name on principal(surface, folded_name);
create unique index principal_secret on principal(surface, secret_hash) where secret_hash is not null;
create index principal_seen on principal(seen_at_ms);
create table trust(
  person text primary key, role text not null check (role in ('trusted', 'blocked')), by_person text not null, at_ms integer not null
) strict, without rowid;

create table place(id text primary key, seq integer not null, touched_at_ms integer not null) strict, without rowid;
create table presence(
  place text not null, person text not null, at_ms integer not null, left_at_ms integer, primary key (place, person)
) strict, without rowid;

create table delivery(
  surface text not null, id text not null, message text not null, at_ms integer not null, primary key (surface, id)
) strict, without rowid;
create index delivery_age on delivery(at_ms);
create table event(
  n integer primary key, id text not null unique, place text not null, seq integer not null, at_ms integer not null,
  author_kind text not null check (author_kind in ('person', 'character')), author text not null, author_name text not null,
  body text not null, action text not null, state text not null check (state in ('said', 'pending', 'unsaid')),
  surface text, delivery text, turn text, witnesses text not null, audience text not null, influence text not null
) strict;
create unique index event_order on event(place, seq);
create unique index event_delivery on event(surface, delivery) where delivery is not null;
create unique index event_turn on event(turn) where turn is not null;
create index event_age on event(at_ms);

create table decision(
  n integer primary key, id text not null unique, at_ms integer not null, surface text not null, place text not null,
  person text not null, character text, outcome text not null check (outcome in ('admitted', 'suppressed')), reason text,
  gate text not null, rule text not null, config_key text not null, class text,
  minute integer not null, shared integer not null, count integer not null
) strict;
create unique index decision_shared on decision(person, minute) where shared = 1;
create index decision_minute on decision(person, minute) where outcome = 'suppressed';
create index decision_age on decision(at_ms);

create table inbox(
  n integer primary key, id text not null unique, root text not null, kind text not null, class text not null, character text not null,
  place text not null, surface text not null, person text not null, at_ms integer not null, role text not null, assurance text not null,
  trigger_id text not null, trigger_text text not null, trigger_name text not null, trigger_at_ms integer not null,
  resumed_state text, resumed_answer text,
  state text not null check (state in ('open', 'running', 'suspended', 'ended')), attempts integer not null, turn text,
  generation integer not null,
  end text check (end in ('answered', 'silent', 'refused', 'failed', 'cancelled', 'interrupted', 'expired')),
  end_reason text, ended_at_ms integer,
  check ((state = 'ended') = (end is not null)), check ((state = 'ended') = (ended_at_ms is not null))
) strict;
create index inbox_active on inbox(state) where state <> 'ended';
create index inbox_root on inbox(root);
create index inbox_ended on inbox(ended_at_ms) where ended_at_ms is not null;

create table turn(
  n integer primary key, id text not null unique, inbox text not null, generation integer not null, started_at_ms integer not null,
  ended_at_ms integer, record text, gate text not null
) strict;
create index turn_inbox on turn(inbox);
create index turn_ended on turn(ended_at_ms) where ended_at_ms is not null;

create table part(
  n integer primary key, id text not null unique, turn text not null, character text not null, place text not null, surface text not null,
  seq integer not null, idx integer not null, count integer not null, body text not null, action text not null, created_at_ms integer not null,
  state text not null check (state in ('queued', 'sending', 'delivered', 'unknown', 'failed', 'expired', 'cancelled')),
  reason text not null, platform_id text, settled_at_ms integer
) strict;
create unique index part_turn on part(turn, idx);
create index part_active on part(state) where state in ('queued', 'sending');

create table budget(
  scope text not null, window_start_ms integer not null, amount integer not null, primary key (scope, window_start_ms)
) strict, without rowid;
create index budget_age on budget(window_start_ms);

create table approval(
  id text primary key, inbox text not null, turn text not null, digest text not null, call text not null, state_json text not null,
  person text not null, state text not null check (state in ('pending', 'answered', 'cancelled', 'expired')),
  created_at_ms integer not null, expires_at_ms integer not null, settled_at_ms integer
) strict, without rowid;
create index approval_pending on approval(state) where state = 'pending';
create index approval_inbox on approval(inbox);
create index approval_settled on approval(settled_at_ms) where settled_at_ms is not null;
`;

/** Lifetimes: a place's last exchange, people who asked to be forgotten, trust that a restored copy must have confirmed (TR-043, SE-099). */
const SECOND = `
alter table place add column exchanged_at_ms integer not null default 0;
update place set exchanged_at_ms = touched_at_ms;
create index place_touched on place(touched_at_ms);
alter table trust add column confirmed integer not null default 1;
create table forgotten(hash text primary key, at_ms integer not null, done integer not null check (done in (0, 1))) strict, without rowid;
insert into meta(key, value) values ('epoch', '0');
`;

/** A row whose line is part of another row's turn names that row (TR-050). Rows of their own cost the index nothing. */
const FRAGMENTS = `
alter table inbox add column lead text;
create index inbox_lead on inbox(lead) where lead is not null;
`;

/** Whom a character's disclosure has reached (TR-091), and what characters perceived, so that a packet of a place full of ambient talk costs nothing. */
const TOLD = `
create table told(person text not null, character text not null, turn text not null, at_ms integer not null, primary key (person, character)) strict, without rowid;
create index told_turn on told(turn);
create index event_heard on event(place, seq) where witnesses <> '[]';
`;

/** What operators decide and do: pauses, blocks that end, the audit. Who was heard when can be read from the index alone. */
const OPERATED = `
alter table trust add column until_ms integer;
create table pause(
  character text not null, place text not null, by_person text not null, at_ms integer not null, until_ms integer,
  primary key (character, place)
) strict, without rowid;
create table audit(
  n integer primary key, at_ms integer not null, by_person text not null, act text not null, person text, about text not null check (length(about) <= 200)
) strict;
create index audit_person on audit(person, act) where person is not null;
drop index decision_age;
create index decision_age on decision(at_ms, person);
`;

/** Invites, of whose codes only hashes are kept, and people who asked not to be heard (TR-091, TR-094). */
const GUESTS = `
create table invite(
  id text primary key, surface text not null, name text not null, folded_name text not null,
  code_hash text not null check (length(code_hash) = 64 and code_hash not glob '*[^0-9a-f]*'),
  by_person text not null, at_ms integer not null, expires_at_ms integer not null,
  member text, claim_hash text check (length(claim_hash) = 64 and claim_hash not glob '*[^0-9a-f]*'),
  redeemed_at_ms integer, revoked_at_ms integer,
  check ((member is null) = (redeemed_at_ms is null)), check ((member is null) = (claim_hash is null))
) strict, without rowid;
create unique index invite_code on invite(surface, code_hash);
create unique index invite_member on invite(member) where member is not null;
create index invite_expires on invite(expires_at_ms);
create table opted_out(person text primary key, at_ms integer not null) strict, without rowid;
`;

/**
 * What a conversation weighs: words and gestures in bytes, and ${LINE_BYTES} for each line beside them (MC-070). Talk that no
 * character perceives counts apart, so that it pushes out only itself. A line adds its weight as it is written; the triggers take
 * it off wherever one goes.
 */
const WEIGHED = `
alter table place add column bytes integer not null default 0;
alter table place add column ambient_bytes integer not null default 0;
update place set (bytes, ambient_bytes) = (
  select coalesce(sum(w), 0), coalesce(sum(w) filter (where witnesses = '[]'), 0)
  from (select octet_length(body) + octet_length(action) + ${LINE_BYTES} as w, witnesses from event where event.place = place.id)
);
create trigger event_dropped after delete on event begin
  update place set bytes = bytes - (octet_length(old.body) + octet_length(old.action) + ${LINE_BYTES}),
    ambient_bytes = ambient_bytes - iif(old.witnesses = '[]', octet_length(old.body) + octet_length(old.action) + ${LINE_BYTES}, 0)
  where id = old.place;
end;
create trigger event_erased after update of body, action, witnesses on event begin
  update place set
    bytes = bytes + octet_length(new.body) + octet_length(new.action) - octet_length(old.body) - octet_length(old.action),
    ambient_bytes = ambient_bytes
      + iif(new.witnesses = '[]', octet_length(new.body) + octet_length(new.action) + ${LINE_BYTES}, 0)
      - iif(old.witnesses = '[]', octet_length(old.body) + octet_length(old.action) + ${LINE_BYTES}, 0)
  where id = old.place;
end;
create index told_age on told(at_ms);
`;

/** What calls of models came to, summed by day: one small row for whoever was answered that day, not one for each call (TR-092). */
const SPENDING = `
create table spend(
  day integer not null, surface text not null, person text not null, character text not null, model text not null,
  calls integer not null, prompt integer not null, completion integer not null, cost integer not null, reserved integer not null,
  unpriced integer not null, primary key (day, surface, person, character, model)
) strict, without rowid;
`;

/** Parts that are to be deleted where they were posted: few, and looked for at each start. */
const TAKEN_BACK = `
create index part_taken on part(turn) where reason = 'taking_back';
`;

/** All steps, oldest first, numbered from 1 without gaps. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: FIRST },
  { version: 2, sql: SECOND },
  { version: 3, sql: FRAGMENTS },
  { version: 4, sql: TOLD },
  { version: 5, sql: OPERATED },
  { version: 6, sql: GUESTS },
  { version: 7, sql: WEIGHED },
  { version: 8, sql: SPENDING },
  { version: 9, sql: NUMBERED },
  { version: 10, sql: CALLS },
  { version: 11, sql: TAKEN_BACK },
  { version: 12, sql: SESSIONS },
  { version: 13, sql: SCHEDULES },
  { version: 14, sql: BITS },
  { version: 15, sql: CODES },
  { version: 16, sql: ENDORSED },
];

/** The version this program writes. */
export const SCHEMA_VERSION: number = MIGRATIONS.length;

/**
 * Read the version of a database: 0 for one without any table.
 * @throws RuntimeError `state_corrupt` when there are tables but no readable version.
 */
export function schemaVersion(sql: Statements): number {
  const tables = sql.all("select name from sqlite_schema where type = 'table'");
  if (tables.length === 0) return 0;
  if (!tables.some((row) => row["name"] === "meta"))
    throw new RuntimeError("state_corrupt", "Cannot read the database: it is not of this program");
  const row = sql.get("select value from meta where key = 'schema'");
  const text = row === null ? "" : textIn(row, "value");
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new RuntimeError("state_corrupt", "Cannot read the database: it has no version");
  return Number(text);
}

/** Apply what is missing; the caller holds a transaction, so that a database has one version or the next, nothing between. */
export function migrate(sql: Statements, migrations: readonly Migration[] = MIGRATIONS): void {
  const from = schemaVersion(sql);
  for (const migration of migrations) {
    if (migration.version <= from) continue;
    sql.script(migration.sql);
    sql.run("insert into meta(key, value) values ('schema', :version) on conflict(key) do update set value = excluded.value", {
      version: String(migration.version),
    });
  }
}
