import { parseMessageId } from "../../../vocabulary/ids.ts";
import type { TurnId } from "../../../vocabulary/ids.ts";
import type { PartState } from "../../../vocabulary/part.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { AnswerRow, StoreReader } from "../../store.ts";
import { textIn, wordIn } from "./columns.ts";
import type { Statements } from "./statements.ts";

const PART_STATES: readonly PartState[] = ["queued", "sending", "delivered", "unknown", "failed", "expired", "cancelled"];

/** Note with an answer whom its first part tells the disclosure to (TR-091). */
export function keepTold(sql: Statements, { turn, atMs, event, tells }: AnswerRow): void {
  if (tells === undefined || tells === null || event.author.kind !== "character") return;
  sql.run("insert into told(person, character, turn, at_ms) values (:person, :character, :turn, :atMs) on conflict do nothing", {
    person: tells,
    character: event.author.character,
    turn,
    atMs,
  });
}

/** Once a turn's parts are settled: a disclosure whose part surely did not arrive was not told. */
export function takeBackTold(sql: Statements, turn: number): void {
  sql.run(
    `delete from told where turn = (select id from turn where n = :turn)
       and exists (select 1 from part where part.turn = :turn and part.idx = 0 and part.state in ('failed', 'expired', 'cancelled'))`,
    { turn },
  );
}

/** Whether a person was told by a character. */
export function isTold(sql: Statements, person: string, character: string): boolean {
  return sql.get("select 1 as told from told where person = :person and character = :character", { person, character }) !== null;
}

/** What a turn's reply was for and what became of its parts. @throws RuntimeError `state_corrupt` */
export function readDelivery(sql: Statements, turn: TurnId): ReturnType<StoreReader["deliveryOf"]> {
  const row = sql.get(
    "select inboxes.id, inboxes.person from turn join inboxes on inboxes.n = turn.inbox where turn.id = :turn and inboxes.state = 'ended'",
    { turn },
  );
  if (row === null) return null;
  const parts = sql.all("select state from part where turn = (select n from turn where id = :turn) order by idx", { turn });
  return {
    inbox: parseMessageId(textIn(row, "id")),
    person: parsePrincipalId(textIn(row, "person")),
    parts: parts.map((part) => wordIn(part, "state", PART_STATES)),
  };
}
