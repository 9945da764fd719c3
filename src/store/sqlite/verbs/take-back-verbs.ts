import type { PartId, TurnId } from "../../../vocabulary/ids.ts";
import { parseTurnId, partIdOf } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { PostedPart, PostedTurn, TakeBackResult, TakeBackRow } from "../../conversation-store.ts";
import type { Row } from "../rows/columns.ts";
import { numberIn, textIn } from "../rows/columns.ts";
import { STANDING_REASONS } from "./card-verbs.ts";
import { writeAudit } from "./operator-verbs.ts";
import { placeIn } from "../rows/place-codec.ts";
import type { Statements } from "../rows/statements.ts";
import type { VerbContext } from "./verbs.ts";

/** A part that is to be deleted where it was posted says so in its reason, and later what came of that. */
const TAKING = "taking_back";
/** Parts that one start goes on deleting: the newest. */
const MAX_TAKING = 1_000;
/** How long before a message was posted its turn may have ended, and how far the platform's clock may be off. */
const BEFORE_MS = 20 * 60_000;
const SKEW_MS = 5 * 60_000;

const PARTS = `select turn.id as turn_id, part.idx, part.platform_id, place.id as place, inbox.surface
  from part join turn on turn.n = part.turn join inbox on inbox.n = turn.inbox join place on place.n = inbox.place`;

/**
 * Take a turn's line back: from this commit on it is unsaid, what it weighs in no packet any more, and each part that its platform has is
 * marked to be deleted there. A turn that is still speaking is left alone.
 */
export function takeBack({ sql, numbers }: VerbContext, row: TakeBackRow): TakeBackResult {
  const kept = numbers.turn(row.turn);
  if (kept === null) return { kind: "nothing" };
  const params = { turn: kept.turn };
  const open = sql.get("select 1 as open from part where turn = :turn and state in ('queued', 'sending') limit 1", params);
  if (open !== null) return { kind: "speaking" };
  const marked = sql.run(
    `update part set reason = '${TAKING}' where turn = :turn and state = 'delivered' and platform_id is not null and reason in ${STANDING_REASONS}`,
    params,
  );
  if (marked === 0) return { kind: "nothing" };
  sql.run("update event set state = 'unsaid' where n = :event and state = 'said'", { event: kept.event });
  writeAudit(sql, { atMs: row.atMs, by: row.by, act: "take_back", person: null, about: row.turn });
  return { kind: "taken", parts: takingBack(sql, row.turn) };
}

/** Note what came of the deleting of one part. */
export function tookBack({ sql, numbers }: VerbContext, row: { readonly part: PartId; readonly gone: boolean }): null {
  const dot = row.part.lastIndexOf(".");
  const kept = numbers.turn(row.part.slice(0, dot));
  if (kept !== null)
    sql.run(`update part set reason = :reason where turn = :turn and idx = :index and reason = '${TAKING}'`, {
      reason: row.gone ? "taken_back" : "not_taken_back",
      turn: kept.turn,
      index: Number(row.part.slice(dot + 1)),
    });
  return null;
}

/** Parts that are to be deleted and are not yet known to be: of one turn, or all that an earlier process left. */
export function takingBack(sql: Statements, turn?: TurnId): readonly PostedPart[] {
  const rows =
    turn === undefined
      ? sql.all(`${PARTS} where part.reason = '${TAKING}' order by part.turn desc, part.idx limit ${MAX_TAKING}`)
      : sql.all(`${PARTS} where part.turn = (select n from turn where id = :turn) and part.reason = '${TAKING}' order by part.idx`, {
          turn,
        });
  return rows.flatMap((row) => {
    try {
      return [readPosted(row)];
    } catch {
      return []; // A damaged row is nobody's message.
    }
  });
}

function readPosted(row: Row): PostedPart {
  const turn = parseTurnId(textIn(row, "turn_id"));
  return { part: partIdOf(turn, numberIn(row, "idx")), turn, place: placeIn(row), platformId: textIn(row, "platform_id") };
}

/** The turn that a message of a platform is of. It is looked for among those that ended about when it was posted, so nothing is kept for it. */
export function postedAs(sql: Statements, { surface, platformId, postedAtMs }: Parameters<typeof lookFor>[1]): PostedTurn | null {
  const row = lookFor(sql, { surface, platformId, postedAtMs });
  if (row === null) return null;
  const place = placeIn(row);
  return { turn: parseTurnId(textIn(row, "turn_id")), place: place.id, person: parsePrincipalId(textIn(row, "person")) };
}

function lookFor(
  sql: Statements,
  { surface, platformId, postedAtMs }: { readonly surface: string; readonly platformId: string; readonly postedAtMs: number },
): Row | null {
  return sql.get(
    `select turn.id as turn_id, place.id as place, inbox.surface, coalesce(inbox.person, place.person) as person
     from turn join part on part.turn = turn.n join inbox on inbox.n = turn.inbox join place on place.n = inbox.place
     where turn.ended_at_ms between :fromMs and :toMs and part.platform_id = :platformId and inbox.surface = :surface limit 1`,
    { fromMs: postedAtMs - BEFORE_MS, toMs: postedAtMs + SKEW_MS, platformId, surface },
  );
}
