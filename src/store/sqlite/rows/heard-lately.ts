import type { ChronicleEvent } from "../../../vocabulary/event.ts";
import type { CharacterId } from "../../../vocabulary/ids.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import { readEvent } from "./event-rows.ts";
import { readable } from "./readable.ts";
import type { Statements } from "./statements.ts";

/** Lines that are looked through, the newest of all: what lies behind them is not lately. */
const MAX_SEARCHED = 8_192;
/** Whom a row names as witness; whether its labels are sound as a whole is seen when it is read. */
const HEARD = `select event.*, place.id as place_id
  from (select * from event order by n desc limit ${MAX_SEARCHED}) as event join place on place.n = event.place
  where place.id like 'public:%' and (:place is null or place.id = :place) and event.author_kind = 'person' and event.state = 'said'
    and event.body <> '' and json_valid(event.witnesses)
    and exists (select 1 from json_each(event.witnesses) where json_each.value = :character)
  order by event.n desc limit :limit`;

/** The newest lines of people that a character perceived in public, oldest first. */
export function heardLately(
  sql: Statements,
  wish: { readonly character: CharacterId; readonly limit: number; readonly place: PlaceId | null },
): readonly ChronicleEvent[] {
  return sql
    .all(HEARD, { ...wish })
    .flatMap(readable(readEvent))
    .filter(({ witnesses }) => witnesses.includes(wish.character))
    .toReversed();
}
