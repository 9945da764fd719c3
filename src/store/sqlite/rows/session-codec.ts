import { RuntimeError } from "../../../foundation/errors.ts";
import type { ToolCall } from "../../../vocabulary/calls/agent-model.ts";
import { parseCharacterId, parseMessageId, parseSessionId } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { EntryBody, SessionEntry, SessionFacts, SessionNote } from "../../../vocabulary/calls/session.ts";
import { RESULT_STATUSES } from "../../../vocabulary/calls/session.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { placeIdOf } from "./place-codec.ts";

const KINDS: readonly EntryBody["kind"][] = ["said", "answered", "begun", "result", "note"];

/** What is stored of an entry beside its kind: texts by position, exactly as they were. */
export function toBodyColumn(body: EntryBody): string {
  switch (body.kind) {
    case "said":
      return JSON.stringify([body.text, body.by]);
    case "answered":
      return JSON.stringify([body.text, ...body.calls.map((call) => [call.id, call.name, call.arguments])]);
    case "begun":
      return JSON.stringify([body.call]);
    case "result":
      return JSON.stringify([body.call, body.name, body.text, body.status]);
    case "note":
      return JSON.stringify([body.text]);
  }
}

/** A stored entry. @throws RuntimeError `state_corrupt`, `invalid_argument`: a history with a hole in it is none. */
export function readEntry(row: Row): SessionEntry {
  const root = optionalTextIn(row, "root");
  return {
    seq: numberIn(row, "seq"),
    atMs: numberIn(row, "at_ms"),
    root: root === null ? null : parseMessageId(root),
    body: bodyOf(wordIn(row, "kind", KINDS), fieldsOf(textIn(row, "body"))),
    label: textIn(row, "label"),
  };
}

/** A stored session. @throws RuntimeError `state_corrupt`, `invalid_argument` */
export function readSession(row: Row): SessionFacts {
  const parent = optionalTextIn(row, "parent");
  return {
    id: parseSessionId(textIn(row, "id")),
    character: parseCharacterId(textIn(row, "character")),
    person: parsePrincipalId(textIn(row, "person")),
    place: placeIdOf(textIn(row, "place")),
    createdAtMs: numberIn(row, "created_at_ms"),
    usedAtMs: numberIn(row, "used_at_ms"),
    current: numberIn(row, "current") === 1,
    last: numberIn(row, "last"),
    bytes: numberIn(row, "bytes"),
    parent: parent === null ? null : { id: parseSessionId(parent), upTo: optionalNumberIn(row, "parent_upto") ?? 0 },
  };
}

/** A stored note. @throws RuntimeError `state_corrupt` */
export function readNote(row: Row): SessionNote {
  return {
    name: textIn(row, "name"),
    text: textIn(row, "body"),
    atMs: numberIn(row, "at_ms"),
    label: textIn(row, "label"),
  };
}

function bodyOf(kind: EntryBody["kind"], fields: readonly unknown[]): EntryBody {
  const text = (at: number): string => textOf(fields[at]);
  switch (kind) {
    case "said":
      return { kind, text: text(0), by: parseMessageId(text(1)) };
    case "answered":
      return { kind, text: text(0), calls: fields.slice(1).map(callOf) };
    case "begun":
      return { kind, call: text(0) };
    case "result":
      return { kind, call: text(0), name: text(1), text: text(2), status: RESULT_STATUSES.find((one) => one === fields[3]) ?? damaged() };
    case "note":
      return { kind, text: text(0) };
  }
}

function callOf(value: unknown): ToolCall {
  const fields: readonly unknown[] = Array.isArray(value) ? value : damaged();
  return { id: textOf(fields[0]), name: textOf(fields[1]), arguments: textOf(fields[2]) };
}

function fieldsOf(text: string): readonly unknown[] {
  let value: unknown = null;
  try {
    value = JSON.parse(text);
  } catch {
    damaged();
  }
  return Array.isArray(value) ? value : damaged();
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : damaged();
}

function damaged(): never {
  throw new RuntimeError("state_corrupt", "Cannot read a session: an entry is not of its form");
}
