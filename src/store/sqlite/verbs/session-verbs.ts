import { RuntimeError } from "../../../foundation/errors.ts";
import type { SessionId } from "../../../vocabulary/ids.ts";
import { parseSessionId } from "../../../vocabulary/ids.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { NewEntry } from "../../../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../../../vocabulary/calls/session.ts";
import type { Appended, AppendRow, ForkRow, NoteRow, OpenSessionRow } from "../../session-store.ts";
import { numberIn, textIn } from "../rows/columns.ts";
import { toBodyColumn } from "../rows/session-codec.ts";
import type { Params, Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

const OPEN = `insert into session(id, character, place, person, created_at_ms, used_at_ms, current, last, bytes)
  select :id, :character, :place, :person, :atMs, :atMs, 1, 0, 0
  where not exists (select 1 from session where place = :place and current = 1)`;
const ENTRY = `insert into session_entry(session, seq, at_ms, root, kind, body, label)
  values (:n, :seq, :atMs, :root, :kind, :body, :label)`;

/** The session in use of a line, begun when there is none. */
export function beginSession({ sql }: VerbContext, row: OpenSessionRow): { readonly id: SessionId; readonly last: number } {
  const { id, character, place, person, atMs } = row;
  sql.run(OPEN, { id, character, place, person, atMs });
  const found = sql.get("select id, last from session where place = :place and current = 1", { place }) ?? {};
  return { id: parseSessionId(textIn(found, "id")), last: numberIn(found, "last") };
}

/** Add entries to a history whose end is where the writer of them thinks it is. */
export function appendEntries({ sql, charges }: VerbContext, row: AppendRow): Appended {
  const stored = row.entries.map(columnsOf);
  const bytes = bytesIn(stored);
  const session = sql.get("select n, bytes from session where id = :id and last = :after", { id: row.session, after: row.after });
  if (session === null) return { kind: "stale" };
  const last = row.after + stored.length;
  const isFull = last > SESSION_CEILINGS.entries || numberIn(session, "bytes") + bytes > SESSION_CEILINGS.bytes;
  if (isFull) return { kind: "full" };
  const n = numberIn(session, "n");
  insertAll(sql, { n, after: row.after, atMs: row.atMs }, stored);
  sql.run("update session set last = :last, bytes = bytes + :bytes, used_at_ms = max(used_at_ms, :atMs) where n = :n", {
    n,
    last,
    bytes,
    atMs: row.atMs,
  });
  charges.add(row.charges);
  return { kind: "appended", last };
}

/** Let a line go on in a new session: the beginning of the present one, and what is carried over. */
export function forkSession({ sql }: VerbContext, row: ForkRow): { readonly forked: boolean } {
  const stored = row.carry.map(columnsOf);
  const { id, from, upTo, atMs } = row;
  const left = sql.get("update session set current = 0 where id = :from and current = 1 and last >= :upTo returning n", { from, upTo });
  if (left === null) return { forked: false };
  const parent = numberIn(left, "n");
  const n = sql.insert(
    `insert into session(id, character, place, person, created_at_ms, used_at_ms, current, last, bytes, parent, parent_upto)
     select :id, character, place, person, :atMs, :atMs, 1, :last,
       :bytes + coalesce((select sum(octet_length(body)) from session_entry where session = :parent and seq <= :upTo), 0), id, :upTo
     from session where n = :parent`,
    { id, parent, upTo, atMs, last: upTo + stored.length, bytes: bytesIn(stored) },
  );
  sql.run(
    `insert into session_entry(session, seq, at_ms, root, kind, body, label)
     select :n, seq, at_ms, root, kind, body, label from session_entry where session = :parent and seq <= :upTo`,
    { n, parent, upTo },
  );
  sql.run(
    `insert into session_note(session, name, at_ms, body, label)
     select :n, name, at_ms, body, label from session_note
     where session = :parent and name in (select value from json_each(:notes))`,
    { n, parent, notes: JSON.stringify(row.notes) },
  );
  insertAll(sql, { n, after: upTo, atMs }, stored);
  return { forked: true };
}

/** Keep a note in place of one of that name, or drop that. */
export function keepNote({ sql }: VerbContext, row: NoteRow): { readonly kind: "kept" | "full" | "gone" } {
  const { name, text, atMs } = row;
  const session = sql.get("select n from session where id = :id", { id: row.session });
  if (session === null) return { kind: "gone" };
  const n = numberIn(session, "n");
  if (text === null)
    return { kind: sql.run("delete from session_note where session = :n and name = :name", { n, name }) === 1 ? "kept" : "gone" };
  if (Buffer.byteLength(text) > SESSION_CEILINGS.noteBytes) return { kind: "full" };
  const kept = sql.run(
    `insert into session_note(session, name, at_ms, body, label)
     select :n, :name, :atMs, :text, :label
     where (select count(*) from session_note where session = :n and name <> :name) < :most
     on conflict(session, name) do update set at_ms = excluded.at_ms, body = excluded.body, label = excluded.label`,
    { n, name, atMs, text, label: row.label, most: SESSION_CEILINGS.notes },
  );
  return { kind: kept === 1 ? "kept" : "full" };
}

const NAMES_PERSON = `instr(label, '"' || :person || '"') > 0`;
/** Everything behind words of somebody was said by a model that had read them. */
const SHAPED = `exists (select 1 from session_entry as first where first.session = session_entry.session and first.seq <= session_entry.seq
  and instr(first.label, '"' || :person || '"') > 0)`;

/** Erase a person's own sessions, and in those of others all from the first words on that the person shaped (TR-043). Gives how many entries went. */
export function forgetInSessions(sql: Statements, person: PrincipalId): number {
  const who: Params = { person };
  const own = sql.get(COUNT_OWN, who);
  sql.run("delete from session where person = :person", who);
  sql.run("delete from schedule where person = :person", who);
  const shaped = sql.run(`delete from session_entry where ${SHAPED}`, who);
  if (shaped > 0)
    sql.run(
      `update session set (last, bytes) = (select coalesce(max(seq), 0), coalesce(sum(octet_length(body)), 0) from session_entry where session = session.n)
       where last <> coalesce((select max(seq) from session_entry where session = session.n), 0)`,
    );
  sql.run(`delete from session_note where ${NAMES_PERSON}`, who);
  return numberIn(own ?? {}, "count") + shaped;
}

const COUNT_OWN = "select coalesce(sum(last), 0) as count from session where person = :person";

/** How many entries {@link forgetInSessions} would erase. */
export function countInSessions(sql: Statements, person: PrincipalId): number {
  const count = (text: string): number => numberIn(sql.get(text, { person }) ?? {}, "count");
  const others = "session in (select n from session where person <> :person)";
  return count(COUNT_OWN) + count(`select count(*) as count from session_entry where ${others} and ${SHAPED}`);
}

function columnsOf({ body, root, label }: NewEntry): Params & { readonly body: string } {
  const text = toBodyColumn(body);
  if (Buffer.byteLength(text) > SESSION_CEILINGS.entryBytes)
    throw new RuntimeError("invalid_argument", `Cannot keep an entry: it is over ${SESSION_CEILINGS.entryBytes} bytes`);
  return { kind: body.kind, body: text, root, label };
}

function bytesIn(stored: readonly { readonly body: string }[]): number {
  return stored.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
}

function insertAll(
  sql: Statements,
  at: { readonly n: number; readonly after: number; readonly atMs: number },
  stored: readonly Params[],
): void {
  for (const [index, columns] of stored.entries()) sql.run(ENTRY, { ...columns, n: at.n, seq: at.after + index + 1, atMs: at.atMs });
}
