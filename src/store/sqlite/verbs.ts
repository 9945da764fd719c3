import type { PartId } from "../../vocabulary/ids.ts";
import type {
  AnswerRow,
  CloseRow,
  DecisionRow,
  HearResult,
  HearRow,
  MemberRow,
  PresenceRow,
  RecoverRow,
  Recovery,
  ResumeRow,
  RetentionRow,
  SettleRow,
  StartRow,
  SuspendRow,
  TrustRow,
} from "../store.ts";
import { resume, suspend } from "./approval-verbs.ts";
import { renewLease } from "./lease.ts";
import { hear, note } from "./message-verbs.ts";
import { claim, settle } from "./part-verbs.ts";
import { admitMember, setPresence, setSetting, setTrust } from "./people-verbs.ts";
import { recover } from "./recover-verb.ts";
import { retain } from "./retain-verb.ts";
import type { Statements } from "./statements.ts";
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
  recover: RecoverRow;
  note: DecisionRow;
  admitMember: MemberRow;
  setTrust: TrustRow;
  setSetting: { readonly key: string; readonly value: string };
  setPresence: PresenceRow;
  retain: RetentionRow;
  heartbeat: { readonly atMs: number };
}

/** What each verb gives. */
export interface VerbResults {
  hear: HearResult;
  start: { readonly started: boolean };
  answer: { readonly stored: boolean; readonly seq: number };
  close: { readonly closed: boolean };
  settle: { readonly settled: boolean };
  claim: { readonly claimed: boolean };
  suspend: { readonly suspended: boolean };
  resume: { readonly resumed: boolean };
  recover: { readonly recovery: Recovery; readonly setAside: number };
  note: null;
  admitMember: { readonly admitted: boolean };
  setTrust: null;
  setSetting: null;
  setPresence: null;
  retain: { readonly dropped: number };
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
}

type Verbs = { readonly [Name in VerbName]: (context: VerbContext, row: VerbRows[Name]) => VerbResults[Name] };

const VERBS: Verbs = {
  hear,
  start,
  answer,
  close,
  settle,
  claim,
  suspend,
  resume,
  recover,
  note,
  admitMember,
  setTrust,
  setSetting,
  setPresence,
  retain,
  heartbeat: ({ sql, owner }, row) => {
    renewLease(sql, owner, row.atMs);
    return null;
  },
};

/** Run one verb. */
export function runVerb<Name extends VerbName>(context: VerbContext, call: VerbCall<Name>): VerbResults[Name] {
  return VERBS[call.verb](context, call.row);
}
