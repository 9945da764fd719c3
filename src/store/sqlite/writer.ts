import type { DatabaseSync } from "node:sqlite";
import { systemClock } from "../../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { storeFailure, storeFailureOf } from "./file/failure.ts";
import { dirname } from "node:path";
import type { Restored } from "../store.ts";
import { Charges } from "./verbs/charges.ts";
import { connectWriter, withCure } from "./file/connect.ts";
import { dropEarlierCopies } from "./file/earlier-copies.ts";
import { readEpochFile, writeEpochFile } from "./file/epoch-file.ts";
import { epochOf, raiseEpoch } from "./file/epoch.ts";
import { holdsLease, releaseLease } from "./file/lease.ts";
import { openDatabase } from "./file/opening.ts";
import type { VerbOutcome, WriterOptions } from "./protocol.ts";
import { joinForgotten } from "./file/restored.ts";
import { Numbers } from "./rows/numbers.ts";
import { scrub } from "./file/scrub.ts";
import { Statements } from "./rows/statements.ts";
import type { VerbCall, VerbContext } from "./verbs/verbs.ts";
import { runVerb } from "./verbs/verbs.ts";

/**
 * The only connection that writes, with the lease of the folder. Synchronous: it lives on the writer's thread.
 *
 * W1  A batch is one commit. A verb that fails for a reason of its own is undone alone and the rest stands; a failure of the file
 *     or its disk undoes the whole batch and ends the writer.
 * W2  Nothing is written in a transaction that did not see the own lease.
 * W3  The second file learns a new epoch after the database has it and before anybody hears that the commit stands (SE-099).
 */
export class Writer {
  readonly generation: number;
  readonly tookOver: boolean;
  /** What was taken from a restored copy; null for a database that simply goes on. */
  readonly restored: Restored | null;
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #context: VerbContext;
  readonly #numbers: Numbers;
  readonly #charges = new Charges();
  #failure: RuntimeError | null = null;
  #commitMs = 0;
  #forgotten: ReadonlyMap<string, number>;

  /** Open the database, bring it to the current version and take the lease. @throws RuntimeError as {@link connectWriter}, `state_busy`, `state_older`. */
  constructor(options: WriterOptions) {
    this.#path = options.path;
    const file = readEpochFile(dirname(options.path));
    this.#db = connectWriter(options.path, options.maxPageCount);
    try {
      const sql = new Statements(this.#db);
      this.#numbers = new Numbers(sql);
      const due = { epoch: true, list: false, scrub: false, worked: false };
      const transaction = <T>(action: () => T): T => this.#transaction(action);
      const context = { sql, due, numbers: this.#numbers, charges: this.#charges };
      const opening = withCure(options.path, () => openDatabase({ db: this.#db, context, options, file, transaction }));
      this.generation = opening.generation;
      this.tookOver = opening.tookOver;
      this.restored = opening.restored;
      this.#forgotten = opening.forgotten;
      this.#context = { ...context, generation: opening.generation, owner: options.owner };
      if (opening.restored !== null) dropEarlierCopies(dirname(options.path), Number.MAX_VALUE);
      due.scrub = false;
      this.#settleDue();
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Milliseconds that the last commit took, its sync included. */
  get commitMs(): number {
    return this.#commitMs;
  }

  /** Commit a batch. @throws RuntimeError a store failure; every later batch throws the same. */
  commit(calls: readonly VerbCall[]): readonly VerbOutcome[] {
    if (this.#failure !== null) throw this.#failure;
    try {
      const { due } = this.#context;
      const outcomes = withCure(this.#path, () => this.#together(calls) ?? this.#apart(calls));
      due.worked = due.worked || calls.some(({ verb }) => verb !== "heartbeat");
      withCure(this.#path, () => this.#settleDue());
      for (const { verb, row } of calls) if (verb === "retain") dropEarlierCopies(dirname(this.#path), row.directBeforeMs);
      return outcomes;
    } catch (error) {
      this.#failure =
        error instanceof RuntimeError
          ? error
          : new RuntimeError("internal", "Cannot commit: the writer broke a rule of its own", { cause: error });
      throw this.#failure;
    }
  }

  /** Give the lease back, fold the journal into the database and close. Safe after a failure: what can be done is done. */
  close(): void {
    try {
      this.#transaction(() => {
        if (!holdsLease(this.#context.sql, this.#context.owner)) return;
        raiseEpoch(this.#context);
        releaseLease(this.#context.sql, this.#context.owner);
      });
      this.#settleDue();
      this.#db.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // The lease then names a process that is gone, and the journal is read by the next opening: both are regular.
    } finally {
      this.#db.close();
    }
  }

  /** Do what a commit left to do outside of it. */
  #settleDue(): void {
    const { sql, due } = this.#context;
    if (due.list) this.#forgotten = joinForgotten(sql, new Map()).all;
    if (due.epoch) writeEpochFile(dirname(this.#path), { epoch: epochOf(sql), forgotten: this.#forgotten });
    if (due.scrub) this.#scrub();
    due.epoch = false;
    due.list = false;
    due.scrub = false;
  }

  /** Where the disk has no room to build the file anew, it stays due: the rows are gone, and a later start drives the bytes out. */
  #scrub(): void {
    dropEarlierCopies(dirname(this.#path), Number.MAX_VALUE);
    try {
      scrub(this.#db, this.#context.sql);
    } catch (error) {
      if (storeFailureOf(error) !== "disk_full") throw error;
    }
  }

  /**
   * All verbs as one, which costs least: a savepoint copies every page that its verb touches. Null when one of them failed for a
   * reason of its own, and then nothing of any is kept.
   */
  #together(calls: readonly VerbCall[]): readonly VerbOutcome[] | null {
    try {
      return this.#batch(() => calls.map((call) => ({ kind: "done", result: runVerb(this.#context, call) })));
    } catch (error) {
      if (endsStore(error)) throw error;
      return null;
    }
  }

  /** The same with a savepoint for each, so that only those fail that must. */
  #apart(calls: readonly VerbCall[]): readonly VerbOutcome[] {
    return this.#batch(() => calls.map((call) => this.#attempt(call)));
  }

  #attempt(call: VerbCall): VerbOutcome {
    const { sql } = this.#context;
    const mark = this.#charges.mark;
    sql.run("savepoint verb");
    try {
      const result = runVerb(this.#context, call);
      sql.run("release verb");
      return { kind: "done", result };
    } catch (error) {
      if (endsStore(error)) throw error;
      sql.run("rollback to verb");
      this.#numbers.drop();
      this.#charges.backTo(mark);
      sql.run("release verb");
      return isRuntimeError(error, "invalid_argument")
        ? { kind: "fault", code: "invalid_argument", message: error.message }
        : { kind: "fault", code: "internal", message: `Cannot ${call.verb}: the database refused a value` };
    }
  }

  #batch<T>(action: () => T): T {
    return this.#transaction(() => {
      if (!holdsLease(this.#context.sql, this.#context.owner))
        throw storeFailure("state_busy", this.#path, { why: "another process has taken it over; this one can write no more" });
      const result = action();
      this.#charges.write(this.#context.sql);
      return result;
    });
  }

  #transaction<T>(action: () => T): T {
    this.#db.exec("begin immediate");
    try {
      const result = action();
      const fromMs = systemClock.monotonicMs();
      this.#db.exec("commit");
      this.#commitMs = systemClock.monotonicMs() - fromMs;
      return result;
    } catch (error) {
      // SQLite ends the transaction itself after some failures, a full disk among them.
      if (this.#db.isTransaction) this.#db.exec("rollback");
      this.#numbers.drop();
      this.#charges.backTo(0);
      throw error;
    }
  }
}

/** Whether a failure is the file's or its disk's, and so the end of the store, or one verb's own: a row that cannot be read is (TR-085). */
function endsStore(error: unknown): boolean {
  return storeFailureOf(error) !== null || isRuntimeError(error, "state_busy");
}
