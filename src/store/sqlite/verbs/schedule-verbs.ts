import { parseCharacterId, parseGrantId, parseScheduleId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import type { ScheduleId } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Schedule } from "../../../vocabulary/calls/schedule.ts";
import { MAX_SCHEDULES, MISSED } from "../../../vocabulary/calls/schedule.ts";
import type { FireRow, ScheduleReads, ScheduleVerbs } from "../../schedule-store.ts";
import type { Batcher } from "../batcher.ts";
import type { Row } from "../rows/columns.ts";
import { optionalNumberIn, numberIn, optionalTextIn, textIn, wordIn } from "../rows/columns.ts";
import { placeIdOf } from "../rows/place-codec.ts";
import { readable } from "../rows/readable.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** What happens by the clock. */
export const SCHEDULES = `
create table schedule(
  id text primary key, character text not null, place text not null, surface text not null, person text not null, rule text not null,
  zone text not null, quiet text, does text not null check (does in ('say', 'session')), words text not null, grant_id text,
  missed text not null check (missed in ('once', 'skip', 'ask')), created_at_ms integer not null, next_at_ms integer, last_at_ms integer
) strict, without rowid;
`;

/** Keep a schedule while there is room. */
export function keepSchedule({ sql }: VerbContext, row: Schedule): { readonly kept: boolean } {
  const kept = sql.run(
    `insert into schedule select :id, :character, :place, :surface, :person, :rule, :zone, :quiet, :does, :words, :grant, :missed, :createdAtMs, :nextAtMs, :lastAtMs
     where (select count(*) from schedule) < :most`,
    { ...row, most: MAX_SCHEDULES },
  );
  return { kept: kept === 1 };
}

/** Drop a schedule. */
export function dropSchedule({ sql }: VerbContext, row: { readonly id: ScheduleId }): { readonly dropped: boolean } {
  return { dropped: sql.run("delete from schedule where id = :id", { id: row.id }) === 1 };
}

/** Note that a time came, and keep the row that makes its turn run. */
export function fireSchedule({ sql, numbers }: VerbContext, row: FireRow): { readonly fired: boolean } {
  const { id, dueAtMs, nextAtMs, atMs, inbox } = row;
  const found = sql.get(
    "update schedule set next_at_ms = :nextAtMs, last_at_ms = :atMs where id = :id and next_at_ms = :dueAtMs returning *",
    { id, dueAtMs, nextAtMs, atMs },
  );
  if (found === null) return { fired: false };
  if (inbox === null) return { fired: true };
  const { place, surface, character, person, words, does, grant } = readSchedule(found);
  const n = numbers.next();
  sql.run(
    `insert into inbox(n, id, kind, class, character, place, surface, person, at_ms, role, assurance, trigger_id, trigger_text, trigger_name,
       trigger_at_ms, resumed_state, resumed_answer, state, attempts, generation)
     values (:n, :message, 'schedule', 'talk', :character, :placeNumber, :surface, :person, :atMs, :role, :assurance, :message, :words, '',
       :dueAtMs, :state, '', 'open', 0, 0)`,
    {
      n,
      message: inbox.id,
      character,
      placeNumber: numbers.place(place, atMs),
      surface,
      person,
      atMs,
      role: inbox.role,
      assurance: inbox.assurance,
      words,
      dueAtMs,
      state: JSON.stringify({ schedule: id, does, grant, late: inbox.late }),
    },
  );
  numbers.named(inbox.id, n);
  return { fired: true };
}

/** Schedules' verbs as calls of the writer. */
export function createScheduleVerbs(batcher: Pick<Batcher, "call">): ScheduleVerbs {
  return {
    keep: (row) => batcher.call({ verb: "keepSchedule", row }),
    drop: (id) => batcher.call({ verb: "dropSchedule", row: { id } }),
    fire: (row) => batcher.call({ verb: "fireSchedule", row }),
  };
}

/** Reads of schedules; one that cannot be read is left out, and so never comes due. */
export function createScheduleReads(sql: () => Statements): ScheduleReads {
  return {
    list: () => sql().all("select * from schedule order by next_at_ms is null, next_at_ms, id limit 1024").flatMap(readable(readSchedule)),
  };
}

function readSchedule(row: Row): Schedule {
  const grant = optionalTextIn(row, "grant_id");
  return {
    id: parseScheduleId(textIn(row, "id")),
    character: parseCharacterId(textIn(row, "character")),
    person: parsePrincipalId(textIn(row, "person")),
    place: placeIdOf(textIn(row, "place")),
    surface: parseSurfaceName(textIn(row, "surface")),
    rule: textIn(row, "rule"),
    zone: textIn(row, "zone"),
    quiet: optionalTextIn(row, "quiet"),
    does: wordIn(row, "does", ["say", "session"] as const),
    words: textIn(row, "words"),
    grant: grant === null ? null : parseGrantId(grant),
    missed: wordIn(row, "missed", MISSED),
    createdAtMs: numberIn(row, "created_at_ms"),
    nextAtMs: optionalNumberIn(row, "next_at_ms"),
    lastAtMs: optionalNumberIn(row, "last_at_ms"),
  };
}
