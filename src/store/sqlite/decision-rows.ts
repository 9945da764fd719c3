import { SUPPRESS_REASONS } from "../../vocabulary/inbound.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { MessageClass } from "../../vocabulary/turn.ts";
import type { DecisionRow } from "../store.ts";
import type { Row } from "./columns.ts";
import { optionalTextIn, textIn, numberIn, wordIn } from "./columns.ts";
import { placeIdOf } from "./place-codec.ts";
import type { Params, Statements } from "./statements.ts";

/** What a message may be sorted into. */
export const MESSAGE_CLASSES: readonly MessageClass[] = ["talk", "command", "answer", "control"];
const MINUTE_MS = 60_000;

const INSERT = `insert into decision(id, at_ms, surface, place, person, character, outcome, reason, gate, rule, config_key, class, minute, shared, count)`;
const VALUES = ":id, :atMs, :surface, :place, :person, :character, :outcome, :reason, :gate, :rule, :key, :class, :minute";

/** Keep a decision; the first of an id stands. A sender's suppressed ones beyond ten in a minute share that minute's eleventh row, which counts them (TR-003). */
export function keepDecision(sql: Statements, row: DecisionRow): void {
  const { id, atMs, surface, place, person, character, outcome, reason, gate, rule, key } = row;
  const minute = Math.floor(atMs / MINUTE_MS);
  const params: Params = { id, atMs, surface, place, person, character, outcome, reason, gate, rule, key, class: row.class, minute };
  if (row.outcome === "admitted") {
    sql.run(`${INSERT} values (${VALUES}, 0, 1) on conflict(id) do nothing`, params);
    return;
  }
  sql.run(
    `${INSERT} select ${VALUES},
       (select count(*) >= 10 from decision d where d.person = :person and d.minute = :minute and d.outcome = 'suppressed'), 1
     where true on conflict(id) do nothing on conflict(person, minute) where shared = 1 do update set count = count + 1`,
    params,
  );
}

/** A decision as it was stored. @throws RuntimeError `state_corrupt`, `invalid_argument`. */
export function readDecision(row: Row): { readonly decision: DecisionRow; readonly count: number } {
  const character = optionalTextIn(row, "character");
  return {
    decision: {
      id: parseMessageId(textIn(row, "id")),
      atMs: numberIn(row, "at_ms"),
      surface: parseSurfaceName(textIn(row, "surface")),
      place: placeIdOf(textIn(row, "place")),
      person: parsePrincipalId(textIn(row, "person")),
      character: character === null ? null : parseCharacterId(character),
      outcome: wordIn(row, "outcome", ["admitted", "suppressed"]),
      reason: row["reason"] === null ? null : wordIn(row, "reason", SUPPRESS_REASONS),
      gate: textIn(row, "gate"),
      rule: textIn(row, "rule"),
      key: textIn(row, "config_key"),
      class: row["class"] === null ? null : wordIn(row, "class", MESSAGE_CLASSES),
    },
    count: numberIn(row, "count"),
  };
}

/** The row that stands for a message of a person at a moment when it has none of its own. */
export function sharedDecision(sql: Statements, person: string, atMs: number): Row | null {
  return sql.get("select * from decision where person = :person and minute = :minute and shared = 1", {
    person,
    minute: Math.floor(atMs / MINUTE_MS),
  });
}
