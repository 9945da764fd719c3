import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { CallVerbs } from "../call-store.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import type { MessageId, PartId, TurnId } from "../../vocabulary/ids.ts";
import type { Pause } from "../../vocabulary/pause.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { HaltRow, ResumeAnsweringRow, StoreHealth } from "../operator-store.ts";
import type { SpendRow } from "../spend-store.ts";
import type {
  AnswerRow,
  CloseRow,
  DecisionRow,
  HearRow,
  RecoverRow,
  Recovery,
  ResumeRow,
  Restored,
  RetentionRow,
  SettleRow,
  StartRow,
  Store,
  StoreReader,
  SuspendRow,
  TrustRow,
} from "../store.ts";
import type { ForgetCounts, ForgetRow, Forgotten } from "../forgotten.ts";
import type { GuestVerbs, InviteRow, MemberRow, PresenceRow, RedeemRow } from "../guest-store.ts";
import type { SurfaceStateRow } from "../surface-store.ts";
import { MAX_SURFACE_STATE_BYTES } from "../surface-store.ts";
import { Batcher } from "./batcher.ts";
import { createCallVerbs } from "./verbs/call-calls.ts";
import { CommitTimes } from "./commit-times.ts";
import { copyInThread } from "./file/copier.ts";
import type { ConversationVerbs } from "../conversation-store.ts";
import { createConversationVerbs } from "./verbs/conversation-calls.ts";
import type { DatabaseCopy } from "./file/copy-database.ts";
import { newCopyName } from "./file/earlier-copies.ts";
import type { ForgetSliceResult, ForgetSubject } from "./verbs/forget-verbs.ts";
import { FORGET_TABLES, MAX_FORGOTTEN_TURNS, NOTHING_FORGOTTEN } from "./verbs/forget-verbs.ts";
import { ForgottenFence } from "./verbs/forgotten-fence.ts";
import { HEARTBEAT_MS } from "./file/lease.ts";
import type { WriterAnswer, WriterLine, WriterRequest } from "./protocol.ts";
import type { PseudonymOf } from "./rows/pseudonym.ts";
import type { Reader } from "./reader.ts";
import { createAgentVerbs } from "./verbs/session-calls.ts";
import type { VerbCall, VerbName, VerbResults, VerbRows } from "./verbs/verbs.ts";

const MAX_SETTING_BYTES = 4_096;
const SECRET_HASH = /^[0-9a-f]{64}$/;

/** What {@link SqliteStore} is made of. */
export interface SqliteStoreNeeds {
  readonly thread: WriterLine;
  readonly reader: Reader;
  readonly pseudonymOf: PseudonymOf;
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** The store's verbs over the writer's thread. Made by `openStore` alone. */
export class SqliteStore implements Store {
  readonly generation: number;
  readonly conversations: ConversationVerbs;
  readonly calls: CallVerbs;
  readonly sessions: Store["sessions"];
  readonly schedules: Store["schedules"];
  readonly restored: Restored | null;
  readonly #thread: WriterLine;
  readonly #reader: Reader;
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tasks: TaskGroup;
  readonly #pseudonymOf: PseudonymOf;
  readonly #path: string;
  readonly #fence = new ForgottenFence();
  readonly #commits = new CommitTimes();
  /** Requests to be forgotten that are being answered: their own answers are kept. */
  readonly #requests = new Set<MessageId>();
  #heartbeat: Disposable;
  readonly #failed: AbortController = new AbortController();
  #erasures = 0;
  #closing: Promise<void> | null = null;

  constructor(needs: SqliteStoreNeeds, opened: { readonly generation: number; readonly restored: Restored | null }) {
    this.generation = opened.generation;
    this.restored = opened.restored;
    this.#pseudonymOf = needs.pseudonymOf;
    this.#path = needs.path;
    this.#thread = needs.thread;
    this.#reader = needs.reader;
    this.#clock = needs.clock;
    this.#log = needs.log;
    this.#batcher = new Batcher(
      (request) => this.#ask(request),
      (failure) => {
        this.#heartbeat[Symbol.dispose]();
        needs.log.failure("store_failed", failure);
        this.#failed.abort(failure);
      },
    );
    this.conversations = createConversationVerbs(this.#batcher, () => this.#erased());
    this.calls = createCallVerbs(this.#batcher, needs.pseudonymOf, () => needs.reader.dropStandings());
    ({ sessions: this.sessions, schedules: this.schedules } = createAgentVerbs(this.#batcher));
    this.#tasks = new TaskGroup({
      clock: needs.clock,
      joinMs: 5_000,
      onFailure: (error) => needs.log.failure("store_heartbeat_failed", error),
    });
    this.#heartbeat = this.#beatLater();
  }

  get failed(): AbortSignal {
    return this.#failed.signal;
  }

  get erasures(): number {
    return this.#erasures;
  }

  get read(): StoreReader {
    return this.#reader;
  }

  hear(row: HearRow): Promise<VerbResults["hear"]> {
    return this.#batcher.call({ verb: "hear", row });
  }

  start(row: StartRow): Promise<VerbResults["start"]> {
    this.#fence.begin(row.turn);
    return this.#batcher.call({ verb: "start", row });
  }

  async answer(row: AnswerRow): Promise<VerbResults["answer"]> {
    const heldBack = this.#fence.holdsBack(row.turn, row.event.influence) && !this.#requests.has(row.inbox);
    this.#fence.end(row.turn);
    this.#requests.delete(row.inbox);
    if (!heldBack) return this.#batcher.call({ verb: "answer", row });
    const { inbox, turn, atMs, record } = row;
    await this.close({ inbox, turn, atMs, record, end: "cancelled", reason: "forgotten" });
    return { stored: false, seq: 0 };
  }

  close(row: CloseRow): Promise<VerbResults["close"]> {
    if (row.turn !== null) this.#fence.end(row.turn);
    this.#requests.delete(row.inbox);
    return this.#batcher.call({ verb: "close", row });
  }

  settle(row: SettleRow): Promise<VerbResults["settle"]> {
    return this.#batcher.call({ verb: "settle", row });
  }

  claim(part: PartId, atMs: number): Promise<VerbResults["claim"]> {
    return this.#batcher.call({ verb: "claim", row: { part, atMs } });
  }

  suspend(row: SuspendRow): Promise<VerbResults["suspend"]> {
    return this.#batcher.call({ verb: "suspend", row });
  }

  resume(row: ResumeRow): Promise<VerbResults["resume"]> {
    return this.#batcher.call({ verb: "resume", row });
  }

  lapse(nowMs: number): Promise<VerbResults["lapse"]> {
    return this.#batcher.call({ verb: "lapse", row: { nowMs } });
  }

  async recover(row: RecoverRow): Promise<Recovery> {
    const { recovery, setAside } = await this.#batcher.call({ verb: "recover", row });
    const { open, unreadable } = this.#reader.openRows();
    // A row that cannot be read is set aside and counted; it must not keep the rest from starting (TR-085).
    if (unreadable.length > 0) await this.#batcher.call({ verb: "setAside", row: { rows: unreadable, atMs: row.nowMs } });
    const count = setAside + unreadable.length;
    if (count > 0) this.#log.write("warn", "store_rows_set_aside", { count });
    const damaged = this.#reader.damagedTrust();
    if (damaged > 0) this.#log.write("error", "trust_unreadable", { count: damaged });
    return { ...recovery, open };
  }

  async note(decision: DecisionRow): Promise<void> {
    await this.#batcher.call({ verb: "note", row: decision });
  }

  async admitMember(row: MemberRow): Promise<VerbResults["admitMember"]> {
    if (row.secretHash !== null) refuseClear(row.secretHash);
    // A renewal that read the row before it went must not bring the name back.
    if (this.#fence.isForgetting(row.id)) return { admitted: false };
    return this.#batcher.call({ verb: "admitMember", row });
  }

  async renewMember(row: Parameters<GuestVerbs["renewMember"]>[0]): Promise<void> {
    await this.#batcher.call({ verb: "renewMember", row });
  }

  async dropMember(id: PrincipalId): Promise<void> {
    await this.#batcher.call({ verb: "dropMember", row: { id } });
  }

  keepInvite(row: InviteRow): Promise<VerbResults["keepInvite"]> {
    refuseClear(row.codeHash);
    return this.#batcher.call({ verb: "keepInvite", row });
  }

  async redeemInvite(row: RedeemRow): Promise<VerbResults["redeemInvite"]> {
    refuseClear(row.secretHash);
    refuseClear(row.claimHash);
    return this.#changeStandings({ verb: "redeemInvite", row });
  }

  revokeInvite(row: Parameters<GuestVerbs["revokeInvite"]>[0]): Promise<VerbResults["revokeInvite"]> {
    return this.#changeStandings({ verb: "revokeInvite", row });
  }

  async setOptedOut(row: Parameters<GuestVerbs["setOptedOut"]>[0]): Promise<void> {
    await this.#changeStandings({ verb: "setOptedOut", row: { ...row, pseudonym: this.#pseudonymOf(row.person) } });
  }

  async setTrust(row: TrustRow): Promise<void> {
    await this.#changeStandings({ verb: "setTrust", row: { ...row, pseudonym: this.#pseudonymOf(row.person) } });
  }

  async setSetting(key: string, value: string, act?: AuditEntry): Promise<void> {
    if (Buffer.byteLength(value) > MAX_SETTING_BYTES)
      throw new RuntimeError("invalid_argument", `Cannot keep a setting: it is over ${MAX_SETTING_BYTES} bytes`);
    await this.#batcher.call({ verb: "setSetting", row: { key, value, act: act ?? null } });
  }

  async keepSurfaceState(row: SurfaceStateRow): Promise<void> {
    if (Buffer.byteLength(row.state) > MAX_SURFACE_STATE_BYTES)
      throw new RuntimeError("invalid_argument", `Cannot keep a surface's state: it is over ${MAX_SURFACE_STATE_BYTES} bytes`);
    await this.#batcher.call({ verb: "keepSurfaceState", row });
  }

  async setPresence(row: PresenceRow): Promise<void> {
    await this.#batcher.call({ verb: "setPresence", row });
  }

  async pause(pause: Pause): Promise<void> {
    await this.#changeStandings({ verb: "pause", row: pause });
  }

  unpause(row: ResumeAnsweringRow): Promise<VerbResults["resumeAnswering"]> {
    return this.#changeStandings({ verb: "resumeAnswering", row });
  }

  async spend(row: SpendRow): Promise<void> {
    await this.#batcher.call({ verb: "spend", row: { ...row, pseudonym: this.#pseudonymOf(row.person) } });
  }

  halt(row: HaltRow): Promise<VerbResults["halt"]> {
    return this.#changeStandings({ verb: "halt", row });
  }

  rearm(row: VerbRows["rearm"]): Promise<VerbResults["rearm"]> {
    return this.#changeStandings({ verb: "rearm", row });
  }

  async audit(entry: AuditEntry): Promise<void> {
    await this.#batcher.call({ verb: "audit", row: entry });
  }

  async retain(cut: RetentionRow): Promise<VerbResults["retain"]> {
    const result = await this.#batcher.call({ verb: "retain", row: cut });
    if (result.dropped > 0) this.#erased();
    return result;
  }

  async forget(row: ForgetRow): Promise<Forgotten> {
    const subject = this.#subject(row.person, row.atMs);
    using _fence = this.#fence.forget(row.person);
    if (row.request !== null) this.#requests.add(row.request);
    await this.#batcher.call({ verb: "forgetBegin", row: subject });
    const { counts, turns } = await this.#throughTables(subject, { keep: row.request, dryRun: false });
    const last = await this.#batcher.call({ verb: "forgetEnd", row: subject });
    this.#erased();
    return { counts: sum(counts, last.counts), turns, bytesGone: !this.#reader.scrubDue };
  }

  async keptOf(person: PrincipalId): Promise<ForgetCounts> {
    const subject = this.#subject(person, 0);
    const { counts } = await this.#throughTables(subject, { keep: null, dryRun: true });
    const small = await this.#batcher.call({ verb: "countSmall", row: subject });
    return sum(counts, small.counts);
  }

  health(): StoreHealth {
    const { count } = this.#commits;
    const bytes = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
    return {
      databaseBytes: bytes(this.#path),
      walBytes: bytes(`${this.#path}-wal`),
      commits: count,
      commitP50Ms: this.#commits.percentile(0.5),
      commitP99Ms: this.#commits.percentile(0.99),
    };
  }

  async copyAside(signal: AbortSignal): Promise<DatabaseCopy & { readonly path: string }> {
    const path = join(dirname(this.#path), newCopyName());
    return { path, ...(await copyInThread({ from: this.#path, to: path, atMs: this.#clock.nowMs() }, signal)) };
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#dispose();
    return this.#closing;
  }

  /** Run a verb after which it has to be looked up anew who may do what. */
  async #changeStandings<Name extends VerbName>(call: VerbCall & { readonly verb: Name }): Promise<VerbResults[Name]> {
    const result = await this.#batcher.call<Name>(call);
    this.#reader.dropStandings();
    return result;
  }

  #subject(person: PrincipalId, atMs: number): ForgetSubject {
    const pseudonym = this.#pseudonymOf(person);
    if (pseudonym === person) throw new RuntimeError("invalid_argument", "Cannot forget that: it stands for somebody forgotten already");
    return { person, pseudonym, atMs };
  }

  async #throughTables(
    subject: ForgetSubject,
    how: { readonly keep: MessageId | null; readonly dryRun: boolean },
  ): Promise<{ readonly counts: ForgetCounts; readonly turns: readonly TurnId[] }> {
    let counts = NOTHING_FORGOTTEN;
    let turns: readonly TurnId[] = [];
    for (const table of FORGET_TABLES) {
      for (let after: number | null = 0; after !== null;) {
        const slice: ForgetSliceResult = await this.#batcher.call({ verb: "forgetSlice", row: { ...subject, ...how, table, after } });
        if (!how.dryRun) this.#erased();
        counts = sum(counts, slice.counts);
        turns = [...slice.turns, ...turns].slice(0, MAX_FORGOTTEN_TURNS);
        after = slice.next;
      }
    }
    return { counts, turns };
  }

  #erased(): void {
    this.#erasures += 1;
    this.#reader.dropStandings();
  }

  async #ask(request: WriterRequest): Promise<WriterAnswer> {
    const answer = await this.#thread.ask(request);
    if (answer.kind === "committed") this.#commits.note(answer.commitMs);
    return answer;
  }

  async #dispose(): Promise<void> {
    await this.#batcher.drain();
    await this.#tasks.close();
    this.#heartbeat[Symbol.dispose]();
    // Readers first: a journal that somebody reads cannot be folded away.
    this.#reader[Symbol.dispose]();
    try {
      await this.#thread.ask({ kind: "close" });
    } catch (error) {
      this.#log.failure("store_writer_lost", error);
    }
    await this.#thread.join();
  }

  #beatLater(): Disposable {
    return this.#clock.after(HEARTBEAT_MS, () => {
      this.#tasks.start(async () => {
        await this.#batcher.call({ verb: "heartbeat", row: { atMs: this.#clock.nowMs() } });
        this.#heartbeat = this.#beatLater();
      });
    });
  }
}

function refuseClear(hash: string): void {
  if (!SECRET_HASH.test(hash))
    throw new RuntimeError("invalid_argument", "Cannot keep a secret or a code: it is kept as its SHA-256 in hex, never itself");
}

function sum(a: ForgetCounts, b: ForgetCounts): ForgetCounts {
  return {
    lines: a.lines + b.lines,
    answers: a.answers + b.answers,
    waiting: a.waiting + b.waiting,
    members: a.members + b.members,
    presence: a.presence + b.presence,
    blocks: a.blocks + b.blocks,
    decisions: a.decisions + b.decisions,
  };
}
