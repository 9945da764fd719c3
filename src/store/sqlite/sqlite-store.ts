import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { PartId } from "../../vocabulary/ids.ts";
import type {
  AnswerRow,
  CloseRow,
  DecisionRow,
  HearRow,
  MemberRow,
  PresenceRow,
  RecoverRow,
  Recovery,
  ResumeRow,
  RetentionRow,
  SettleRow,
  StartRow,
  Store,
  StoreReader,
  SuspendRow,
  TrustRow,
} from "../store.ts";
import { Batcher } from "./batcher.ts";
import { HEARTBEAT_MS } from "./lease.ts";
import type { Reader } from "./reader.ts";
import type { VerbResults } from "./verbs.ts";
import type { WriterThread } from "./writer-thread.ts";

const MAX_SETTING_BYTES = 4_096;
const SECRET_HASH = /^[0-9a-f]{64}$/;

/** The store's verbs over the writer's thread. Made by `openStore` alone. */
export class SqliteStore implements Store {
  readonly generation: number;
  readonly #thread: WriterThread;
  readonly #reader: Reader;
  readonly #batcher: Batcher;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #tasks: TaskGroup;
  #heartbeat: Disposable;
  readonly #failed: AbortController = new AbortController();
  #closing: Promise<void> | null = null;

  constructor(needs: { thread: WriterThread; reader: Reader; clock: Clock; log: Log }, generation: number) {
    this.generation = generation;
    this.#thread = needs.thread;
    this.#reader = needs.reader;
    this.#clock = needs.clock;
    this.#log = needs.log;
    this.#batcher = new Batcher(
      (request) => needs.thread.ask(request),
      (failure) => {
        this.#heartbeat[Symbol.dispose]();
        needs.log.failure("store_failed", failure);
        this.#failed.abort(failure);
      },
    );
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

  get read(): StoreReader {
    return this.#reader;
  }

  hear(row: HearRow): Promise<VerbResults["hear"]> {
    return this.#batcher.call({ verb: "hear", row });
  }

  start(row: StartRow): Promise<VerbResults["start"]> {
    return this.#batcher.call({ verb: "start", row });
  }

  answer(row: AnswerRow): Promise<VerbResults["answer"]> {
    return this.#batcher.call({ verb: "answer", row });
  }

  close(row: CloseRow): Promise<VerbResults["close"]> {
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
    if (setAside > 0) this.#log.write("warn", "store_rows_set_aside", { count: setAside });
    return recovery;
  }

  async note(decision: DecisionRow): Promise<void> {
    await this.#batcher.call({ verb: "note", row: decision });
  }

  async admitMember(row: MemberRow): Promise<VerbResults["admitMember"]> {
    if (row.secretHash !== null && !SECRET_HASH.test(row.secretHash))
      throw new RuntimeError("invalid_argument", "Cannot keep a member: a secret is kept as its SHA-256 in hex, never itself");
    return this.#batcher.call({ verb: "admitMember", row });
  }

  async setTrust(row: TrustRow): Promise<void> {
    await this.#batcher.call({ verb: "setTrust", row });
  }

  async setSetting(key: string, value: string): Promise<void> {
    if (Buffer.byteLength(value) > MAX_SETTING_BYTES)
      throw new RuntimeError("invalid_argument", `Cannot keep a setting: it is over ${MAX_SETTING_BYTES} bytes`);
    await this.#batcher.call({ verb: "setSetting", row: { key, value } });
  }

  async setPresence(row: PresenceRow): Promise<void> {
    await this.#batcher.call({ verb: "setPresence", row });
  }

  retain(cut: RetentionRow): Promise<VerbResults["retain"]> {
    return this.#batcher.call({ verb: "retain", row: cut });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#dispose();
    return this.#closing;
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
