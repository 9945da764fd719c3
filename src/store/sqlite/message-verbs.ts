import { RuntimeError } from "../../foundation/errors.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { DecisionRow, HearResult, HearRow } from "../store.ts";
import { textIn } from "./columns.ts";
import { keepDecision } from "./decision-rows.ts";
import { insertEvent } from "./event-rows.ts";
import { insertInbox } from "./inbox-rows.ts";
import type { VerbContext } from "./verbs.ts";

/** Keep a message once: a known delivery changes nothing and names the first copy (TR-042, TR-052). */
export function hear({ sql }: VerbContext, row: HearRow): HearResult {
  const { event, decision, inbox } = row;
  if (decision.id !== event.id || (inbox !== null && inbox.id !== event.id))
    throw new RuntimeError("invalid_argument", "Cannot hear: event, decision and inbox row must have one id");
  if (event.delivery !== undefined) {
    const params = { surface: event.delivery.surface, id: event.delivery.id };
    const known = sql.get("select message from delivery where surface = :surface and id = :id", params);
    if (known !== null) return { kind: "duplicate", id: parseMessageId(textIn(known, "message")) };
    sql.run("insert into delivery(surface, id, message, at_ms) values (:surface, :id, :message, :atMs)", {
      ...params,
      message: event.id,
      atMs: event.atMs,
    });
  }
  const seq = insertEvent(sql, event);
  keepDecision(sql, decision);
  if (inbox !== null) insertInbox(sql, inbox);
  return { kind: "fresh", seq };
}

/** Keep the decision on a message of which nothing else is kept. */
export function note({ sql }: VerbContext, row: DecisionRow): null {
  keepDecision(sql, row);
  return null;
}
