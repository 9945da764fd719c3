import { parseTurnId } from "../../../vocabulary/ids.ts";
import type { ResetRow, ResetWords } from "../../conversation-store.ts";
import { textIn } from "../rows/columns.ts";
import type { Params } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** Turns whose erased lines are named, for whoever holds copies of them in memory: the newest. */
const MAX_TURNS = 1_000;

/** The person's own lines that nothing waits for any more. */
const OWN = `event.place = :place and author_kind = 'person' and (author = :person or (author is null and :direct = 1))
  and not exists (select 1 from inbox where inbox.n = event.n and inbox.state <> 'ended')`;
/** What the character said to that person and has said to the end. */
const ANSWERS = `event.place = :place and author_kind = 'character' and event.state <> 'pending' and exists (
  select 1 from turn as said join inbox on inbox.n = said.inbox where said.id = event.turn
    and coalesce(inbox.person, '') in (:person, iif(:direct = 1, '', :person)) and (event.author = :character or event.author is null))`;
const EMPTY = "update event set body = '', action = '', witnesses = '[]', audience = '[]', influence = '[]'";

/**
 * Empty what one person and one character said to each other in one place: the rows stay as empty places in the order, so that ids and
 * deliveries are known as before, and nobody perceived them any more. What is on its way or waits is left as it is.
 */
export function reset({ sql, numbers }: VerbContext, row: ResetRow): ResetWords {
  const { place, person, character } = row;
  const params: Params = { place: numbers.place(place.id, row.atMs), person, direct: place.kind === "direct" ? 1 : 0 };
  const answers: Params = { ...params, character };
  const turns = sql.all(`select event.turn from event where ${ANSWERS} order by event.n desc limit ${MAX_TURNS}`, answers);
  const posts = sql.all(
    `select platform_id from part join turn on turn.n = part.turn join event on event.n = turn.event
     where platform_id is not null and ${ANSWERS} order by part.turn desc limit ${MAX_TURNS}`,
    answers,
  );
  const lines = sql.run(`${EMPTY} where ${OWN} and witnesses <> '[]'`, params);
  const answered = sql.run(`${EMPTY}, state = 'unsaid' where ${ANSWERS} and witnesses <> '[]'`, answers);
  return {
    lines,
    answers: answered,
    turns: turns.map((one) => parseTurnId(textIn(one, "turn"))),
    platformIds: posts.map((one) => textIn(one, "platform_id")),
  };
}
