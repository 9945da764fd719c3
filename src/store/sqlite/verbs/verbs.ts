import type { AuditEntry } from "../../../vocabulary/audit.ts";
import type { ApprovalId, GrantId, PartId, ScheduleId } from "../../../vocabulary/ids.ts";
import type { Pause } from "../../../vocabulary/pause.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import type { GuestVerbs, InviteRow, MemberRow, PresenceRow, RedeemResult, RedeemRow, RevokeRow } from "../../guest-store.ts";
import type { ResumeAnsweringRow } from "../../operator-store.ts";
import type {
  AnswerRow,
  CloseRow,
  DecisionRow,
  HearResult,
  HearRow,
  InboxRow,
  RecoverRow,
  Recovery,
  ResumeRow,
  RetentionRow,
  SettleResult,
  SettleRow,
  StartResult,
  StartRow,
  SuspendRow,
} from "../../store.ts";
import type { ForgetCounts } from "../../forgotten.ts";
import type { GrantRow, JudgedResult, TriedCode, UseRow, ProposeRow } from "../../call-store.ts";
import { numberQuestion, resume, suspend } from "./approval-verbs.ts";
import type { JudgeCall } from "./call-verbs.ts";
import { dropGrant, judgeCalls, keepGrant, noteShown, revokeAnswer, useAnswer } from "./call-verbs.ts";
import { renewLease } from "../file/lease.ts";
import { hear, note } from "./message-verbs.ts";
import { catchUp } from "./catch-up-verb.ts";
import { claim, settle } from "./part-verbs.ts";
import { keepInvite, redeemInvite, revokeInvite } from "./invite-verbs.ts";
import type { KeptSetting, OptOut, TrustChange } from "./people-verbs.ts";
import { keepSurfaceState } from "./surface-verbs.ts";
import type { MissedLine, ResetRow, ResetWords, TakeBackResult, TakeBackRow } from "../../conversation-store.ts";
import type { SurfaceStateRow } from "../../surface-store.ts";
import { admitMember, dropMember, renewMember, setOptedOut, setPresence, setSetting, setTrust } from "./people-verbs.ts";
import { endorse, unendorse } from "./endorse-verbs.ts";
import { lapse, voidQuestions } from "./lapse-verb.ts";
import type { HaltRow } from "../../operator-store.ts";
import { halt, rearm } from "./halt-verbs.ts";
import { audit, pause, resumeAnswering } from "./operator-verbs.ts";
import { reset } from "./reset-verb.ts";
import { closedCard } from "./card-verbs.ts";
import { tryCode } from "./code-verbs.ts";
import { takeBack, tookBack } from "./take-back-verbs.ts";
import { recover, setAside } from "./recover-verb.ts";
import type { AppendRow, Appended, ForkRow, NoteRow, OpenSessionRow, SessionVerbs } from "../../session-store.ts";
import { appendEntries, beginSession, forkSession, keepNote } from "./session-verbs.ts";
import type { Schedule } from "../../../vocabulary/calls/schedule.ts";
import type { FireRow } from "../../schedule-store.ts";
import { dropSchedule, fireSchedule, keepSchedule } from "./schedule-verbs.ts";
import { retain } from "./retain-verb.ts";
import type { ForgetSlice, ForgetSliceResult, ForgetSubject } from "./forget-verbs.ts";
import { countSmall, forgetBegin, forgetEnd, forgetSlice } from "./forget-verbs.ts";
import type { SpendCall } from "../rows/spend-rows.ts";
import { spend } from "../rows/spend-rows.ts";
import type { Due } from "../file/epoch.ts";
import { raiseEpoch } from "../file/epoch.ts";
import type { Charges } from "./charges.ts";
import type { Numbers } from "../rows/numbers.ts";
import type { SettleProposalCall } from "./proposal-verbs.ts";
import { propose, settleProposal } from "./proposal-verbs.ts";
import type { Statements } from "../rows/statements.ts";
import { answer, close, start } from "./turn-verbs.ts";

/** What each verb takes. */
export interface VerbRows {
  hear: HearRow;
  start: StartRow;
  answer: AnswerRow;
  close: CloseRow;
  settle: SettleRow;
  claim: { readonly part: PartId; readonly atMs: number };
  suspend: SuspendRow;
  resume: ResumeRow;
  lapse: { readonly nowMs: number };
  recover: RecoverRow;
  setAside: { readonly rows: readonly number[]; readonly atMs: number };
  note: DecisionRow;
  admitMember: MemberRow;
  renewMember: { readonly id: PrincipalId; readonly atMs: number };
  dropMember: { readonly id: PrincipalId };
  keepInvite: InviteRow;
  redeemInvite: RedeemRow;
  revokeInvite: RevokeRow;
  setOptedOut: OptOut;
  setTrust: TrustChange;
  setSetting: KeptSetting;
  setPresence: PresenceRow;
  keepSurfaceState: SurfaceStateRow;
  pause: Pause;
  resumeAnswering: ResumeAnsweringRow;
  audit: AuditEntry;
  halt: HaltRow;
  rearm: { readonly by: PrincipalId; readonly atMs: number };
  reset: ResetRow;
  takeBack: TakeBackRow;
  tookBack: { readonly part: PartId; readonly gone: boolean };
  catchUp: { readonly place: PlaceId };
  closedCard: { readonly part: PartId; readonly closed: boolean };
  tryCode: { readonly approval: ApprovalId; readonly atMs: number };
  retain: RetentionRow;
  forgetBegin: ForgetSubject;
  forgetSlice: ForgetSlice;
  forgetEnd: ForgetSubject;
  countSmall: ForgetSubject;
  spend: SpendCall;
  judgeCalls: JudgeCall;
  useAnswer: UseRow;
  noteShown: { readonly approval: ApprovalId; readonly person: PrincipalId; readonly atMs: number };
  revokeAnswer: { readonly approval: ApprovalId; readonly by: PrincipalId; readonly atMs: number };
  keepGrant: GrantRow;
  dropGrant: { readonly grant: GrantId; readonly by: PrincipalId; readonly atMs: number };
  numberQuestion: null;
  voidQuestions: { readonly person: PrincipalId; readonly atMs: number };
  endorse: Parameters<typeof endorse>[1];
  unendorse: Parameters<typeof unendorse>[1];
  propose: ProposeRow;
  settleProposal: SettleProposalCall;
  openSession: OpenSessionRow;
  keepSchedule: Schedule;
  dropSchedule: { readonly id: ScheduleId };
  fireSchedule: FireRow;
  appendEntries: AppendRow;
  forkSession: ForkRow;
  keepNote: NoteRow;
  heartbeat: { readonly atMs: number };
}

/** What each verb gives. */
export interface VerbResults {
  hear: HearResult;
  start: StartResult;
  answer: { readonly stored: boolean; readonly seq: number };
  close: { readonly closed: boolean };
  settle: SettleResult;
  claim: { readonly claimed: boolean };
  suspend: { readonly suspended: boolean; readonly seq: number };
  resume: { readonly resumed: boolean };
  lapse: { readonly lapsed: readonly InboxRow[] };
  recover: { readonly recovery: Omit<Recovery, "open">; readonly setAside: number };
  setAside: null;
  note: null;
  admitMember: { readonly admitted: boolean };
  renewMember: null;
  dropMember: null;
  keepInvite: Awaited<ReturnType<GuestVerbs["keepInvite"]>>;
  redeemInvite: RedeemResult;
  revokeInvite: Awaited<ReturnType<GuestVerbs["revokeInvite"]>>;
  setOptedOut: null;
  setTrust: null;
  setSetting: null;
  setPresence: null;
  keepSurfaceState: null;
  pause: null;
  resumeAnswering: { readonly resumed: number };
  audit: null;
  halt: { readonly ended: readonly InboxRow[] };
  rearm: { readonly rearmed: boolean };
  reset: ResetWords;
  takeBack: TakeBackResult;
  tookBack: null;
  catchUp: readonly MissedLine[];
  closedCard: null;
  tryCode: { readonly tried: TriedCode | null };
  retain: { readonly dropped: number };
  forgetBegin: null;
  forgetSlice: ForgetSliceResult;
  forgetEnd: { readonly counts: ForgetCounts };
  countSmall: { readonly counts: ForgetCounts };
  spend: null;
  judgeCalls: readonly JudgedResult[];
  useAnswer: { readonly used: boolean };
  noteShown: { readonly shown: boolean };
  revokeAnswer: { readonly revoked: boolean };
  keepGrant: { readonly kept: boolean };
  dropGrant: { readonly revoked: boolean };
  numberQuestion: { readonly number: number };
  voidQuestions: { readonly ended: readonly InboxRow[] };
  endorse: { readonly endorsed: boolean };
  unendorse: { readonly dropped: boolean };
  keepSchedule: { readonly kept: boolean };
  dropSchedule: { readonly dropped: boolean };
  fireSchedule: { readonly fired: boolean };
  propose: { readonly number: number | null };
  settleProposal: { readonly settled: boolean };
  openSession: Awaited<ReturnType<SessionVerbs["open"]>>;
  appendEntries: Appended;
  forkSession: Awaited<ReturnType<SessionVerbs["fork"]>>;
  keepNote: Awaited<ReturnType<SessionVerbs["keepNote"]>>;
  heartbeat: null;
}

/** Name of a verb of the writer. */
export type VerbName = keyof VerbRows;

/** One call: plain data that crosses to the writer's thread. */
export type VerbCall<Name extends VerbName = VerbName> = {
  [Verb in Name]: { readonly verb: Verb; readonly row: VerbRows[Verb] };
}[Name];

/** What verbs work with. Each runs inside a transaction of the caller and is undone as a whole when it throws. */
export interface VerbContext {
  readonly sql: Statements;
  /** The holder's generation: fences turns of earlier ones (MC-099). */
  readonly generation: number;
  readonly owner: string;
  /** Under which numbers things are kept. */
  readonly numbers: Numbers;
  /** What the starts of this commit reserve. */
  readonly charges: Charges;
  /** What is to be done once the batch's commit stands. */
  readonly due: Due;
}

type Verbs = { readonly [Name in VerbName]: (context: VerbContext, row: VerbRows[Name]) => VerbResults[Name] };

const VERBS: Verbs = {
  propose,
  settleProposal,
  hear,
  start,
  answer,
  close,
  settle,
  claim,
  suspend,
  resume,
  lapse,
  recover,
  setAside,
  note,
  admitMember,
  renewMember,
  dropMember,
  keepInvite,
  redeemInvite,
  revokeInvite,
  setOptedOut,
  setTrust,
  setSetting,
  setPresence,
  keepSurfaceState,
  pause,
  resumeAnswering,
  audit,
  halt,
  rearm,
  reset,
  takeBack,
  tookBack,
  catchUp,
  closedCard,
  tryCode,
  retain,
  forgetBegin,
  forgetSlice,
  forgetEnd,
  countSmall,
  spend,
  judgeCalls,
  useAnswer,
  noteShown,
  revokeAnswer,
  keepGrant,
  dropGrant,
  numberQuestion,
  voidQuestions,
  endorse,
  unendorse,
  openSession: beginSession,
  keepSchedule,
  dropSchedule,
  fireSchedule,
  appendEntries,
  forkSession,
  keepNote,
  heartbeat(context, row) {
    renewLease(context.sql, context.owner, row.atMs);
    if (context.due.worked) raiseEpoch(context);
    return null;
  },
};

/** Run one verb. */
export function runVerb<Name extends VerbName>(context: VerbContext, call: VerbCall<Name>): VerbResults[Name] {
  return VERBS[call.verb](context, call.row);
}
