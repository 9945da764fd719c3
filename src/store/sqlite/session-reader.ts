import type { SessionId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { SessionEntry, SessionFacts, SessionNote } from "../../vocabulary/session.ts";
import type { SessionReads } from "../session-store.ts";
import type { Row } from "./rows/columns.ts";
import { readable } from "./rows/readable.ts";
import { readEntry, readNote, readSession } from "./rows/session-codec.ts";
import type { Params, Statements } from "./rows/statements.ts";

const ENTRIES = `select session_entry.* from session_entry join session on session.n = session_entry.session
  where session.id = :id and session_entry.seq > :after order by session_entry.seq limit :limit`;
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
    notes: (id: SessionId): readonly SessionNote[] => sql().all(NOTES, { id }).flatMap(readable(readNote)),
    note: (id: SessionId, name: string): SessionNote | null => one(readNote, NOTE, { id, name }),
  };
}
