import type { MissedLine } from "../../conversation-store.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import { numberIn, textIn } from "../rows/columns.ts";
import type { VerbContext } from "./verbs.ts";

/** Lines that are given at once; older ones stay as they are. */
const MAX_MISSED = 20;
/** Why a part failed that found nobody. */
const NOBODY = "nobody_attached";

/** Lines of a place that not one part of reached anybody, since nobody was there. */
const MISSED = `select event.n, event.body, event.action, event.at_ms, turn.n as turn from event join turn on turn.event = event.n
  where event.place = (select n from place where id = :place) and event.state = 'unsaid' and event.author_kind = 'character'
    and exists (select 1 from part where part.turn = turn.n)
    and not exists (select 1 from part where part.turn = turn.n and not (part.state = 'failed' and part.reason = '${NOBODY}'))
  order by event.seq desc limit ${MAX_MISSED}`;

/**
 * Give the newest lines of a place that found nobody, oldest first. From this commit on they may have been seen: they count as said,
 * and are given to nobody else.
 */
export function catchUp({ sql }: VerbContext, { place }: { readonly place: PlaceId }): readonly MissedLine[] {
  const missed = sql.all(MISSED, { place });
  for (const row of missed) {
    sql.run("update part set state = 'unknown', reason = 'shown_later' where turn = :turn", { turn: numberIn(row, "turn") });
    sql.run("update event set state = 'said' where n = :n", { n: numberIn(row, "n") });
  }
  return missed.toReversed().map((row) => ({ text: textIn(row, "body"), action: textIn(row, "action"), atMs: numberIn(row, "at_ms") }));
}
