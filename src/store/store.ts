import type { AuditEntry } from "../vocabulary/audit.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { ApprovalId, CharacterId, MessageId, PartId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import type { GuestReads, GuestVerbs } from "./guest-store.ts";
import type { SuppressReason } from "../vocabulary/inbound.ts";
import type { Place, PlaceId } from "../vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../vocabulary/principal.ts";
import type { Part, PartState } from "../vocabulary/part.ts";
import type { PacketRecord, Question, VoiceRecord } from "../vocabulary/reply.ts";
import type { InboxEnd, InboxKind, MessageClass, Trigger } from "../vocabulary/turn.ts";
import type { ConversationReader, ConversationVerbs } from "./conversation-store.ts";
import type { CallReader, CallVerbs } from "./call-store.ts";
import type { OperatorReader, OperatorVerbs } from "./operator-store.ts";
import type { ScheduleReads, ScheduleVerbs } from "./schedule-store.ts";
import type { SessionReads, SessionVerbs } from "./session-store.ts";
import type { SpendReader, SpendVerbs } from "./spend-store.ts";
import type { ForgetCounts, ForgetRow, Forgotten } from "./forgotten.ts";
import type { QuestionReader } from "./questions.ts";
import type { SurfaceReads, SurfaceVerbs } from "./surface-store.ts";

/**
 * The durable truth as verbs that take data (DESIGN, "Store"). Each verb is one commit with its guard in WHERE; many callers'
 * verbs may share a commit. There is no transaction callback, no read-then-write and no global cursor.
 *
 * V1  Verbs take effect in the order they were called: a promise that resolves means that everything called before it on the
 *     same store is durable too.
 * V2  A verb either took effect whole or not at all.
 * V3  A verb that finds its guard false changes nothing and says so in its result; it never throws for that.
 * V4  A verb that cannot be written rejects with `disk_full`, `state_unwritable`, `state_corrupt`, or `state_busy` when another
 *     process took the folder over, and so do all behind it: the store is then at its end, and only a new opening writes again.
 */
export interface Store extends AsyncDisposable, OperatorVerbs, GuestVerbs, SpendVerbs, SurfaceVerbs {
  /** What is done to conversations as a whole. */
  readonly conversations: ConversationVerbs;
  /** What is decided about calls of tools. */
  readonly calls: CallVerbs;
  /** Reads of committed rows, synchronous, on a connection that cannot write. */
  readonly read: StoreReader;
  /** What agents keep of their direct lines. */
  readonly sessions: SessionVerbs;
  readonly schedules: ScheduleVerbs;
  /** Rises by one at each start: fences whatever an earlier process left (MC-099). */
  readonly generation: number;
  /** Rises whenever rows were erased: whoever holds copies of any reads them anew (TR-043). */
  readonly erasures: number;
  /** Aborts with the failure once nothing can be written any more (V4): whoever owns the process ends it then (TR-085). */
  readonly failed: AbortSignal;

  /** Keep a message: its event, its decision and, when it was admitted, its inbox row. Refused when its delivery is known. */
  hear(row: HearRow): Promise<HearResult>;
  /**
   * Note that a turn began: inbox row `open` → `running`, one attempt more, at most {@link StartRow.maxAttempts}; budgets reserved.
   * The absorbed rows that are open begin with it, in the same commit; from then on the rows of a turn end, wait and are resumed
   * together, whichever of them is named (TR-050).
   */
  start(row: StartRow): Promise<StartResult>;
  /**
   * Keep a turn's whole result: inbox row → its end (`answered`; `refused` or `failed` when the words are a fixed notice), the
   * character's line `pending`, all parts (the first `sending`), the record.
   */
  answer(row: AnswerRow): Promise<{ readonly stored: boolean; readonly seq: number }>;
  /** End an inbox row that gets no reply. Nothing happens to a row that has ended. */
  close(row: CloseRow): Promise<{ readonly closed: boolean }>;
  /**
   * Settle a part and, if given, mark the turn's next part `sending` in the same commit. Once no part of the turn is open the
   * line becomes `said` (some part arrived or may have) or `unsaid`, and the bodies go.
   */
  settle(row: SettleRow): Promise<SettleResult>;
  /** Mark a `queued` part `sending`, just before it is sent. */
  claim(part: PartId, atMs: number): Promise<{ readonly claimed: boolean }>;
  /** Put a turn aside for a person's answer: inbox row → `suspended`, approval row `pending`. */
  suspend(row: SuspendRow): Promise<{ readonly suspended: boolean; readonly seq: number }>;
  /** Take a person's answer and put the turn back as an inbox row `resume`, iff approval id, digest and person all match a pending one that has not expired. */
  resume(row: ResumeRow): Promise<{ readonly resumed: boolean }>;
  /** End suspended rows whose question has run out as `expired`. Gives the messages that ended, with the words they held. */
  lapse(nowMs: number): Promise<{ readonly lapsed: readonly InboxRow[] }>;
  /** After a start: put every interrupted row into the state from which it can go on, and list what is open (TR-042, TR-044). */
  recover(row: RecoverRow): Promise<Recovery>;

  /** Note that a message was suppressed without an event (nothing of its text is kept). */
  note(decision: DecisionRow): Promise<void>;
  /** Put a person on the trust list or block them; `guest` takes them off. */
  setTrust(row: TrustRow): Promise<void>;
  /** Keep a small setting (at most 4 KiB), with its line of the audit where an operator's act sets it. */
  setSetting(key: string, value: string, act?: AuditEntry): Promise<void>;
  /**
   * Drop decisions, settled turns, ended inbox rows, events and members older than the given moments. One call drops a few hundred
   * rows at most, so that no other verb waits long: call again while `dropped` is over 0.
   */
  retain(cut: RetentionRow): Promise<{ readonly dropped: number }>;
  /**
   * Erase a person's words and name from every row and every byte of the state folder: own lines, what characters said that those
   * words shaped, waiting messages, membership. Decisions, budgets and blocks go on under a keyed hash of the id (TR-043). Works in
   * many small commits; a crash in between is finished by the next start. Answers whose turn began before the end are never kept.
   */
  forget(row: ForgetRow): Promise<Forgotten>;
  /** Count what {@link Store.forget} would erase; changes nothing. */
  keptOf(person: PrincipalId): Promise<ForgetCounts>;
  /** What was taken from the database because it was opened as a restored one; null when it simply goes on (SE-099). */
  readonly restored: Restored | null;
}

/** What a restored database had, and has no more (SE-099). */
export interface Restored {
  /** Questions that are void. */
  readonly approvals: number;
  /** Parts that may have been sent: `unknown`, never sent. */
  readonly parts: number;
  /** Messages that may have been answered: `interrupted`, never run. */
  readonly messages: number;
  /** People whose trust waits to be confirmed. */
  readonly trusted: number;
}

/** Where an admitted message waits: one lane. */
export interface LaneFacts {
  readonly character: CharacterId;
  readonly place: Place;
  readonly person: PrincipalId;
}

/** An admitted message, or whatever else makes a turn run. */
export interface InboxRow extends LaneFacts {
  readonly id: MessageId;
  readonly kind: InboxKind;
  readonly class: MessageClass;
  /** Where the line was said, when its answer goes elsewhere: then `place` is where the answer goes, and nothing else is known of that (VS-017). */
  readonly heardIn?: Place;
  readonly atMs: number;
  readonly role: Role;
  readonly assurance: Assurance;
  readonly trigger: Trigger;
  /** Only on `resume` rows: what the suspended run left, and the answer. */
  readonly resumed?: { readonly state: string; readonly answer: string };
}

/** Everything that {@link Store.hear} keeps of one message. */
export interface HearRow {
  readonly event: ChronicleEvent;
  readonly decision: DecisionRow;
  /** Null when the message was suppressed but its line stands in the place (a room's ambient talk). */
  readonly inbox: InboxRow | null;
}

/** `seq` is the event's order in its place. A duplicate names the first copy. */
export type HearResult = { readonly kind: "fresh"; readonly seq: number } | { readonly kind: "duplicate"; readonly id: MessageId };

/** Why a message got in or stayed out: ids, codes and counts only, never text (TR-003). */
export interface DecisionRow {
  readonly id: MessageId;
  readonly atMs: number;
  readonly surface: SurfaceName;
  readonly place: PlaceId;
  readonly person: PrincipalId;
  readonly character: CharacterId | null;
  readonly outcome: "admitted" | "suppressed";
  readonly reason: SuppressReason | null;
  /** Which gate, rule and configuration key said so. */
  readonly gate: string;
  readonly rule: string;
  readonly key: string;
  readonly class: MessageClass | null;
}

/** The beginning of a turn and what it reserves. */
export interface StartRow {
  readonly turn: TurnId;
  readonly inbox: MessageId;
  /** Rows whose lines are part of the same turn, in the order they were heard (TR-050). */
  readonly absorbed: readonly MessageId[];
  readonly maxAttempts: number;
  readonly atMs: number;
  /** Counters to raise with this start; a kill never gives them back. */
  readonly charges: readonly Charge[];
}

/** Whether the row was this turn's to run, and which of the absorbed ones are: one that is not open any more is left out. */
export interface StartResult {
  readonly started: boolean;
  readonly absorbed: readonly MessageId[];
}

/** One budget counter of one window. */
export interface Charge {
  /** For example `calls:person:room:m-1` or `calls:space:parlour`. */
  readonly scope: string;
  readonly windowStartMs: number;
  readonly amount: number;
}

/** A turn's whole result. */
export interface AnswerRow {
  readonly turn: TurnId;
  readonly inbox: MessageId;
  /** `answered`, or what the row ends as when its words are a fixed notice (TR-059, MC-060). */
  readonly end: "answered" | "refused" | "failed" | "interrupted";
  /** Why, as a code; "" when answered. */
  readonly reason: string;
  readonly atMs: number;
  readonly event: ChronicleEvent;
  /** At least one; index 0 is stored `sending`, the rest `queued`. */
  readonly parts: readonly Part[];
  /** Null when a fixed notice is all there is. */
  readonly record: VoiceRecord | null;
  /** What the gate changed: codes and counts. */
  readonly gate: readonly { readonly code: string; readonly count: number }[];
  /** Whom the first part tells the disclosure to (TR-091); taken back when that part surely does not arrive. */
  readonly tells?: PrincipalId | null;
}

/** How an inbox row ended without a reply. */
export interface CloseRow {
  readonly inbox: MessageId;
  readonly turn: TurnId | null;
  readonly end: Exclude<InboxEnd, "answered">;
  readonly reason: string;
  readonly atMs: number;
  readonly record: VoiceRecord | null;
}

/** What became of one part, and which is next. */
export interface SettleRow {
  readonly part: PartId;
  readonly state: Exclude<PartState, "queued" | "sending">;
  readonly reason: string;
  readonly platformId: string | null;
  readonly atMs: number;
  /** The same turn's next part, to become `sending`; null when this was the last or the rest is given up. */
  readonly next: PartId | null;
  /** State for all later parts of the turn when the rest is given up; null otherwise. */
  readonly rest: "expired" | "cancelled" | null;
}

/** A turn that waits for a person. */
export interface SuspendRow {
  readonly turn: TurnId;
  readonly inbox: MessageId;
  readonly approval: ApprovalId;
  readonly question: Question;
  /** Who may answer: the card's own principal (SE-084). */
  readonly person: PrincipalId;
  readonly atMs: number;
  /** The number that people type; a fresh one where it is left out. */
  readonly number?: number;
  /** What is kept of the code that alone allows it; absent where none does. */
  readonly code?: { readonly hash: string; readonly salt: string; readonly expiresAtMs: number; readonly tries: number };
  /** The question as it is said to its person: kept and sent as an answer's line is. */
  readonly card?: Pick<AnswerRow, "event" | "parts">;
  /** What its turn used so far; absent for nothing. */
  readonly record?: VoiceRecord | null;
}

/** A person's answer to a question of a suspended turn. */
export interface ResumeRow {
  readonly approval: ApprovalId;
  readonly digest: string;
  /** Whom it was asked of. */
  readonly person: PrincipalId;
  /** Who answers, where that is another account of theirs. */
  readonly by?: PrincipalId;
  readonly answer: string;
  /** What its person said to a denial: for the turn that goes on, and kept no longer than its row waits. */
  readonly reason?: string;
  /** Take the answer only when the whole of the question was shown (SE-084). */
  readonly mustBeShown?: boolean;
  readonly atMs: number;
  /** Id of the new inbox row. */
  readonly inbox: MessageId;
}

/** Bounds for what a start may still run or send. */
export interface RecoverRow {
  readonly nowMs: number;
  /** Rows older than this are closed as `expired`. */
  readonly maxInboxAgeMs: number;
  /** A turn's open parts are closed when one is older: `queued` ones become `expired`, one that was `sending` `unknown`. */
  readonly maxPartAgeMs: number;
  readonly maxAttempts: number;
}

/** What came of settling a part: whether it was open, and how the turn's line ended with it (null: it did not). */
export interface SettleResult {
  readonly settled: boolean;
  readonly line: "said" | "unsaid" | null;
}

/** What a start finds. Parts first: they are settled and sent before lanes run (feasibility rule 10). */
export interface Recovery {
  /** Parts whose send may have happened: read back or give up. In order of place, turn, index. */
  readonly sending: readonly Part[];
  /** Parts that wait behind them. Same order. */
  readonly queued: readonly Part[];
  /** Inbox rows to run, oldest first: never started, or interrupted once. */
  readonly open: readonly (InboxRow & { readonly attempts: number })[];
  /** Counts of what was closed just now, for the start's one line. */
  readonly expired: number;
  readonly interrupted: number;
}

/** A change of somebody's place on the trust list. A block may end by itself. */
export interface TrustRow {
  readonly person: PrincipalId;
  readonly role: "trusted" | "guest" | "blocked";
  readonly by: PrincipalId;
  readonly atMs: number;
  readonly untilMs?: number | null;
}

/** Moments before which rows are dropped, in milliseconds since 1970. */
export interface RetentionRow {
  readonly decisionsBeforeMs: number;
  /** A public place whose last exchange is older forgets what is older; ambient talk is no exchange (TR-043). */
  readonly publicBeforeMs: number;
  /** Lines older than this go wherever they stand, also in a public place that never rests. */
  readonly directBeforeMs: number;
  readonly deliveriesBeforeMs: number;
  readonly membersBeforeMs: number;
  readonly toldBeforeMs: number;
  readonly sessionsBeforeMs: number;
}

/** What `why` can tell of one message. */
export interface Explanation {
  readonly decision: DecisionRow;
  /** How many messages of the sender this row stands for: suppressed ones beyond ten a minute share a row. */
  readonly count: number;
  readonly end: InboxEnd | null;
  readonly endReason: string | null;
  /** When its row ended; null while it has not. */
  readonly endedAtMs: number | null;
  readonly inboxState: "open" | "running" | "suspended" | "ended" | null;
  readonly attempts: number;
  readonly turn: {
    readonly id: TurnId;
    readonly startedAtMs: number;
    readonly endedAtMs: number | null;
    readonly record: VoiceRecord | null;
    readonly packet: PacketRecord | null;
    readonly gate: readonly { readonly code: string; readonly count: number }[];
  } | null;
  readonly parts: readonly {
    readonly id: PartId;
    readonly state: PartState;
    readonly reason: string;
    readonly settledAtMs: number | null;
  }[];
}

/** Committed rows, read at once; nothing here writes or waits. */
export interface StoreReader extends OperatorReader, GuestReads, SpendReader, SurfaceReads, QuestionReader {
  readonly conversations: ConversationReader;
  readonly calls: CallReader;
  /**
   * The last `limit` committed events of a place with `seq` below `beforeSeq`, oldest first. All states; with `heard` only those
   * that some character perceived, or that one did, so that a place full of other talk costs a packet nothing.
   */
  events(place: PlaceId, limit: number, beforeSeq?: number, heard?: boolean | CharacterId): readonly ChronicleEvent[];
  /** Events of a place with `seq` above `afterSeq`, oldest first, at most `limit`. */
  eventsAfter(place: PlaceId, afterSeq: number, limit: number): readonly ChronicleEvent[];
  event(id: MessageId): ChronicleEvent | null;
  /** The event of a delivery, if it was heard before. */
  delivered(surface: SurfaceName, deliveryId: string): MessageId | null;
  explain(id: MessageId): Explanation | null;
  /** Who spoke in a turn, as its record says (`host/model`, `understudy`, an operation's name); null when that is not kept. */
  spokenBy(turn: TurnId): string | null;
  /** Whether a character's disclosure has reached this person (TR-091). */
  told(person: PrincipalId, character: CharacterId): boolean;
  /** What a turn's reply was for and what became of its parts, in order; null when the turn is not kept (MC-064). */
  deliveryOf(turn: TurnId): { readonly inbox: MessageId; readonly person: PrincipalId; readonly parts: readonly PartState[] } | null;
  /** An inbox row that has not ended. */
  inbox(id: MessageId): InboxRow | null;
  /** Ids of the newest decisions, newest first. */
  recentDecisions(limit: number): readonly MessageId[];
  /** Messages whose id starts with `prefix`, at most two: enough to tell "none", "one", "not unique". */
  idsStartingWith(prefix: string): readonly MessageId[];
  trust(person: PrincipalId): "trusted" | "guest" | "blocked";
  readonly sessions: SessionReads;
  readonly schedules: ScheduleReads;
  setting(key: string): string | null;
  /** The sum charged to a scope since a moment. */
  charged(scope: string, sinceMs: number): number;
  pendingApproval(
    id: ApprovalId,
  ): { readonly digest: string; readonly person: PrincipalId; readonly call: string; readonly expiresAtMs: number } | null;
  /** Open work, for health: counts by state. */
  counts(): { readonly inbox: Readonly<Record<string, number>>; readonly parts: Readonly<Record<string, number>> };
}
