import { parseCharacterId, parseMessageId, parseTurnId } from "../../../vocabulary/ids.ts";
import type { TurnId } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import { INBOX_ENDS } from "../../../vocabulary/turn.ts";
import type { TurnRow } from "../../operator-store.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { placeIdOf } from "./place-codec.ts";
import { readRecord } from "./record-codec.ts";
import type { Statements } from "./statements.ts";

const TURNS = `select turns.id, turns.started_at_ms, turns.record, message.id as message, inboxes.character, inboxes.person, inboxes.place, inboxes.end
  from (select * from turns where n < coalesce((select n from turns where id = :before), 9223372036854775807) order by n desc limit :limit) as turns
    join inboxes on inboxes.n = turns.inbox join inboxes as message on message.n = inboxes.root order by turns.n desc`;

/** Rows of the newest turns, for {@link readTurnRow}. */
export function turnRows(sql: Statements, limit: number, before: TurnId | null): readonly Row[] {
  return sql.all(TURNS, { limit, before });
}

/** One turn as its row says. */
export function readTurnRow(row: Row): TurnRow {
  return {
    turn: parseTurnId(textIn(row, "id")),
    message: parseMessageId(textIn(row, "message")),
    atMs: numberIn(row, "started_at_ms"),
    character: parseCharacterId(textIn(row, "character")),
    person: parsePrincipalId(textIn(row, "person")),
    place: placeIdOf(textIn(row, "place")),
    end: row["end"] === null ? null : wordIn(row, "end", INBOX_ENDS),
    record: readRecord(optionalTextIn(row, "record")),
  };
}
