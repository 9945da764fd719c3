import { LINE_BYTES } from "../rows/line-bytes.ts";

/** The line of a person and a character has both in its id, of which the person's is the whole rest. */
const DIRECT = "substr(id, 1, 7) = 'direct:'";

const PLACES = `
create table new_place(
  n integer primary key, id text not null unique, used_at_ms integer not null,
  character text generated always as (case when ${DIRECT} then substr(id, 8, instr(substr(id, 8), ':') - 1) end) virtual,
  person text generated always as (case when ${DIRECT} then substr(id, 8 + instr(substr(id, 8), ':')) end) virtual
) strict;
insert into new_place(id, used_at_ms) select id, max(at_ms) from (
  select id, touched_at_ms as at_ms from place union all select place, at_ms from event union all select place, at_ms from decision
  union all select place, at_ms from inbox
) group by id order by min(at_ms), id;
create table conversation(
  place integer primary key, seq integer not null, touched_at_ms integer not null, exchanged_at_ms integer not null,
  bytes integer not null, ambient_bytes integer not null
) strict;
insert into conversation select new_place.n, place.seq, place.touched_at_ms, place.exchanged_at_ms, place.bytes, place.ambient_bytes from place join new_place on new_place.id = place.id;
`;

/** One number for a message in all tables, in the order in which they were heard; what has no line of its own stands behind the last that had. */
const NUMBERS = `
create table renumbered(n integer primary key, id text not null unique) strict;
insert into renumbered(n, id) select row_number() over (order by base, judged, tier, n), id from (
  select id, n as base, 0 as judged, 0 as tier, n from event
  union all
  select id, base, n, 1, n from (
    select decision.id, decision.n, event.n as line, coalesce(max(event.n) over (order by decision.n), 0) as base
    from decision left join event on event.id = decision.id
  ) where line is null
  union all
  select id, base, judged, 2, n from (
    select inbox.id, inbox.n, event.n as line, decision.n as own, coalesce(max(event.n) over (order by inbox.n), 0) as base,
      coalesce(max(decision.n) over (order by inbox.n), 0) as judged
    from inbox left join event on event.id = inbox.id left join decision on decision.id = inbox.id
  ) where line is null and own is null
);
`;

/** A label that was no list before is none now: a letter that damage left there must not become one of ours. */
const list = (label: string): string => `case when json_valid(event.${label}) then event.${label} else '' end`;

const EVENTS = `
create table new_event(
  n integer primary key, id text not null unique, place integer not null, seq integer not null, at_ms integer not null,
  author_kind text not null check (author_kind in ('person', 'character')), author text, author_name text not null,
  body text not null, action text not null, state text not null check (state in ('said', 'pending', 'unsaid')),
  surface text, delivery text, turn text, witnesses text not null, audience text not null, influence text not null
) strict;
insert into new_event select renumbered.n, event.id, place.n, event.seq, event.at_ms, event.author_kind,
  nullif(event.author, case event.author_kind when 'person' then place.person else place.character end), event.author_name,
  event.body, event.action, event.state, event.surface, event.delivery, event.turn,
  case when event.witnesses = json_array(place.character) then 'L' else ${list("witnesses")} end,
  case when event.audience = json_array(coalesce('person:' || place.person, 'place:' || place.id)) then 'R' else ${list("audience")} end,
  case when event.influence = json_array(case event.author_kind when 'character' then 'character:' else '' end || event.author) then 'A'
    when event.influence = json_array('character:' || place.character, place.person) then 'L' else ${list("influence")} end
from event join renumbered on renumbered.id = event.id join new_place as place on place.id = event.place order by renumbered.n;
delete from delivery where exists (select 1 from event where event.surface = delivery.surface and event.delivery = delivery.id and event.id = delivery.message);
`;

const DECISIONS = `
create table new_decision(
  n integer primary key, id text, at_ms integer not null, surface text not null, place integer not null,
  person text, character text, outcome text not null check (outcome in ('admitted', 'suppressed')), reason text,
  gate text not null, rule text not null, config_key text not null, class text,
  minute integer, shared integer not null, count integer not null, check (person is not null or outcome = 'admitted')
) strict;
insert into new_decision select renumbered.n, case when event.id is null then decision.id end, decision.at_ms, decision.surface, place.n,
  case when decision.outcome = 'admitted' and decision.person = place.person then null else decision.person end, decision.character,
  decision.outcome, decision.reason, decision.gate, decision.rule, decision.config_key, decision.class,
  case decision.outcome when 'suppressed' then decision.minute end, decision.shared, decision.count
from decision join renumbered on renumbered.id = decision.id join new_place as place on place.id = decision.place
  left join event on event.id = decision.id order by renumbered.n;
`;

/** What the inbox repeats of the line that it is about. */
const SAYS_THE_SAME = `inbox.trigger_id = said.id and inbox.trigger_text = said.body and inbox.trigger_name = said.author_name
  and inbox.trigger_at_ms = said.at_ms`;

const INBOX = `
create table new_inbox(
  n integer primary key, id text, root integer, kind text not null, class text not null, character text,
  place integer not null, surface text not null, person text, at_ms integer not null, role text not null, assurance text not null,
  trigger_id text, trigger_text text, trigger_name text, trigger_at_ms integer, resumed_state text, resumed_answer text,
  state text not null check (state in ('open', 'running', 'suspended', 'ended')), attempts integer not null, turn text,
  started_at_ms integer, generation integer not null, lead integer,
  end text check (end in ('answered', 'silent', 'refused', 'failed', 'cancelled', 'interrupted', 'expired')),
  end_reason text, ended_at_ms integer,
  check ((state = 'ended') = (end is not null)), check ((state = 'ended') = (ended_at_ms is not null))
) strict;
insert into new_inbox select own.n, case when line.id is null then inbox.id end, nullif(root.n, own.n), inbox.kind, inbox.class,
  nullif(inbox.character, place.character), place.n, inbox.surface, nullif(inbox.person, place.person), inbox.at_ms, inbox.role,
  inbox.assurance,
  case when inbox.state = 'ended' then nullif(inbox.trigger_id, inbox.root) when ${SAYS_THE_SAME} then null else inbox.trigger_id end,
  case when inbox.state = 'ended' or (${SAYS_THE_SAME}) then null else inbox.trigger_text end,
  case when inbox.state = 'ended' or (${SAYS_THE_SAME}) then null else inbox.trigger_name end,
  case when inbox.state = 'ended' or (${SAYS_THE_SAME}) then null else inbox.trigger_at_ms end,
  inbox.resumed_state, inbox.resumed_answer, inbox.state, inbox.attempts, inbox.turn, turn.started_at_ms, inbox.generation, lead.n,
  inbox.end, inbox.end_reason, inbox.ended_at_ms
from inbox join renumbered as own on own.id = inbox.id join new_place as place on place.id = inbox.place
  left join event as line on line.id = inbox.id left join renumbered as root on root.id = inbox.root
  left join event as said on said.id = inbox.root left join renumbered as lead on lead.id = inbox.lead
  left join turn on turn.id = inbox.turn order by own.n;
create table new_approval(
  id text primary key, inbox integer, turn text not null, digest text not null, call text not null, state_json text not null,
  person text not null, state text not null check (state in ('pending', 'answered', 'cancelled', 'expired')),
  created_at_ms integer not null, expires_at_ms integer not null, settled_at_ms integer
) strict, without rowid;
insert into new_approval select approval.id, renumbered.n, turn, digest, call, state_json, person, state, created_at_ms, expires_at_ms, settled_at_ms
  from approval left join renumbered on renumbered.id = approval.inbox;
`;

const TURNS = `
create table new_turn(
  n integer primary key, id text not null unique, inbox integer, event integer, generation integer not null,
  started_at_ms integer not null, ended_at_ms integer not null, record text, gate text
) strict;
insert into new_turn select turn.n, turn.id, renumbered.n, event.n, turn.generation, turn.started_at_ms,
  coalesce(turn.ended_at_ms, turn.started_at_ms), turn.record, nullif(turn.gate, '[]')
from turn left join renumbered on renumbered.id = turn.inbox left join new_event as event on event.turn = turn.id
where turn.ended_at_ms is not null
  or not exists (select 1 from inbox where inbox.id = turn.inbox and inbox.state = 'running' and inbox.turn = turn.id)
order by turn.n;
create table new_part(
  turn integer not null, idx integer not null, count integer not null, body text, action text, created_at_ms integer not null,
  state text not null check (state in ('queued', 'sending', 'delivered', 'unknown', 'failed', 'expired', 'cancelled')),
  reason text not null, platform_id text, settled_at_ms integer, primary key (turn, idx)
) strict, without rowid;
insert into new_part select turn.n, part.idx, part.count,
  case when part.state in ('queued', 'sending') and not (event.body = part.body and event.action = part.action) then part.body end,
  case when part.state in ('queued', 'sending') and not (event.body = part.body and event.action = part.action) then part.action end,
  part.created_at_ms, part.state, part.reason, part.platform_id, part.settled_at_ms
from part join new_turn as turn on turn.id = part.turn left join new_event as event on event.n = turn.event;
`;

const IN_PLACE = [
  "drop trigger event_dropped; drop trigger event_erased;",
  ...["place", "event", "decision", "inbox", "approval", "turn", "part"].map(
    (table) => `drop table ${table}; alter table new_${table} rename to ${table};`,
  ),
].join("\n");

const INDEXES = `
drop table renumbered;
create index place_person on place(person) where person is not null;
create index place_used on place(used_at_ms);
create unique index event_order on event(place, seq);
create unique index event_delivery on event(surface, delivery) where delivery is not null;
create index event_age on event(at_ms);
create index event_pending on event(state) where state = 'pending';
create index event_heard on event(place, seq) where witnesses <> '[]' and witnesses <> 'L';
create unique index decision_id on decision(id) where id is not null;
create unique index decision_shared on decision(person, minute) where shared = 1;
create index decision_minute on decision(person, minute) where outcome = 'suppressed';
create index decision_age on decision(at_ms, person, place);
create unique index inbox_id on inbox(id) where id is not null;
create index inbox_active on inbox(state) where state <> 'ended';
create index inbox_root on inbox(root) where root is not null;
create index inbox_lead on inbox(lead) where lead is not null;
create index inbox_ended on inbox(ended_at_ms) where ended_at_ms is not null;
create index approval_pending on approval(state) where state = 'pending';
create index approval_inbox on approval(inbox);
create index approval_settled on approval(settled_at_ms) where settled_at_ms is not null;
create index turn_inbox on turn(inbox);
create index turn_ended on turn(ended_at_ms);
create index part_active on part(state) where state in ('queued', 'sending');
`;

const weight = (row: "old" | "new"): string => `(octet_length(${row}.body) + octet_length(${row}.action) + ${LINE_BYTES})`;

/**
 * A line that goes leaves its id to what is kept longer, its words to what still waits, and its delivery for when it is heard again. Its
 * conversation weighs less then, as when its words are erased (MC-070).
 */
const TRIGGERS = `
create trigger event_gone before delete on event begin
  update decision set id = old.id where n = old.n;
  update inbox set trigger_id = old.id, trigger_text = old.body, trigger_name = old.author_name, trigger_at_ms = old.at_ms
    where state <> 'ended' and trigger_id is null and (n = old.n or root = old.n);
  update inbox set id = old.id where n = old.n;
  insert into delivery(surface, id, message, at_ms) select old.surface, old.delivery, old.id, old.at_ms where old.delivery is not null
    on conflict do nothing;
  update conversation set bytes = bytes - ${weight("old")}, ambient_bytes = ambient_bytes - iif(old.witnesses = '[]', ${weight("old")}, 0)
    where place = old.place;
end;
create trigger event_erased after update of body, action, witnesses on event begin
  update conversation set bytes = bytes + ${weight("new")} - ${weight("old")},
    ambient_bytes = ambient_bytes + iif(new.witnesses = '[]', ${weight("new")}, 0) - iif(old.witnesses = '[]', ${weight("old")}, 0)
    where place = new.place;
end;
`;

/** A turn that runs has no row yet; it is newer than every one that has. */
const RUNNING_FROM = 2 ** 52;

const VIEWS = `
create view decisions as
  select decision.n, coalesce(decision.id, event.id) as id, decision.at_ms, decision.surface, place.id as place,
    coalesce(decision.person, place.person) as person, decision.character, decision.outcome, decision.reason, decision.gate, decision.rule,
    decision.config_key, decision.class, decision.minute, decision.shared, decision.count
  from decision left join place on place.n = decision.place left join event on event.n = decision.n;
create view inboxes as
  select inbox.n, coalesce(inbox.id, own.id) as id, coalesce(inbox.root, inbox.n) as root, inbox.kind, inbox.class,
    coalesce(inbox.character, place.character) as character, place.id as place, inbox.surface,
    coalesce(inbox.person, place.person) as person, inbox.at_ms, inbox.role, inbox.assurance,
    coalesce(inbox.trigger_id, said.id, case when inbox.root is null then inbox.id
      else (select id from inbox r where r.n = inbox.root) end) as trigger_id, coalesce(inbox.trigger_text, said.body) as trigger_text,
    coalesce(inbox.trigger_name, said.author_name) as trigger_name, coalesce(inbox.trigger_at_ms, said.at_ms) as trigger_at_ms,
    case when inbox.trigger_id is null then said.delivery
      else (select delivery from event where event.id = inbox.trigger_id) end as trigger_delivery,
    inbox.resumed_state, inbox.resumed_answer, inbox.state, inbox.attempts, inbox.turn, inbox.started_at_ms, inbox.generation, inbox.lead,
    inbox.end, inbox.end_reason, inbox.ended_at_ms
  from inbox left join place on place.n = inbox.place left join event as own on own.n = inbox.n
    left join event as said on said.n = coalesce(inbox.root, inbox.n);
create view turns as
  select n, id, inbox, event, generation, started_at_ms, ended_at_ms, record, gate from turn
  union all
  select ${RUNNING_FROM} + n, turn, n, null, generation, coalesce(started_at_ms, at_ms), null, null, null from inbox
  where state <> 'ended' and state = 'running' and lead is null and turn is not null;
create view parts as
  select turn.id || '.' || part.idx as id, turn.id as turn, part.idx, part.count, part.state, part.reason, part.platform_id,
    part.created_at_ms, part.settled_at_ms
  from part join turn on turn.n = part.turn;
`;

/**
 * The form of the database in which each name stands once. A place has a number, and a message has one: its line, its decision and its
 * row of the inbox are kept under the same, so that each finds the others without an index, and none repeats what another says. A person is
 * named only where the place does not say who it is. A turn is one row, written when it ends; while it runs its row of the inbox says
 * so. Labels that most lines have are letters (label-codec.ts). The views give the rows back in words, to be read.
 */
export const NUMBERED: string = [PLACES, NUMBERS, EVENTS, DECISIONS, INBOX, TURNS, IN_PLACE, INDEXES, TRIGGERS, VIEWS].join("");
