import type { DatabaseSync } from "node:sqlite";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { storeFailure, storeFailureOf } from "./failure.ts";
import { holdsLease, releaseLease, takeLease } from "./lease.ts";
import { connectWriter, withCure } from "./connect.ts";
import { currentProcess } from "./process-identity.ts";
import type { VerbOutcome, WriterOptions } from "./protocol.ts";
import { migrate } from "./schema.ts";
import { Statements } from "./statements.ts";
import type { VerbCall, VerbContext } from "./verbs.ts";
import { runVerb } from "./verbs.ts";

/**
 * The only connection that writes, with the lease of the folder. Synchronous: it lives on the writer's thread.
 *
 * W1  A batch is one commit. A verb that fails for a reason of its own is undone alone and the rest stands; a failure of the file
 *     or its disk undoes the whole batch and ends the writer.
 * W2  Nothing is written in a transaction that did not see the own lease.
 */
export class Writer {
  readonly generation: number;
  readonly tookOver: boolean;
  readonly #db: DatabaseSync;
  readonly #path: string;
  readonly #context: VerbContext;
  #failure: RuntimeError | null = null;

  /** Open the database, bring it to the current version and take the lease. @throws RuntimeError as {@link connectWriter}, `state_busy`. */
  constructor(options: WriterOptions) {
    this.#path = options.path;
    this.#db = connectWriter(options.path, options.maxPageCount);
    try {
      const sql = new Statements(this.#db);
      const lease = withCure(options.path, () => this.#transaction(() => begin(sql, options)));
      this.generation = lease.generation;
      this.tookOver = lease.tookOver;
      this.#context = { sql, generation: lease.generation, owner: options.owner };
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** Commit a batch. @throws RuntimeError a store failure; every later batch throws the same. */
  commit(calls: readonly VerbCall[]): readonly VerbOutcome[] {
    if (this.#failure !== null) throw this.#failure;
    try {
      return withCure(this.#path, () => this.#together(calls) ?? this.#apart(calls));
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
      this.#transaction(() => releaseLease(this.#context.sql, this.#context.owner));
      this.#db.exec("pragma wal_checkpoint(truncate)");
    } catch {
      // The lease then names a process that is gone, and the journal is read by the next opening: both are regular.
    } finally {
      this.#db.close();
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
    sql.run("savepoint verb");
    try {
      const result = runVerb(this.#context, call);
      sql.run("release verb");
      return { kind: "done", result };
    } catch (error) {
      if (endsStore(error)) throw error;
      sql.run("rollback to verb");
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
      return action();
    });
  }

  #transaction<T>(action: () => T): T {
    this.#db.exec("begin immediate");
    try {
      const result = action();
      this.#db.exec("commit");
      return result;
    } catch (error) {
      // SQLite ends the transaction itself after some failures, a full disk among them.
      if (this.#db.isTransaction) this.#db.exec("rollback");
      throw error;
    }
  }
}

/** Whether a failure is the file's or its disk's, and so the end of the store, or one verb's own: a row that cannot be read is (TR-085). */
function endsStore(error: unknown): boolean {
  return storeFailureOf(error) !== null || isRuntimeError(error, "state_busy");
}

function begin(sql: Statements, options: WriterOptions): { generation: number; tookOver: boolean } {
  migrate(sql);
  const lease = takeLease(sql, { owner: options.owner, self: currentProcess(), nowMs: options.nowMs });
  if (lease.kind === "busy")
    throw storeFailure("state_busy", options.path, {
      why: `process ${lease.pid} on ${lease.host} is using it; stop that process, or name another folder with TROUPE_STATE`,
    });
  return lease;
}
