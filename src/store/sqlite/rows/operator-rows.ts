import type { AuditEntry } from "../../../vocabulary/audit.ts";
import { AUDIT_ACTS } from "../../../vocabulary/audit.ts";
import { parseCharacterId } from "../../../vocabulary/ids.ts";
import type { Pause } from "../../../vocabulary/pause.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { pausedPlaceOf } from "./place-codec.ts";
import type { Statements } from "./statements.ts";

/** A pause as its row says; throws for a row that cannot be read. */
export function readPause(row: Row): Pause {
  const character = textIn(row, "character");
  const place = textIn(row, "place");
  return {
    character: character === "" ? null : parseCharacterId(character),
    place: place === "" ? null : pausedPlaceOf(place),
    by: parsePrincipalId(textIn(row, "by_person")),
    atMs: numberIn(row, "at_ms"),
    untilMs: optionalNumberIn(row, "until_ms"),
  };
}

/** An act as its row says. */
export function readAudit(row: Row): AuditEntry {
  const person = optionalTextIn(row, "person");
  return {
    atMs: numberIn(row, "at_ms"),
    by: parsePrincipalId(textIn(row, "by_person")),
    act: wordIn(row, "act", AUDIT_ACTS),
    person: person === null ? null : parsePrincipalId(person),
    about: textIn(row, "about"),
  };
}

/** How often an act concerned a person, and when last. */
export function timesOf(sql: Statements, person: PrincipalId, act: AuditEntry["act"]): { times: number; lastAtMs: number } | null {
  const row = sql.get("select count(*) as times, max(at_ms) as last from audit where person = :person and act = :act", { person, act });
  const times = row === null ? 0 : numberIn(row, "times");
  return row === null || times === 0 ? null : { times, lastAtMs: numberIn(row, "last") };
}
