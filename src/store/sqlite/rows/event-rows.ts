import { RuntimeError } from "../../../foundation/errors.ts";
import type { Author, ChronicleEvent } from "../../../vocabulary/event.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId } from "../../../vocabulary/ids.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { readLabels, toLabelColumns } from "./label-codec.ts";
import type { SettleResult } from "../../store.ts";
import { lineOf, placeIdOf } from "./place-codec.ts";
import { LINE_BYTES } from "./line-bytes.ts";
import type { Statements } from "./statements.ts";
import { takeBackTold } from "./told-rows.ts";
import type { VerbContext } from "../verbs/verbs.ts";

const STATES = ["said", "pending", "unsaid"] as const;

/** Where an event was kept: its number, its place's number, and its order in that place, from 1. */
export interface KeptEvent {
  readonly n: number;
  readonly place: number;
  readonly seq: number;
}

/** Keep an event as the next one of its place. */
export function insertEvent({ sql, numbers }: Pick<VerbContext, "sql" | "numbers">, event: ChronicleEvent): KeptEvent {
  const place = numbers.place(event.place, event.atMs);
  const ambient = event.witnesses.length === 0;
  const bytes = Buffer.byteLength(event.text) + Buffer.byteLength(event.action) + LINE_BYTES;
  const next = sql.get(
    `insert into conversation(place, seq, touched_at_ms, exchanged_at_ms, bytes, ambient_bytes)
       values (:place, 1, :atMs, :exchangedAtMs, :bytes, :ambientBytes)
     on conflict(place) do update set seq = seq + 1, touched_at_ms = max(touched_at_ms, excluded.touched_at_ms),
       exchanged_at_ms = max(exchanged_at_ms, excluded.exchanged_at_ms),
       bytes = bytes + excluded.bytes, ambient_bytes = ambient_bytes + excluded.ambient_bytes returning seq`,
    // Talk that no character perceives is no exchange: it does not keep a place's memory alive (TR-043).
    { place, atMs: event.atMs, exchangedAtMs: ambient ? 0 : event.atMs, bytes, ambientBytes: ambient ? bytes : 0 },
  );
  const seq = next === null ? 1 : numberIn(next, "seq");
  const n = numbers.next();
  sql.run(
    `insert into event(n, id, place, seq, at_ms, author_kind, author, author_name, body, action, state, surface, delivery, turn, witnesses, audience, influence)
     values (:n, :id, :place, :seq, :atMs, :authorKind, :author, :authorName, :body, :action, :state, :surface, :delivery, :turn, :witnesses, :audience, :influence)`,
    {
      n,
      id: event.id,
      place,
      seq,
      atMs: event.atMs,
      authorKind: event.author.kind,
      author: authorColumn(event.author, event.place),
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
  numbers.named(event.id, n);
  return { n, place, seq };
}

/** Who wrote it; null when the direct line it stands in says so. */
function authorColumn(author: Author, place: PlaceId): string | null {
  const line = lineOf(place);
  if (author.kind === "person") return author.principal === line?.person ? null : author.principal;
  return author.character === line?.character ? null : author.character;
}

/** Once every part of a turn is settled its line is `said` when one of them arrived or may have, else `unsaid` (TR-040, TR-042). */
export function settleLine(sql: Statements, turn: number): SettleResult["line"] {
  const params = { turn };
  const open = sql.get("select 1 as open from part where turn = :turn and state in ('queued', 'sending') limit 1", params);
  if (open !== null) return null;
  const ended = sql.get(
    `update event set state = case when exists (select 1 from part where part.turn = :turn and part.state in ('delivered', 'unknown'))
       then 'said' else 'unsaid' end
     where n = (select event from turn where turn.n = :turn) and state = 'pending' returning state`,
    params,
  );
  takeBackTold(sql, turn);
  sql.run("update part set body = null, action = null where turn = :turn and (body is not null or action is not null)", params);
  return ended === null ? null : textIn(ended, "state") === "said" ? "said" : "unsaid";
}

/** What {@link readEvent} reads. */
export const EVENTS = "select event.*, place.id as place_id from event join place on place.n = event.place";

/** An event as it was stored. @throws RuntimeError `state_corrupt`, `invalid_argument` when its identity cannot be read. */
export function readEvent(row: Row): ChronicleEvent {
  const surface = optionalTextIn(row, "surface");
  const delivery = optionalTextIn(row, "delivery");
  const turn = optionalTextIn(row, "turn");
  const place = placeIdOf(textIn(row, "place_id"));
  const author = readAuthor(row, place);
  return {
    id: parseMessageId(textIn(row, "id")),
    place,
    seq: numberIn(row, "seq"),
    atMs: numberIn(row, "at_ms"),
    author,
    text: textIn(row, "body"),
    action: textIn(row, "action"),
    state: wordIn(row, "state", STATES),
    ...(surface !== null && delivery !== null ? { delivery: { surface: parseSurfaceName(surface), id: delivery } } : {}),
    ...(turn !== null ? { turn: parseTurnId(turn) } : {}),
    ...readLabels(row, { place, author }),
  };
}

function readAuthor(row: Row, place: PlaceId): Author {
  const isPerson = textIn(row, "author_kind") === "person";
  const line = lineOf(place);
  const author = optionalTextIn(row, "author") ?? (isPerson ? line?.person : line?.character);
  if (author === undefined) throw new RuntimeError("state_corrupt", "Cannot read an event: it does not say who wrote it");
  return isPerson
    ? { kind: "person", principal: parsePrincipalId(author), name: textIn(row, "author_name") }
    : { kind: "character", character: parseCharacterId(author) };
}
