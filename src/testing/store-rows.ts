import type { CharacterId, MessageId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { Part } from "../vocabulary/part.ts";
import type { VoiceRecord } from "../vocabulary/reply.ts";
import type { AnswerRow, DecisionRow, HearRow, InboxRow, RetentionRow, SettleRow, StartRow } from "../store/store.ts";

const ROOM: SurfaceName = parseSurfaceName("parlour");
const CHARACTER: CharacterId = parseCharacterId("mirelle");
/** The moment that rows of {@link heard} are from. */
export const STORE_TIME_MS = 1_800_000_000_000;

/** Moments before which nothing is. */
export const NOTHING_OLD: RetentionRow = {
  decisionsBeforeMs: 0,
  publicBeforeMs: 0,
  directBeforeMs: 0,
  deliveriesBeforeMs: 0,
  membersBeforeMs: 0,
  toldBeforeMs: 0,
  sessionsBeforeMs: 0,
};

/** What is to be made: the same number is the same message, by the same delivery. */
export interface HeardOptions {
  readonly number: number;
  /** Which person; each has a direct line of their own. */
  readonly person?: number;
  readonly public?: boolean;
  readonly atMs?: number;
  readonly text?: string;
}

/** The whole of a message that was let in. */
export type HeardRow = HearRow & { readonly inbox: InboxRow };

const base32 = (number: number): string => number.toString(32).padStart(6, "0");
/** Id of message `number`. */
export const messageIdOf = (number: number): MessageId => parseMessageId(`m-${base32(number)}`);
/** Id of attempt `attempt` of message `number`. */
export const turnIdOf = (number: number, attempt: number = 1): TurnId => parseTurnId(`t-${base32(number)}${attempt}`);
/** A person by number. */
export const personOf = (number: number): PrincipalId => parsePrincipalId(`room:person${number}`);

/** A message that was let in, with all its rows. */
export function heard(options: HeardOptions): HeardRow {
  const { number, person = 0, atMs = STORE_TIME_MS, text = `line ${number}` } = options;
  const id = messageIdOf(number);
  const principal = personOf(person);
  const place: Place = options.public === true ? publicPlace(ROOM) : directPlace(ROOM, CHARACTER, principal);
  return {
    event: {
      id,
      place: place.id,
      seq: 0,
      atMs,
      author: { kind: "person", principal, name: `Person ${person}` },
      text,
      action: "",
      state: "said",
      delivery: { surface: ROOM, id: `d-${number}` },
      witnesses: [CHARACTER],
      audience: [place.kind === "public" ? `place:${place.id}` : `person:${principal}`],
      influence: [principal],
    },
    decision: decisionRow({ number, person, atMs, place }),
    inbox: {
      id,
      kind: "message",
      class: "talk",
      character: CHARACTER,
      place,
      person: principal,
      atMs,
      role: "guest",
      assurance: "anonymous",
      trigger: { id, deliveryId: `d-${number}`, text, displayName: `Person ${person}`, atMs },
    },
  };
}

/** The decision that lets message `number` in. */
export function decisionRow(options: { number: number; person?: number; atMs?: number; place?: Place }): DecisionRow {
  const { number, person = 0, atMs = STORE_TIME_MS, place = publicPlace(ROOM) } = options;
  return {
    id: messageIdOf(number),
    atMs,
    surface: ROOM,
    place: place.id,
    person: personOf(person),
    character: CHARACTER,
    outcome: "admitted",
    reason: null,
    gate: "addressed",
    rule: "direct",
    key: "surfaces.parlour.admission",
    class: "talk",
  };
}

/** The decision that keeps message `number` out. */
export function suppressedRow(options: { number: number; person?: number; atMs?: number }): DecisionRow {
  return { ...decisionRow(options), outcome: "suppressed", reason: "ambient", class: null, character: null };
}

/** The start of a message's turn. */
export function startRow(row: HeardRow, attempt: number = 1): StartRow {
  return {
    turn: turnIdOf(numberOf(row), attempt),
    inbox: row.inbox.id,
    absorbed: [],
    maxAttempts: 2,
    atMs: row.inbox.atMs + 10,
    charges: [{ scope: `calls:person:${row.inbox.person}`, windowStartMs: STORE_TIME_MS, amount: 1 }],
  };
}

/** A record of a voice. */
export const RECORD: VoiceRecord = {
  voice: "responder",
  by: "understudy",
  packet: {
    id: "0123456789ab",
    bytes: 900,
    segments: [{ kind: "card", count: 1, bytes: 400 }],
    withheld: [{ class: "other_direct_line", count: 1 }],
  },
  usage: { promptTokens: 200, completionTokens: 20, costMicros: null },
  firstTokenMs: 5,
  candidates: 0,
};

/** The answer of a message's turn, in `count` parts. */
export function answerRow(row: HeardRow, count: number = 1, attempt: number = 1): AnswerRow {
  const turn = turnIdOf(numberOf(row), attempt);
  const atMs = row.inbox.atMs + 20;
  const part = (index: number): Part => ({
    id: partIdOf(turn, index),
    turn,
    character: CHARACTER,
    place: row.inbox.place,
    answers: { message: row.inbox.trigger.id, deliveryId: row.inbox.trigger.deliveryId },
    generation: 1,
    index,
    count,
    body: `part ${index} of ${row.inbox.id}`,
    action: "",
    createdAtMs: atMs,
  });
  return {
    turn,
    inbox: row.inbox.id,
    end: "answered",
    reason: "",
    atMs,
    event: {
      ...withoutDelivery(row),
      id: parseMessageId(`m-${turn.slice(2)}r`),
      atMs,
      author: { kind: "character", character: CHARACTER },
      text: `answer to ${row.inbox.id}`,
      state: "pending",
      turn,
    },
    parts: Array.from({ length: count }, (_, index) => part(index)),
    record: RECORD,
    gate: [{ code: "secret_redacted", count: 1 }],
  };
}

/** The settling of part `index` of `count`, with the next on its way. */
export function settleRow(row: HeardRow, index: number = 0, count: number = 1): SettleRow {
  const turn = turnIdOf(numberOf(row));
  return {
    part: partIdOf(turn, index),
    state: "delivered",
    reason: "",
    platformId: `p-${index}`,
    atMs: row.inbox.atMs + 30,
    next: index + 1 < count ? partIdOf(turn, index + 1) : null,
    rest: null,
  };
}

const numberOf = (row: HeardRow): number => Number.parseInt(row.inbox.id.slice(2), 32);

function withoutDelivery(row: HeardRow): Omit<HeardRow["event"], "delivery"> {
  const { delivery: _, ...rest } = row.event;
  return rest;
}
