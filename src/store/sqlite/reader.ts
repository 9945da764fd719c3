import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { ApprovalId, CharacterId, MessageId, SurfaceName, TurnId } from "../../vocabulary/ids.ts";
import { parseMessageId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { Pause } from "../../vocabulary/pause.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { SpendKey, SpendSum } from "../../vocabulary/spending.ts";
import type { WaitingQuestion } from "../questions.ts";
import type { Explanation, InboxRow, StoreReader } from "../store.ts";
import type { InviteRecord, MemberRow } from "../guest-store.ts";
import type { ConversationReader } from "../conversation-store.ts";
import { createConversationReader } from "./verbs/conversation-calls.ts";
import type { CallReader } from "../call-store.ts";
import { createCallReader } from "./rows/call-rows.ts";
import type { Row } from "./rows/columns.ts";
import { numberIn, optionalNumberIn, optionalTextIn, textIn } from "./rows/columns.ts";
import { EVENTS, readEvent } from "./rows/event-rows.ts";
import { explain } from "./rows/explain.ts";
import { isScrubDue } from "./file/epoch.ts";
import { readHalted } from "./verbs/halt-verbs.ts";
import type { OpenRows } from "./rows/inbox-rows.ts";
import { INBOXES, readInbox, readOpenRows } from "./rows/inbox-rows.ts";
import { readInvite } from "./verbs/invite-verbs.ts";
import { OF_LINE } from "./rows/label-codec.ts";
import { DELIVERED } from "./verbs/message-verbs.ts";
import { NUMBER_OF } from "./rows/numbers.ts";
import { readAudit, readPause, timesOf } from "./rows/operator-rows.ts";
import { EVERY_TRUST, MAX_PEOPLE, TRUSTED, directLineRows, peopleRows, readTrusted } from "./rows/people-rows.ts";
import { lineOf } from "./rows/place-codec.ts";
import type { PseudonymOf } from "./rows/pseudonym.ts";
import { OPEN_QUESTIONS, readQuestion } from "./rows/question-rows.ts";
import { ALL_SCOPES } from "./file/restored.ts";
import { readRecord } from "./rows/record-codec.ts";
import type { Params } from "./rows/statements.ts";
import { firstSpendDay, spendSums, spendersOn, spentOn } from "./rows/spend-rows.ts";
import { Statements } from "./rows/statements.ts";
import { tallyOf } from "./rows/tally.ts";
import { isTold, readDelivery } from "./rows/told-rows.ts";
import type { SessionReads } from "../session-store.ts";
import { readable } from "./rows/readable.ts";
import type { ScheduleReads } from "../schedule-store.ts";
import { createScheduleReads } from "./verbs/schedule-verbs.ts";
import { createSessionReads } from "./session-reader.ts";
import { readTurnRow, turnRows } from "./rows/turn-rows.ts";

/** People whose standing is held in memory. */
const MAX_TRUST = 1_024;

interface Standing {
  readonly role: "trusted" | "guest" | "blocked";
  /** When it ends by itself. */
  readonly untilMs: number | null;
}

/** What is kept of somebody as a guest. */
interface GuestStanding {
  readonly invite: InviteRecord | null;
  readonly optedOut: boolean;
}

type Member = MemberRow & { readonly seenAtMs: number };

const BEFORE = `${EVENTS} where place.id = :place and event.seq < :before`;
const NEWEST = "order by event.seq desc limit :limit";
const EVENTS_BEFORE = `${BEFORE} ${NEWEST}`;
/** Of a public place: the index of what was heard there has no other lines in it. */
const HEARD_BEFORE = `${BEFORE} and witnesses <> '[]' and witnesses <> '${OF_LINE}' ${NEWEST}`;
const HEARD_BY_BEFORE = `${BEFORE} and witnesses <> '[]' and witnesses <> '${OF_LINE}' and instr(witnesses, :witness) > 0 ${NEWEST}`;
/** Of a direct line, where nearly all is heard. */
const HEARD_ON_LINE = `${BEFORE} and witnesses <> '[]' ${NEWEST}`;
const HEARD_BY_ON_LINE = `${BEFORE} and (witnesses = :ownLine or instr(witnesses, :witness) > 0) ${NEWEST}`;
const EVENTS_AFTER = `${EVENTS} where place.id = :place and event.seq > :after order by event.seq limit :limit`;
/** A block outlives the person's being forgotten, and may end by itself; trust of a restored copy counts once it was confirmed (SE-099). */
const TRUST = `select role, until_ms from trust where person in (:person, :pseudonym) and (role = 'blocked' or confirmed = 1)
  and (until_ms is null or until_ms > :nowMs) order by role = 'blocked' desc limit 1`;
const OPTED_OUT = "select 1 as found from opted_out where person in (:person, :pseudonym)";
const PAUSES = "select * from pause order by at_ms, character, place";
const AUDITS = "select * from audit order by n desc limit :limit";
const AUDITS_OF = "select * from audit where person in (:person, :pseudonym) order by n desc limit :limit";
const CHARGED = `select coalesce(sum(amount), 0) as sum from budget where scope in (:scope, :pseudonym, :all) and window_start_ms >= :sinceMs`;
/** Where a message's line is kept, only that has its id. */
const IDS = `select id from decision where id >= :from and id < :to union select id from event where id >= :from and id < :to
  union select id from inbox where id >= :from and id < :to order by id limit 2`;

/** Reads committed rows on a connection that cannot write. A row that cannot be read is left out, never guessed (TR-085). */
export class Reader implements StoreReader, Disposable {
  readonly conversations: ConversationReader;
  readonly calls: CallReader;
  readonly #db: DatabaseSync;
  readonly #statements: Statements;
  readonly #pseudonymOf: PseudonymOf;
  readonly #clock: Pick<Clock, "nowMs">;
  /** Asked for with every message; dropped with every change. */
  readonly #trust = new Map<PrincipalId, Standing>();
  readonly #guests = new Map<PrincipalId, GuestStanding>();
  #pauses: readonly Pause[] | null = null;
  /** Undefined where nobody has looked since it may have changed. */
  #halted: ReturnType<StoreReader["halted"]> | undefined;
  readonly sessions: SessionReads = createSessionReads(() => this.#sql);
  readonly schedules: ScheduleReads = createScheduleReads(() => this.#sql);

  constructor(db: DatabaseSync, pseudonymOf: PseudonymOf, clock: Pick<Clock, "nowMs">) {
    this.#db = db;
    this.#pseudonymOf = pseudonymOf;
    this.#clock = clock;
    this.#statements = new Statements(db);
    this.conversations = createConversationReader(() => this.#sql);
    this.calls = createCallReader(() => this.#sql, readable);
  }

  events(
    place: PlaceId,
    limit: number,
    beforeSeq: number = Number.MAX_SAFE_INTEGER,
    heard: boolean | CharacterId = false,
  ): readonly ChronicleEvent[] {
    const range = { place, limit, before: beforeSeq };
    const rows = heard === false ? this.#sql.all(EVENTS_BEFORE, range) : this.#heard(range, heard);
    return rows.flatMap(readable(readEvent)).toReversed();
  }

  eventsAfter(place: PlaceId, afterSeq: number, limit: number): readonly ChronicleEvent[] {
    return this.#sql.all(EVENTS_AFTER, { place, limit, after: afterSeq }).flatMap(readable(readEvent));
  }

  event(id: MessageId): ChronicleEvent | null {
    return this.#one(readEvent, `${EVENTS} where event.id = :id`, { id });
  }

  delivered(surface: SurfaceName, deliveryId: string): MessageId | null {
    return this.#one((row) => parseMessageId(textIn(row, "message")), DELIVERED, { surface, id: deliveryId });
  }

  explain(id: MessageId): Explanation | null {
    return explain(this.#sql, id);
  }

  spokenBy(turn: TurnId): string | null {
    const row = this.#sql.get("select record from turn where id = :turn", { turn });
    return row === null ? null : (readRecord(optionalTextIn(row, "record"))?.by ?? null);
  }

  told(person: PrincipalId, character: CharacterId): boolean {
    return isTold(this.#sql, person, character);
  }

  deliveryOf(turn: TurnId): ReturnType<StoreReader["deliveryOf"]> {
    return readDelivery(this.#sql, turn);
  }

  inbox(id: MessageId): InboxRow | null {
    return this.#one(readInbox, `${INBOXES} where n = (${NUMBER_OF}) and state <> 'ended'`, { id });
  }

  /** What a start runs again; asked for once, by the store itself. */
  openRows(): OpenRows {
    return readOpenRows(this.#sql);
  }

  recentDecisions(limit: number): readonly MessageId[] {
    return this.#sql.all("select id from decisions order by n desc limit :limit", { limit }).flatMap(readable(idIn));
  }

  idsStartingWith(prefix: string): readonly MessageId[] {
    // Ids are lower-case letters, digits and a dash: "~" comes after all of them.
    return this.#sql.all(IDS, { from: prefix, to: `${prefix}~` }).flatMap(readable(idIn));
  }

  member(id: PrincipalId): Member | null {
    return this.#one(readMember, "select * from principal where id = :id", { id });
  }

  memberBySecret(surface: SurfaceName, secretHash: string): Member | null {
    const sql = "select * from principal where surface = :surface and secret_hash = :secretHash";
    return this.#one(readMember, sql, { surface, secretHash });
  }

  inviteByCode(surface: SurfaceName, codeHash: string): InviteRecord | null {
    return this.#one(readInvite, "select * from invite where surface = :surface and code_hash = :codeHash", { surface, codeHash });
  }

  inviteOf(member: PrincipalId): InviteRecord | null {
    return this.#guest(member).invite;
  }

  invites(): readonly InviteRecord[] {
    return this.#sql.all("select * from invite order by at_ms desc, id limit 1024").flatMap(readable(readInvite));
  }

  optedOut(person: PrincipalId): boolean {
    return this.#guest(person).optedOut;
  }

  #guest(person: PrincipalId): GuestStanding {
    const known = this.#guests.get(person);
    if (known !== undefined) return known;
    const standing: GuestStanding = {
      invite: this.#one(readInvite, "select * from invite where member = :person", { person }),
      optedOut: this.#sql.get(OPTED_OUT, { person, pseudonym: this.#pseudonymOf(person) }) !== null,
    };
    if (this.#guests.size >= MAX_TRUST) this.#guests.clear();
    this.#guests.set(person, standing);
    return standing;
  }

  trust(person: PrincipalId): "trusted" | "guest" | "blocked" {
    const sql = this.#sql;
    const nowMs = this.#clock.nowMs();
    const known = this.#trust.get(person);
    if (known !== undefined && (known.untilMs === null || nowMs < known.untilMs)) return known.role;
    const row = sql.get(TRUST, { person, pseudonym: this.#pseudonymOf(person), nowMs });
    const role = row?.["role"];
    const standing: Standing = {
      role: role === "trusted" || role === "blocked" ? role : "guest",
      untilMs: row === null ? null : optionalNumberIn(row, "until_ms"),
    };
    if (this.#trust.size >= MAX_TRUST) this.#trust.clear();
    this.#trust.set(person, standing);
    return standing.role;
  }

  /** Trust, invites, wishes not to be heard, pauses or the switch have changed, or who is meant by them. */
  dropStandings(): void {
    this.#trust.clear();
    this.#guests.clear();
    this.#pauses = null;
    this.#halted = undefined;
  }

  pauses(): readonly Pause[] {
    this.#pauses ??= this.#sql.all(PAUSES).flatMap(readable(readPause));
    const nowMs = this.#clock.nowMs();
    return this.#pauses.filter(({ untilMs }) => untilMs === null || untilMs > nowMs);
  }

  halted(): ReturnType<StoreReader["halted"]> {
    if (this.#halted === undefined) this.#halted = readHalted(this.#sql);
    return this.#halted;
  }

  audits(limit: number, person?: PrincipalId): readonly AuditEntry[] {
    const rows =
      person === undefined
        ? this.#sql.all(AUDITS, { limit })
        : this.#sql.all(AUDITS_OF, { limit, person, pseudonym: this.#pseudonymOf(person) });
    return rows.flatMap(readable(readAudit));
  }

  auditedTimes(person: PrincipalId, act: AuditEntry["act"]): ReturnType<StoreReader["auditedTimes"]> {
    return timesOf(this.#sql, person, act);
  }

  tally(sinceMs: number): ReturnType<StoreReader["tally"]> {
    return tallyOf(this.#sql, sinceMs);
  }

  people(sinceMs: number, todayMs: number): ReturnType<StoreReader["people"]> {
    return peopleRows(this.#sql, { sinceMs, todayMs, nowMs: this.#clock.nowMs() }, readable);
  }

  trusted(): readonly PrincipalId[] {
    return this.#sql.all(TRUSTED, { limit: MAX_PEOPLE }).flatMap(readable(readTrusted));
  }

  /** Rows of the trust list that cannot be read: they trust nobody, and somebody has to hear of it (VS-043). */
  damagedTrust(): number {
    return this.#sql.all(EVERY_TRUST).filter((row) => readable(readTrusted)(row).length === 0).length;
  }

  directLines(person: PrincipalId): ReturnType<StoreReader["directLines"]> {
    return directLineRows(this.#sql, person);
  }

  turns(limit: number, before?: TurnId): ReturnType<StoreReader["turns"]> {
    return turnRows(this.#sql, limit, before ?? null).flatMap(readable(readTurnRow));
  }

  surfaceState(surface: SurfaceName): string | null {
    return this.#one((row) => textIn(row, "state"), "select state from surface_state where surface = :surface", { surface });
  }

  setting(key: string): string | null {
    return this.#one((row) => textIn(row, "value"), "select value from setting where key = :key", { key });
  }

  charged(scope: string, sinceMs: number): number {
    const row = this.#sql.get(CHARGED, { scope, pseudonym: this.#scopeOfForgotten(scope), all: ALL_SCOPES, sinceMs });
    return row === null ? 0 : numberIn(row, "sum");
  }

  spent(dayMs: number, surface: SurfaceName | null): number {
    return spentOn(this.#sql, dayMs, surface);
  }

  spenders(dayMs: number, surface: SurfaceName | null): ReturnType<StoreReader["spenders"]> {
    return spendersOn(this.#sql, dayMs, surface);
  }

  spending(by: SpendKey, sinceDayMs: number, todayMs: number): readonly SpendSum[] {
    return spendSums(this.#sql, by, { sinceDayMs, todayMs });
  }

  firstSpendDay(): number | null {
    return firstSpendDay(this.#sql);
  }

  /** Whether erased bytes may still stand in the files. */
  get scrubDue(): boolean {
    return isScrubDue(this.#sql);
  }

  pendingApproval(id: ApprovalId): ReturnType<StoreReader["pendingApproval"]> {
    return this.#one(readApproval, "select * from approval where id = :id and state = 'pending'", { id });
  }

  openQuestions(person: PrincipalId, place: PlaceId): readonly WaitingQuestion[] {
    return this.#sql.all(OPEN_QUESTIONS, { person, place, nowMs: this.#clock.nowMs() }).flatMap(readable(readQuestion));
  }

  counts(): ReturnType<StoreReader["counts"]> {
    return {
      inbox: this.#countsOf("select state, count(*) as count from inbox where state <> 'ended' group by state", [
        "open",
        "running",
        "suspended",
      ]),
      parts: this.#countsOf("select state, count(*) as count from part where state in ('queued', 'sending') group by state", [
        "queued",
        "sending",
      ]),
    };
  }

  [Symbol.dispose](): void {
    if (this.#db.isOpen) this.#db.close();
  }

  #heard(range: { readonly place: PlaceId; readonly limit: number; readonly before: number }, heard: true | CharacterId): readonly Row[] {
    const line = lineOf(range.place);
    if (heard === true) return this.#sql.all(line === null ? HEARD_BEFORE : HEARD_ON_LINE, range);
    const by = { ...range, witness: JSON.stringify(heard) };
    if (line === null) return this.#sql.all(HEARD_BY_BEFORE, by);
    return this.#sql.all(HEARD_BY_ON_LINE, { ...by, ownLine: line.character === heard ? OF_LINE : null });
  }

  get #sql(): Statements {
    if (!this.#db.isOpen) throw new RuntimeError("closed", "Cannot read: the store is closed");
    return this.#statements;
  }

  /** The same counter as it stands under the pseudonym of a person who was forgotten. */
  #scopeOfForgotten(scope: string): string {
    const mark = ":person:";
    const at = scope.indexOf(mark);
    if (at < 0) return scope;
    const person = readable((row: Row) => parsePrincipalId(textIn(row, "id")))({ id: scope.slice(at + mark.length) })[0];
    return person === undefined ? scope : `${scope.slice(0, at)}${mark}${this.#pseudonymOf(person)}`;
  }

  #one<T>(read: (row: Row) => T, sql: string, params: Params): T | null {
    const row = this.#sql.get(sql, params);
    return row === null ? null : (readable(read)(row)[0] ?? null);
  }

  #countsOf(sql: string, states: readonly string[]): Readonly<Record<string, number>> {
    const counted = new Map(this.#sql.all(sql).map((row) => [textIn(row, "state"), numberIn(row, "count")]));
    return Object.fromEntries(states.map((state) => [state, counted.get(state) ?? 0]));
  }
}

function idIn(row: Row): MessageId {
  return parseMessageId(textIn(row, "id"));
}

function readMember(row: Row): Member {
  return {
    id: parsePrincipalId(textIn(row, "id")),
    surface: parseSurfaceName(textIn(row, "surface")),
    name: textIn(row, "name"),
    foldedName: textIn(row, "folded_name"),
    secretHash: optionalTextIn(row, "secret_hash"),
    atMs: numberIn(row, "at_ms"),
    seenAtMs: numberIn(row, "seen_at_ms"),
  };
}

function readApproval(row: Row): NonNullable<ReturnType<StoreReader["pendingApproval"]>> {
  return {
    digest: textIn(row, "digest"),
    person: parsePrincipalId(textIn(row, "person")),
    call: textIn(row, "call"),
    expiresAtMs: numberIn(row, "expires_at_ms"),
  };
}
