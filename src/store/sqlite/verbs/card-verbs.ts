import type { PartId, SurfaceName } from "../../../vocabulary/ids.ts";
import { parseApprovalId, parseTurnId, partIdOf } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { SettledCard } from "../../../vocabulary/calls/settled-card.ts";
import type { Row } from "../rows/columns.ts";
import { numberIn, optionalTextIn, textIn, wordIn } from "../rows/columns.ts";
import { placeIn } from "../rows/place-codec.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** The last part of a question says in its reason what became of its buttons. */
const CLOSED = "card_closed";
const LEFT = "card_left";
/** Reasons under which a part that was delivered is still there as it was said. */
export const STANDING_REASONS: string = `('', '${CLOSED}', '${LEFT}')`;
const MAX_CARDS = 64;

const SETTLED = `select approval.id, approval.state, approval.answer, approval.answered_by, approval.settled_at_ms, turn.id as turn_id, part.idx,
    part.platform_id, place.id as place, inbox.surface
  from approval join turn on turn.inbox = approval.inbox and turn.id = approval.turn join inbox on inbox.n = turn.inbox
    join place on place.n = inbox.place join part on part.turn = turn.n and part.idx = part.count - 1
  where approval.settled_at_ms > :sinceMs and approval.state <> 'pending' and part.state = 'delivered' and part.platform_id is not null
    and part.reason = '' and place.person is not null and inbox.surface in (select value from json_each(:surfaces))
  order by approval.settled_at_ms, approval.id limit ${MAX_CARDS}`;

/** Note what became of the buttons under a settled question. */
export function closedCard({ sql, numbers }: VerbContext, row: { readonly part: PartId; readonly closed: boolean }): null {
  const dot = row.part.lastIndexOf(".");
  const kept = numbers.turn(row.part.slice(0, dot));
  if (kept !== null)
    sql.run("update part set reason = :reason where turn = :turn and idx = :index and state = 'delivered' and reason = ''", {
      reason: row.closed ? CLOSED : LEFT,
      turn: kept.turn,
      index: Number(row.part.slice(dot + 1)),
    });
  return null;
}

/** Settled questions whose message still shows buttons, oldest first. */
export function settledCards(sql: Statements, surfaces: readonly SurfaceName[], sinceMs: number): readonly SettledCard[] {
  return sql.all(SETTLED, { sinceMs, surfaces: JSON.stringify(surfaces) }).flatMap((row) => {
    try {
      return [readSettled(row)];
    } catch {
      return []; // A damaged row is nobody's card.
    }
  });
}

function readSettled(row: Row): SettledCard {
  const by = optionalTextIn(row, "answered_by");
  return {
    approval: parseApprovalId(textIn(row, "id")),
    part: partIdOf(parseTurnId(textIn(row, "turn_id")), numberIn(row, "idx")),
    place: placeIn(row),
    platformId: textIn(row, "platform_id"),
    state: wordIn(row, "state", ["answered", "cancelled", "expired"]),
    answer: optionalTextIn(row, "answer"),
    // Who was forgotten since is a pseudonym.
    answeredBy: by === null || !/^[a-z]+:/.test(by) ? null : parsePrincipalId(by),
    settledAtMs: numberIn(row, "settled_at_ms"),
  };
}
