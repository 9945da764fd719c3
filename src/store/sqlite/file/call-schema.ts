/** How much of others' words a call could tell, beside the decision about it (SE-091). */
export const BITS = `
alter table call_decision add column bits integer not null default 0 check (bits >= 0);
create index call_decision_bits on call_decision(root) where bits > 0;
`;

/**
 * What is decided about calls of tools. A question has a number that people can type, its answer, and when its call was run; an
 * answer may count on; a schedule may have an operator's word. Decisions are ids and codes alone.
 */
export const CALLS = `
alter table approval add column number integer not null default 0;
alter table approval add column answer text;
alter table approval add column answered_by text;
alter table approval add column used_at_ms integer;
alter table approval add column shown_at_ms integer;
create unique index approval_number on approval(number) where number > 0;
insert into meta(key, value) values ('approval_number', '0');
create table call_decision(
  n integer primary key, session text not null, call text not null, phase text not null check (phase in ('judged', 'answered')),
  at_ms integer not null, turn text not null, root text not null, person text not null, character text not null, tool text not null,
  digest text not null, verdict text not null check (verdict in ('allow', 'ask', 'deny')), code text not null, rule text not null,
  shaped integer not null check (shaped in (0, 1))
) strict;
create unique index call_decision_call on call_decision(session, call, phase);
create index call_decision_asks on call_decision(root) where verdict = 'ask';
create index call_decision_shaped on call_decision(person, at_ms) where verdict = 'ask' and shaped = 1;
create index call_decision_age on call_decision(at_ms);
create table kept_answer(
  id text primary key, number integer not null, scope text not null check (scope in ('session', 'always')), session text not null,
  character text not null, person text not null, tool text not null, digest text not null, influence text not null,
  at_ms integer not null, expires_at_ms integer not null, uses_left integer not null check (uses_left >= 0), revoked_at_ms integer
) strict, without rowid;
create index kept_answer_digest on kept_answer(digest);
create table call_grant(
  id text primary key, by_person text not null, character text not null, tool text not null, digest text, at_ms integer not null,
  expires_at_ms integer not null, uses_left integer not null check (uses_left >= 0), revoked_at_ms integer
) strict, without rowid;
`;

/** Codes of questions that were asked on lines whose writer nobody vouches for: only what tells a right one (SE-081). */
export const CODES = `
create table answer_code(
  approval text primary key, hash text not null, salt text not null, generation integer not null, expires_at_ms integer not null,
  tries integer not null check (tries >= 0)
) strict, without rowid;
`;
