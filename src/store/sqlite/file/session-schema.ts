/**
 * Histories of agents (TR-040): one session of a direct line is in use, the others rest. What a session holds goes with it. The
 * place is named by its id: there are few sessions, and they outlive what else is kept of their line.
 */
export const SESSIONS = `
create table session(
  n integer primary key, id text not null unique, character text not null, place text not null, person text not null,
  created_at_ms integer not null, used_at_ms integer not null, current integer not null check (current in (0, 1)),
  last integer not null, bytes integer not null, parent text, parent_upto integer, check ((parent is null) = (parent_upto is null))
) strict;
create unique index session_current on session(place) where current = 1;
create index session_used on session(used_at_ms);
create table session_entry(
  session integer not null, seq integer not null, at_ms integer not null, root text,
  kind text not null check (kind in ('said', 'answered', 'begun', 'result', 'note')), body text not null,
  label text not null, primary key (session, seq)
) strict, without rowid;
create table session_note(
  session integer not null, name text not null, at_ms integer not null, body text not null, label text not null,
  primary key (session, name)
) strict, without rowid;
create trigger session_gone after delete on session begin
  delete from session_entry where session = old.n;
  delete from session_note where session = old.n;
end;
`;
