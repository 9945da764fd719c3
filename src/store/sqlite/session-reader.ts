import type { SessionId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { SessionEntry, SessionFacts, SessionNote } from "../../vocabulary/calls/session.ts";
import type { SessionReads, SessionSpent } from "../session-store.ts";
import type { Row } from "./rows/columns.ts";
import { numberIn, textIn } from "./rows/columns.ts";
import { readable } from "./rows/readable.ts";
import { readEntry, readNote, readSession } from "./rows/session-codec.ts";
import type { Params, Statements } from "./rows/statements.ts";

const ENTRIES = `select session_entry.* from session_entry join session on session.n = session_entry.session
  where session.id = :id and session_entry.seq > :after order by session_entry.seq limit :limit`;
const LABELS = `select label, min(session_entry.at_ms) as since_ms from session_entry join session on session.n = session_entry.session
  where session.id = :id and session_entry.seq > :after group by label order by since_ms`;
/** A turn that waited goes on in a row of its own, which names the first as its root. */
const SPENT = `with said as (
    select distinct session_entry.root as id from session join session_entry on session_entry.session = session.n
    where session.id = :id and session_entry.root is not null and session_entry.seq > coalesce(session.parent_upto, 0)),
  first as (select coalesce((select n from event where event.id = said.id), (select n from inbox where inbox.id = said.id)) as n from said),
  own as (select n from first where n is not null union select inbox.n from first join inbox on inbox.root = first.n),
  records as (select turn.record from own join turn on turn.inbox = own.n where turn.record is not null and json_valid(turn.record))
  select count(*) as turns, coalesce(sum(json_extract(record, '$[3][0]')), 0) as prompt_tokens,
    coalesce(sum(json_extract(record, '$[3][1]')), 0) as completion_tokens, coalesce(sum(json_extract(record, '$[3][2]')), 0) as cost_micros,
    coalesce(sum(json_extract(record, '$[3][2]') is null), 0) as unpriced_turns from records`;
const NOTES =
  "select session_note.* from session_note join session on session.n = session_note.session where session.id = :id order by name";
const NOTE = `select session_note.* from session_note join session on session.n = session_note.session
  where session.id = :id and session_note.name = :name`;

/** Reads sessions through a connection that cannot write. An entry that cannot be read fails its reading: a history has no holes. */
export function createSessionReads(sql: () => Statements): SessionReads {
  const one = <T>(read: (row: Row) => T, text: string, params: Params): T | null => {
    const row = sql().get(text, params);
    return row === null ? null : (readable(read)(row)[0] ?? null);
  };
  return {
    current: (place: PlaceId): SessionFacts | null =>
      one(readSession, "select * from session where place = :place and current = 1", { place }),
    facts: (id: SessionId): SessionFacts | null => one(readSession, "select * from session where id = :id", { id }),
    list: (limit: number): readonly SessionFacts[] =>
      sql().all("select * from session order by used_at_ms desc, n desc limit :limit", { limit }).flatMap(readable(readSession)),
    entries: (id: SessionId, after: number, limit: number): readonly SessionEntry[] =>
      sql().all(ENTRIES, { id, after, limit }).map(readEntry),
    labels: (id: SessionId, after: number) =>
      sql()
        .all(LABELS, { id, after })
        .map((row) => ({ label: textIn(row, "label"), sinceMs: numberIn(row, "since_ms") })),
    spent: (id: SessionId): SessionSpent => readSpent(sql().get(SPENT, { id }) ?? {}),
    notes: (id: SessionId): readonly SessionNote[] => sql().all(NOTES, { id }).flatMap(readable(readNote)),
    note: (id: SessionId, name: string): SessionNote | null => one(readNote, NOTE, { id, name }),
  };
}

function readSpent(row: Row): SessionSpent {
  return {
    turns: numberIn(row, "turns"),
    promptTokens: numberIn(row, "prompt_tokens"),
    completionTokens: numberIn(row, "completion_tokens"),
    costMicros: numberIn(row, "cost_micros"),
    unpricedTurns: numberIn(row, "unpriced_turns"),
  };
}
