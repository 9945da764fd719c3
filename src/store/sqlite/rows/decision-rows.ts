import { SUPPRESS_REASONS } from "../../../vocabulary/inbound.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { MessageClass } from "../../../vocabulary/turn.ts";
import type { DecisionRow } from "../../store.ts";
import type { Row } from "./columns.ts";
import { optionalTextIn, textIn, numberIn, wordIn } from "./columns.ts";
import { lineOf, placeIdOf } from "./place-codec.ts";
import type { Statements } from "./statements.ts";

/** What a message may be sorted into. */
export const MESSAGE_CLASSES: readonly MessageClass[] = ["talk", "command", "answer", "control"];
const MINUTE_MS = 60_000;

const INSERT = `insert into decision(n, id, at_ms, surface, place, person, character, outcome, reason, gate, rule, config_key, class, minute, shared, count)`;
const VALUES = ":n, :id, :atMs, :surface, :place, :person, :character, :outcome, :reason, :gate, :rule, :key, :class, :minute";
const ADMIT = `${INSERT} values (${VALUES}, 0, 1)`;
const SUPPRESS = `${INSERT} select ${VALUES},
    (select count(*) >= 10 from decision d where d.person = :person and d.minute = :minute and d.outcome = 'suppressed'), 1
  where true on conflict(person, minute) where shared = 1 do update set count = count + 1`;

/** Where a decision is kept. */
export interface DecisionNumbers {
  readonly n: number;
  readonly place: number;
  /** Whether the message's line is kept under the same number, and so its id. */
  readonly hasLine: boolean;
}

/** Keep a decision. A sender's suppressed ones beyond ten in a minute share that minute's eleventh row, which counts them (TR-003). */
export function insertDecision(sql: Statements, row: DecisionRow, { n, place, hasLine }: DecisionNumbers): void {
  const { atMs, surface, character, outcome, reason, gate, rule, key } = row;
  const id = hasLine ? null : row.id;
  const shared = { n, id, atMs, surface, place, character, outcome, reason, gate, rule, key, class: row.class };
  if (outcome === "admitted") {
    const person = lineOf(row.place)?.person === row.person ? null : row.person;
    sql.run(ADMIT, { ...shared, person, minute: null });
    return;
  }
  sql.run(SUPPRESS, { ...shared, person: row.person, minute: Math.floor(atMs / MINUTE_MS) });
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
  return sql.get("select * from decisions where n = (select n from decision where person = :person and minute = :minute and shared = 1)", {
    person,
    minute: Math.floor(atMs / MINUTE_MS),
  });
}
