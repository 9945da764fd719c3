import type { AuditEntry } from "../vocabulary/audit.ts";
import type { ApprovalId, CharacterId, GrantId, MessageId, PartId, SessionId, SurfaceName, TurnId } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { SettledCard } from "../vocabulary/calls/settled-card.ts";
import type { InboxRow } from "./store.ts";
import type { AskScope } from "../vocabulary/calls/tool-definition.ts";

/** An amount of a budget that must not pass its limit. */
export interface LimitedCharge {
  readonly scope: string;
  readonly windowStartMs: number;
  readonly amount: number;
  readonly limit: number;
}

/** One call as the authority judged it, before the bounds that only the store can hold. */
export interface JudgedCall {
  /** Its id, unique within its session. */
  readonly call: string;
  readonly tool: string;
  readonly digest: string;
  readonly verdict: "allow" | "ask" | "deny";
  /** Why it is denied; "" otherwise. */
  readonly code: string;
  /** Which rule said so. */
  readonly rule: string;
  readonly charges: readonly LimitedCharge[];
  /** How much of others' words it can tell (SE-091); 0 for most. */
  readonly bits: number;
  /** A kept answer that makes this question needless: used once with it. */
  readonly keptAnswer: ApprovalId | null;
  /** The word of an operator that this scheduled call stands on: used once with it. */
  readonly grant: GrantId | null;
}

/** Calls of one answer of a model, with the bounds of questions (SE-084). */
export interface JudgeRow {
  readonly atMs: number;
  readonly turn: TurnId;
  readonly root: MessageId;
  readonly session: SessionId;
  readonly person: PrincipalId;
  readonly character: CharacterId;
  /** Whether somebody else's words shaped the turn. */
  readonly foreign: boolean;
  readonly calls: readonly JudgedCall[];
  readonly asksPerTurn: number;
  readonly foreignAsksPerHour: number;
  /** Bits of others' words that all calls of one turn may tell together. */
  readonly bitsPerTurn: number;
}

/** What a call came to once its bounds were looked at. */
export interface JudgedResult {
  readonly verdict: "allow" | "ask" | "deny";
  readonly code: string;
  readonly rule: string;
}

/** Names of the bounds in a {@link JudgeRow}. */
export type JudgeBounds = "asksPerTurn" | "foreignAsksPerHour" | "bitsPerTurn";

/** An answered question whose call is to run, or not. */
export interface UseRow extends Omit<JudgeRow, "calls" | JudgeBounds> {
  readonly approval: ApprovalId;
  readonly call: string;
  readonly tool: string;
  readonly digest: string;
  readonly verdict: "allow" | "deny";
  readonly code: string;
  /** What is kept of the answer beyond this call; null for nothing. */
  readonly keep: {
    readonly scope: Exclude<AskScope, "once">;
    readonly influence: string;
    readonly expiresAtMs: number;
    readonly uses: number;
  } | null;
}

/** An operator's word that a schedule may do something. */
export interface GrantRow {
  readonly grant: GrantId;
  readonly by: PrincipalId;
  readonly character: CharacterId;
  readonly tool: string;
  /** Exactly this call; null for any that needs no question. */
  readonly digest: string | null;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly uses: number;
}

/** A program's wish that waits for a person: a question beside all turns (SE-082). */
export interface ProposeRow {
  readonly approval: ApprovalId;
  readonly turn: TurnId;
  readonly client: PrincipalId;
  /** Who may answer. */
  readonly person: PrincipalId;
  readonly digest: string;
  readonly call: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
  /** How many of this client's may wait. */
  readonly most: number;
}

/** What an allow of a wish does, in the same commit. */
export type ProposalEffect =
  | {
      readonly kind: "trust";
      readonly row: { readonly person: PrincipalId; readonly role: "trusted" | "guest"; readonly by: PrincipalId; readonly atMs: number };
    }
  | { readonly kind: "setting"; readonly row: { readonly key: string; readonly value: string; readonly act: AuditEntry } }
  /** A row of the inbox that goes on from a trigger's, with the state that says the words. */
  | { readonly kind: "say"; readonly trigger: MessageId; readonly inbox: MessageId; readonly state: string };

/** A person's answer to a wish. */
export interface SettleProposalRow {
  readonly approval: ApprovalId;
  readonly digest: string;
  readonly person: PrincipalId;
  readonly answer: string;
  readonly atMs: number;
  /** Null for a denial. */
  readonly effect: ProposalEffect | null;
}

/** What tells the right code of a question. */
export interface TriedCode {
  readonly hash: string;
  readonly salt: string;
}

/** A text of others that an operator took as own words, by its bytes. */
export interface Endorsement {
  readonly sha256: string;
  /** What the file was called then; data. */
  readonly name: string;
  readonly atMs: number;
}

/** What is kept of calls of tools: decisions about them, questions, answers that count on, words for schedules. */
export interface CallVerbs {
  /**
   * Charge and note calls of one answer together, each at most once for its id in the session, and hold the bounds: budgets,
   * questions of a turn and of an hour, kept answers and grants that must not have run out. Gives what each call came to.
   */
  judge(row: JudgeRow): Promise<readonly JudgedResult[]>;
  /** Use an answered question up, before its call runs; false when it was used, taken back, or is not that call's. */
  use(row: UseRow): Promise<{ readonly used: boolean }>;
  /** Note that the whole of a question was shown to its person where nothing is cut (SE-084). */
  shown(row: { readonly approval: ApprovalId; readonly person: PrincipalId; readonly atMs: number }): Promise<{ readonly shown: boolean }>;
  /** Take a kept answer back. */
  revoke(row: { readonly approval: ApprovalId; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly revoked: boolean }>;
  /** Keep a grant; refused where too many are kept (MC-040). */
  grant(row: GrantRow): Promise<{ readonly kept: boolean }>;
  /** Take an import of exactly these bytes as own words; false where it is so already, or too many are. */
  endorse(row: Endorsement & { readonly by: PrincipalId }): Promise<{ readonly endorsed: boolean }>;
  /** Take that back. */
  unendorse(row: { readonly sha256: string; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly dropped: boolean }>;
  /** End every suspended turn that waits for somebody who was an operator when it was heard; gives the messages that ended. */
  void(row: { readonly person: PrincipalId; readonly atMs: number }): Promise<{ readonly ended: readonly InboxRow[] }>;
  /** Give the next question its number, which is given once. */
  number(): Promise<{ readonly number: number }>;
  /** Keep a wish; its number is null where too many wait, and the earlier one's where the same does. */
  propose(row: ProposeRow): Promise<{ readonly number: number | null }>;
  /** Take an answer to a wish and do what it allows, both or neither; false when nothing waits for exactly that answer. */
  settleProposal(row: SettleProposalRow): Promise<{ readonly settled: boolean }>;
  /** Use a try of a question's code up, before it is compared; null where it counts no more (SE-081). */
  tryCode(row: { readonly approval: ApprovalId; readonly atMs: number }): Promise<{ readonly tried: TriedCode | null }>;
  /** Note that a settled question's message shows no buttons any more, or never will be changed. */
  closedCard(row: { readonly part: PartId; readonly closed: boolean }): Promise<void>;
  /** Take a grant back. */
  ungrant(row: { readonly grant: GrantId; readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly revoked: boolean }>;
}

/** A question about a call, as it stands. */
export interface AskRecord {
  readonly approval: ApprovalId;
  /** Short, and never given twice: `allow 7`. */
  readonly number: number;
  readonly digest: string;
  /** The question as it was frozen. */
  readonly call: string;
  readonly person: PrincipalId;
  /** The line it was asked on; null when that is not kept any more. */
  readonly place: PlaceId | null;
  readonly state: "pending" | "answered" | "cancelled" | "expired";
  readonly askedAtMs: number;
  readonly expiresAtMs: number;
  readonly shownAtMs: number | null;
  readonly usedAtMs: number | null;
  /** The answer as it was kept; null before there is one. */
  readonly answer: string | null;
}

/** An answer that counts beyond its call (SE-085). */
export interface KeptAnswer {
  readonly approval: ApprovalId;
  readonly number: number;
  readonly scope: Exclude<AskScope, "once">;
  readonly session: SessionId;
  readonly character: CharacterId;
  readonly person: PrincipalId;
  readonly tool: string;
  readonly digest: string;
  /** The label's text under which it was given. */
  readonly influence: string;
  readonly atMs: number;
  readonly expiresAtMs: number;
  readonly usesLeft: number;
}

/** A grant that stands. */
export interface Grant extends Omit<GrantRow, "uses"> {
  readonly usesLeft: number;
}

/** One decision about a call: ids and codes only. */
export interface CallDecision extends JudgedResult {
  /** Rises from one decision to the next: what a page goes on from. */
  readonly number: number;
  readonly session: SessionId;
  readonly call: string;
  readonly phase: "judged" | "answered";
  readonly atMs: number;
  readonly turn: TurnId;
  /** The message that began it all. */
  readonly root: MessageId;
  readonly person: PrincipalId;
  readonly character: CharacterId;
  readonly tool: string;
  readonly digest: string;
  readonly foreign: boolean;
  readonly bits: number;
}

/** Which decisions about calls are wanted; every field narrows. */
export interface DecisionWish {
  /** Only those before the one of this number. */
  readonly before?: number | undefined;
  readonly tool?: string | undefined;
  readonly verdict?: JudgedResult["verdict"] | undefined;
  readonly person?: PrincipalId | undefined;
  readonly character?: CharacterId | undefined;
  readonly session?: SessionId | undefined;
  readonly root?: MessageId | undefined;
  /** Whether somebody else's words were about. */
  readonly foreign?: boolean | undefined;
}

/** Reads of calls. Whatever has run out or was taken back is left out. */
export interface CallReader {
  /** Questions that wait, oldest first, at most 256; of one person, or of all. */
  pending(nowMs: number, person?: PrincipalId): readonly AskRecord[];
  /** A question, whatever became of it. */
  ask(id: ApprovalId): AskRecord | null;
  /** Whose questions of suspended turns wait, of operators as they were when they were heard. */
  asked(nowMs: number): readonly PrincipalId[];
  /** How many wishes of a client wait. */
  proposals(client: PrincipalId, nowMs: number): number;
  askNumbered(number: number): AskRecord | null;
  /** The question that put a turn aside. */
  askOfTurn(turn: TurnId): AskRecord | null;
  /** Questions on these surfaces that were settled since a moment and whose message shows buttons, at most 64. */
  settledCards(surfaces: readonly SurfaceName[], sinceMs: number): readonly SettledCard[];
  /** Answers that count on for exactly this call, newest first; with no digest, for all calls. */
  keptAnswers(nowMs: number, digest?: string): readonly KeptAnswer[];
  grant(id: GrantId, nowMs: number): Grant | null;
  /** Whether an import of this digest counts as own words. */
  endorsed(sha256: string): boolean;
  /** All of them, newest first. */
  endorsements(): readonly Endorsement[];
  /** Every grant that stands, newest first. */
  grants(nowMs: number): readonly Grant[];
  /** The newest decisions, newest first; of those alone that a wish names. */
  decisions(limit: number, wish?: DecisionWish): readonly CallDecision[];
}
