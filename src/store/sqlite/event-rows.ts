import type { Author, ChronicleEvent } from "../../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { readLabels, toLabelColumns } from "./label-codec.ts";
import { placeIdOf } from "./place-codec.ts";
import { LINE_BYTES } from "./schema.ts";
import type { Statements } from "./statements.ts";
import { takeBackTold } from "./told-rows.ts";

const STATES = ["said", "pending", "unsaid"] as const;

/** Keep an event as the next one of its place; gives its order there, from 1. */
export function insertEvent(sql: Statements, event: ChronicleEvent): number {
  const ambient = event.witnesses.length === 0;
  const bytes = Buffer.byteLength(event.text) + Buffer.byteLength(event.action) + LINE_BYTES;
  const next = sql.get(
    `insert into place(id, seq, touched_at_ms, exchanged_at_ms, bytes, ambient_bytes)
       values (:place, 1, :atMs, :exchangedAtMs, :bytes, :ambientBytes)
     on conflict(id) do update set seq = seq + 1, touched_at_ms = max(touched_at_ms, excluded.touched_at_ms),
       exchanged_at_ms = max(exchanged_at_ms, excluded.exchanged_at_ms),
       bytes = bytes + excluded.bytes, ambient_bytes = ambient_bytes + excluded.ambient_bytes returning seq`,
    // Talk that no character perceives is no exchange: it does not keep a place's memory alive (TR-043).
    { place: event.place, atMs: event.atMs, exchangedAtMs: ambient ? 0 : event.atMs, bytes, ambientBytes: ambient ? bytes : 0 },
  );
  const seq = next === null ? 1 : numberIn(next, "seq");
  const author = event.author.kind === "person" ? event.author.principal : event.author.character;
  sql.run(
    `insert into event(id, place, seq, at_ms, author_kind, author, author_name, body, action, state, surface, delivery, turn, witnesses, audience, influence)
     values (:id, :place, :seq, :atMs, :authorKind, :author, :authorName, :body, :action, :state, :surface, :delivery, :turn, :witnesses, :audience, :influence)`,
    {
      id: event.id,
      place: event.place,
      seq,
      atMs: event.atMs,
      authorKind: event.author.kind,
      author,
      authorName: event.author.kind === "person" ? event.author.name : "",
      body: event.text,
      action: event.action,
      state: event.state,
      surface: event.delivery?.surface ?? null,
      delivery: event.delivery?.id ?? null,
      turn: event.turn ?? null,
      ...toLabelColumns(event),
    },
  );
  return seq;
}

/**
 * Once no part of a turn is open, settle its line: `said` when a part arrived or may have, else `unsaid`; and clear the bodies
 * of its parts (TR-040, TR-042). Nothing happens before.
 */
export function settleLine(sql: Statements, turn: string): void {
  const params = { turn };
  const open = sql.get("select 1 as open from part where turn = :turn and state in ('queued', 'sending') limit 1", params);
  if (open !== null) return;
  sql.run(
    `update event set state = case when exists (select 1 from part where part.turn = :turn and part.state in ('delivered', 'unknown'))
       then 'said' else 'unsaid' end
     where turn = :turn and state = 'pending'`,
    params,
  );
  takeBackTold(sql, turn);
  sql.run("update part set body = '', action = '' where turn = :turn", params);
}

/** An event as it was stored. @throws RuntimeError `state_corrupt`, `invalid_argument` when its identity cannot be read. */
export function readEvent(row: Row): ChronicleEvent {
  const surface = optionalTextIn(row, "surface");
  const delivery = optionalTextIn(row, "delivery");
  const turn = optionalTextIn(row, "turn");
  return {
    id: parseMessageId(textIn(row, "id")),
    place: placeIdOf(textIn(row, "place")),
    seq: numberIn(row, "seq"),
    atMs: numberIn(row, "at_ms"),
    author: readAuthor(row),
    text: textIn(row, "body"),
    action: textIn(row, "action"),
    state: wordIn(row, "state", STATES),
    ...(surface !== null && delivery !== null ? { delivery: { surface: parseSurfaceName(surface), id: delivery } } : {}),
    ...(turn !== null ? { turn: parseTurnId(turn) } : {}),
    ...readLabels(row),
  };
}

function readAuthor(row: Row): Author {
  const author = textIn(row, "author");
  return textIn(row, "author_kind") === "person"
    ? { kind: "person", principal: parsePrincipalId(author), name: textIn(row, "author_name") }
    : { kind: "character", character: parseCharacterId(author) };
}
