import { RuntimeError } from "../../../foundation/errors.ts";
import { parseMessageId } from "../../../vocabulary/ids.ts";
import type { DecisionRow, HearResult, HearRow } from "../../store.ts";
import { textIn } from "../rows/columns.ts";
import { insertDecision } from "../rows/decision-rows.ts";
import { insertEvent } from "../rows/event-rows.ts";
import { insertInbox } from "../rows/inbox-rows.ts";
import type { VerbContext } from "./verbs.ts";

/** The message of a delivery: by its line, or by what is remembered when that is gone. */
export const DELIVERED = `select id as message from event where surface = :surface and delivery = :id
  union all select message from delivery where surface = :surface and id = :id limit 1`;

/** Keep a message once: a known delivery changes nothing and names the first copy (TR-042, TR-052). */
export function hear(context: VerbContext, row: HearRow): HearResult {
  const { sql, numbers } = context;
  const { event, decision, inbox } = row;
  if (decision.id !== event.id || (inbox !== null && inbox.id !== event.id))
    throw new RuntimeError("invalid_argument", "Cannot hear: event, decision and inbox row must have one id");
  if (event.delivery !== undefined) {
    const known = sql.get(DELIVERED, { surface: event.delivery.surface, id: event.delivery.id });
    if (known !== null) return { kind: "duplicate", id: parseMessageId(textIn(known, "message")) };
  }
  const { n, place, seq } = insertEvent(context, event);
  const at = (id: DecisionRow["place"], atMs: number): number => (id === event.place ? place : numbers.place(id, atMs));
  insertDecision(sql, decision, { n, place: at(decision.place, decision.atMs), hasLine: true });
  if (inbox !== null) insertInbox(sql, inbox, { n, place: at(inbox.place.id, inbox.atMs), line: event });
  return { kind: "fresh", seq };
}

/** Keep the decision on a message of which nothing else is kept; the first of an id stands. */
export function note({ sql, numbers }: VerbContext, row: DecisionRow): null {
  if (numbers.message(row.id) === null) {
    const n = numbers.next();
    insertDecision(sql, row, { n, place: numbers.place(row.place, row.atMs), hasLine: false });
  }
  return null;
}
