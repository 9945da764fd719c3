import { parseApprovalId, parseCharacterId, parseGrantId, parseMessageId, parseSessionId, parseTurnId } from "../../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { AskRecord, CallDecision, CallReader, DecisionWish, Endorsement, Grant, KeptAnswer } from "../../call-store.ts";
import { settledCards } from "../verbs/card-verbs.ts";
import type { Row } from "./columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn, wordIn } from "./columns.ts";
import { placeIdOf } from "./place-codec.ts";
import type { Statements } from "./statements.ts";

const ASKS = `select approval.*, place.id as place from approval left join inbox on inbox.n = approval.inbox left join place on place.n = inbox.place`;
const PENDING = `${ASKS} where approval.state = 'pending' and approval.expires_at_ms > :nowMs`;
const STANDING = "expires_at_ms > :nowMs and uses_left > 0 and revoked_at_ms is null";

/** Reads of calls over a connection; `readable` leaves out what is damaged. */
export function createCallReader(sql: () => Statements, readable: <T>(read: (row: Row) => T) => (row: Row) => readonly T[]): CallReader {
  const one = <T>(read: (row: Row) => T, row: Row | null): T | null => (row === null ? null : (readable(read)(row)[0] ?? null));
  return {
    pending(nowMs, person) {
      const order = "order by approval.created_at_ms, approval.id limit 256";
      const rows =
        person === undefined
          ? sql().all(`${PENDING} ${order}`, { nowMs })
          : sql().all(`${PENDING} and approval.person = :person ${order}`, { nowMs, person });
      return rows.flatMap(readable(readAsk));
    },
    asked: (nowMs) =>
      sql()
        .all(
          `select distinct approval.person as person from approval join inbox on inbox.n = approval.inbox
           where approval.state = 'pending' and approval.expires_at_ms > :nowMs and inbox.state = 'suspended' and inbox.role = 'operator'`,
          { nowMs },
        )
        .flatMap(readable((row) => parsePrincipalId(textIn(row, "person")))),
    proposals(client, nowMs) {
      const counted = sql().get(
        "select count(*) as count from approval where state = 'pending' and inbox is null and state_json = :client and expires_at_ms > :nowMs",
        { client, nowMs },
      );
      return counted === null ? 0 : numberIn(counted, "count");
    },
    ask: (id) => one(readAsk, sql().get(`${ASKS} where approval.id = :id`, { id })),
    askOfTurn: (turn) =>
      one(
        readAsk,
        sql().get(`${ASKS} where approval.turn = :turn and approval.inbox = (select inbox from turn where id = :turn)`, { turn }),
      ),
    settledCards: (surfaces, sinceMs) => settledCards(sql(), surfaces, sinceMs),
    askNumbered: (number) => one(readAsk, sql().get(`${ASKS} where approval.number = :number and approval.number > 0`, { number })),
    keptAnswers(nowMs, digest) {
      const order = "order by at_ms desc, id limit 4096";
      const rows =
        digest === undefined
          ? sql().all(`select * from kept_answer where ${STANDING} ${order}`, { nowMs })
          : sql().all(`select * from kept_answer where digest = :digest and ${STANDING} ${order}`, { nowMs, digest });
      return rows.flatMap(readable(readKept));
    },
    grant: (id, nowMs) => one(readGrant, sql().get(`select * from call_grant where id = :id and ${STANDING}`, { id, nowMs })),
    endorsed: (sha256) => sql().get("select 1 as found from endorsed where sha256 = :digest", { digest: sha256 }) !== null,
    endorsements: () => readEndorsements(sql()),
    grants: (nowMs) =>
      sql().all(`select * from call_grant where ${STANDING} order by at_ms desc, id limit 1024`, { nowMs }).flatMap(readable(readGrant)),
    decisions: (limit, wish = {}) => decisionRows(sql(), limit, wish).flatMap(readable(readDecision)),
  };
}

function readEndorsements(sql: Statements): readonly Endorsement[] {
  return sql
    .all("select * from endorsed order by at_ms desc, sha256")
    .map((row) => ({ sha256: textIn(row, "sha256"), name: textIn(row, "name"), atMs: numberIn(row, "at_ms") }));
}

/** Decisions as they are stored, newest first: only columns are named by the statement, all values are bound. */
function decisionRows(sql: Statements, limit: number, wish: DecisionWish): readonly Row[] {
  const { before, tool, verdict, person, character, session, root, foreign } = wish;
  const named = { tool, verdict, person, character, session, root, shaped: foreign === undefined ? undefined : Number(foreign) };
  const asked = Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
  const where = [...(before === undefined ? [] : ["n < :before"]), ...asked.map(([name]) => `${name} = :${name}`)].join(" and ");
  return sql.all(`select * from call_decision ${where === "" ? "" : `where ${where}`} order by n desc limit :limit`, {
    limit,
    ...(before === undefined ? {} : { before }),
    ...Object.fromEntries(asked),
  });
}

function readAsk(row: Row): AskRecord {
  const place = optionalTextIn(row, "place");
  return {
    approval: parseApprovalId(textIn(row, "id")),
    number: numberIn(row, "number"),
    digest: textIn(row, "digest"),
    call: textIn(row, "call"),
    person: parsePrincipalId(textIn(row, "person")),
    place: place === null ? null : placeIdOf(place),
    state: wordIn(row, "state", ["pending", "answered", "cancelled", "expired"]),
    askedAtMs: numberIn(row, "created_at_ms"),
    expiresAtMs: numberIn(row, "expires_at_ms"),
    shownAtMs: optionalNumberIn(row, "shown_at_ms"),
    usedAtMs: optionalNumberIn(row, "used_at_ms"),
    answer: optionalTextIn(row, "answer"),
  };
}

function readKept(row: Row): KeptAnswer {
  return {
    approval: parseApprovalId(textIn(row, "id")),
    number: numberIn(row, "number"),
    scope: wordIn(row, "scope", ["session", "always"]),
    session: parseSessionId(textIn(row, "session")),
    character: parseCharacterId(textIn(row, "character")),
    person: parsePrincipalId(textIn(row, "person")),
    tool: textIn(row, "tool"),
    digest: textIn(row, "digest"),
    influence: textIn(row, "influence"),
    atMs: numberIn(row, "at_ms"),
    expiresAtMs: numberIn(row, "expires_at_ms"),
    usesLeft: numberIn(row, "uses_left"),
  };
}

function readGrant(row: Row): Grant {
  return {
    grant: parseGrantId(textIn(row, "id")),
    by: parsePrincipalId(textIn(row, "by_person")),
    character: parseCharacterId(textIn(row, "character")),
    tool: textIn(row, "tool"),
    digest: optionalTextIn(row, "digest"),
    atMs: numberIn(row, "at_ms"),
    expiresAtMs: numberIn(row, "expires_at_ms"),
    usesLeft: numberIn(row, "uses_left"),
  };
}

function readDecision(row: Row): CallDecision {
  return {
    number: numberIn(row, "n"),
    session: parseSessionId(textIn(row, "session")),
    call: textIn(row, "call"),
    phase: wordIn(row, "phase", ["judged", "answered"]),
    atMs: numberIn(row, "at_ms"),
    turn: parseTurnId(textIn(row, "turn")),
    root: parseMessageId(textIn(row, "root")),
    person: parsePrincipalId(textIn(row, "person")),
    character: parseCharacterId(textIn(row, "character")),
    tool: textIn(row, "tool"),
    digest: textIn(row, "digest"),
    verdict: wordIn(row, "verdict", ["allow", "ask", "deny"]),
    code: textIn(row, "code"),
    rule: textIn(row, "rule"),
    foreign: numberIn(row, "shaped") === 1,
    bits: numberIn(row, "bits"),
  };
}
