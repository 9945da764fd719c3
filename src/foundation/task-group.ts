import type { Clock } from "./clock.ts";
import { RuntimeError, isRuntimeError } from "./errors.ts";

/**
 * The only way to start work that nobody awaits at once. Every task hears the group's signal, and disposing the group aborts
 * them all and waits until they have ended, so no promise is ever detached (MC-096).
 *
 * G1  A task that fails is reported once to `onFailure`; the other tasks go on. Being aborted is no failure.
 * G2  After `close` no task starts.
 * G3  `close` waits at most `joinMs`; a task that is still there then is `join_timeout`.
 */
export class TaskGroup implements AsyncDisposable {
  readonly #controller = new AbortController();
  readonly #running = new Set<Promise<void>>();
  readonly #clock: Clock;
  readonly #joinMs: number;
  readonly #onFailure: (error: unknown) => void;

  constructor(options: { clock: Clock; joinMs: number; onFailure: (error: unknown) => void }) {
    this.#clock = options.clock;
    this.#joinMs = options.joinMs;
    this.#onFailure = options.onFailure;
  }

  /** Aborts when the group closes. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** How many tasks have not ended yet. */
  get size(): number {
    return this.#running.size;
  }

  /** Start a task now. @throws RuntimeError `closed` after {@link close}. */
  start(task: (signal: AbortSignal) => Promise<void>): void {
    if (this.signal.aborted) throw new RuntimeError("closed", "Cannot start a task: the group is closed");
    const run = (async () => {
      try {
        await task(this.signal);
      } catch (error) {
        if (!(this.signal.aborted && isRuntimeError(error, "aborted"))) this.#onFailure(error);
      }
    })();
    this.#running.add(run);
    run.then(
      () => this.#running.delete(run),
      () => this.#running.delete(run),
    );
  }

  /** Abort all tasks and wait for their end. Safe to call again. @throws RuntimeError `join_timeout`. */
  async close(): Promise<void> {
    if (!this.signal.aborted) this.#controller.abort(new RuntimeError("aborted", "Cannot go on: the owner is closing"));
    if (this.#running.size === 0) return;
    const late = new AbortController();
    const timeout = this.#clock.sleep(this.#joinMs, late.signal).then(
      () => "late" as const,
      () => "joined" as const,
    );
    const outcome = await Promise.race([Promise.allSettled(this.#running).then(() => "joined" as const), timeout]);
    late.abort();
    if (outcome === "late") throw new RuntimeError("join_timeout", `Cannot join ${this.#running.size} tasks within ${this.#joinMs} ms`);
  }

  /** Wait until no task runs, without aborting any. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
