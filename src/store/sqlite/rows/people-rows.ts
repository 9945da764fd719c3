import { parseCharacterId } from "../../../vocabulary/ids.ts";
import type { CharacterId } from "../../../vocabulary/ids.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { PersonRow } from "../../operator-store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { placeIdOf } from "./place-codec.ts";
import type { Statements } from "./statements.ts";

/** People in one list, at most: the latest. */
export const MAX_PEOPLE = 2_000;

/**
 * Everybody there is to tell of, with the moment they were last heard. The index of decisions has person and moment in it, so the
 * table is not touched for it; the last message's own row gives place and name.
 */
const PEOPLE = `
with heard as (
  select coalesce(decision.person, place.person) as person, max(decision.at_ms) as at_ms from decision join place on place.n = decision.place
  where decision.at_ms >= :sinceMs group by 1
),
known as (
  select person from heard union select id from principal union select person from trust
),
latest as (
  select known.person, heard.at_ms as heard_at_ms,
    (select decision.n from decision join place on place.n = decision.place
      where decision.at_ms = heard.at_ms and coalesce(decision.person, place.person) = known.person order by decision.n desc limit 1) as n
  from known left join heard on heard.person = known.person
  where substr(known.person, 1, 10) <> 'forgotten:'
)
select latest.person, latest.heard_at_ms, place.id as place,
  coalesce((select name from principal where id = latest.person),
    (select author_name from event where event.n = latest.n and author_kind = 'person')) as name,
  trust.role, trust.until_ms,
  (select amount from budget where scope = 'calls:person:' || latest.person and window_start_ms = :todayMs) as calls
from latest left join decision on decision.n = latest.n left join place on place.n = decision.place
  left join trust on trust.person = latest.person and (trust.until_ms is null or trust.until_ms > :nowMs)
    and (trust.role = 'blocked' or trust.confirmed = 1)
order by latest.heard_at_ms desc nulls last, latest.person limit :limit`;
/** Trust of a restored copy counts once it was confirmed (SE-099). */
export const TRUSTED =
  "select person, role from trust where role = 'trusted' and confirmed = 1 and person not like 'forgotten:%' order by person limit :limit";
/** Every row of the trust list, readable or not. */
export const EVERY_TRUST = "select person, role from trust";

/** Whom a row of the trust list is about. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function readTrusted(row: Row): PrincipalId {
  wordIn(row, "role", ["trusted", "blocked"]);
  return parsePrincipalId(textIn(row, "person"));
}

const HEARD_TODAY = `select coalesce(decision.person, place.person) as person, sum(count) as count
  from decision join place on place.n = decision.place where at_ms >= :todayMs group by 1`;
const DIRECT_LINES = `select place.character, touched_at_ms from place join conversation on conversation.place = place.n
  where place.person = :person order by touched_at_ms desc`;

/** The people of an operator's list. A row that cannot be read is left out by the caller's reading of each. */
export function peopleRows(
  sql: Statements,
  { sinceMs, todayMs, nowMs }: { readonly sinceMs: number; readonly todayMs: number; readonly nowMs: number },
  readable: (read: (row: Row) => PersonRow) => (row: Row) => readonly PersonRow[],
): readonly PersonRow[] {
  const today = new Map(sql.all(HEARD_TODAY, { todayMs }).map((row) => [textIn(row, "person"), numberIn(row, "count")]));
  const read = (row: Row): PersonRow => readPerson(row, today.get(textIn(row, "person")) ?? 0);
  return sql.all(PEOPLE, { sinceMs, todayMs, nowMs, limit: MAX_PEOPLE }).flatMap(readable(read));
}

function readPerson(row: Row, heardToday: number): PersonRow {
  const role = optionalTextIn(row, "role");
  const place = optionalTextIn(row, "place");
  return {
    id: parsePrincipalId(textIn(row, "person")),
    name: optionalTextIn(row, "name"),
    trust: role === "trusted" || role === "blocked" ? role : "guest",
    untilMs: optionalNumberIn(row, "until_ms"),
    heardAtMs: optionalNumberIn(row, "heard_at_ms"),
    place: place === null ? null : placeIdOf(place),
    heardToday,
    callsToday: optionalNumberIn(row, "calls") ?? 0,
  };
}

/** The direct lines of a person. */
export function directLineRows(
  sql: Statements,
  person: PrincipalId,
): readonly { readonly character: CharacterId; readonly lastAtMs: number }[] {
  return sql.all(DIRECT_LINES, { person }).map((row) => ({
    character: parseCharacterId(textIn(row, "character")),
    lastAtMs: numberIn(row, "touched_at_ms"),
  }));
}
