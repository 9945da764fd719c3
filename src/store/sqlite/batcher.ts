import { RuntimeError } from "../../foundation/errors.ts";
import { onNextTurn } from "../../foundation/clock.ts";
import type { VerbOutcome, WriterAnswer, WriterRequest } from "./protocol.ts";
import type { VerbCall, VerbName, VerbResults } from "./verbs/verbs.ts";

/** Verbs of one commit, at most. */
export const MAX_BATCH = 1_000;
/** Verbs that may wait; the road's own bounds are far below. */
const MAX_WAITING = 65_536;
/** Batches sent in one turn of the event loop: the second is written while this thread goes on with what the first one settled. */
const MAX_SENT_IN_TURN = 2;

interface Pending {
  readonly call: VerbCall;
  readonly settle: (outcome: VerbOutcome) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Gathers the verbs of one turn of the event loop into a batch; one batch is under way, and the next goes when it is answered.
 *
 * B1  Verbs are sent, and their promises settled, in the order of the calls.
 * B2  After a failure nothing is sent any more: whatever waits or comes rejects with it, so that a promise that resolves still
 *     means that everything before it is durable.
 * B3  However fast the writer answers, the event loop turns between every two batches: a port hands over what came meanwhile
 *     without leaving it, and timers, sockets and signals would wait for as long as there is work.
 */
export class Batcher {
  readonly #ask: (request: WriterRequest) => Promise<WriterAnswer>;
  readonly #onFailure: (failure: RuntimeError) => void;
  #waiting: Pending[] = [];
  #busy = false;
  #closed = false;
  #sentInTurn = 0;
  #failure: RuntimeError | null = null;
  #onIdle: (() => void)[] = [];

  constructor(ask: (request: WriterRequest) => Promise<WriterAnswer>, onFailure: (failure: RuntimeError) => void) {
    this.#ask = ask;
    this.#onFailure = onFailure;
  }

  /** Have a verb run; resolves once its batch is durable. @throws RuntimeError `closed`, `capacity`, a store failure, the verb's own fault. */
  call<Name extends VerbName>(call: VerbCall & { readonly verb: Name }): Promise<VerbResults[Name]> {
    const refusal = this.#refusal();
    if (refusal !== null) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const settle = (outcome: VerbOutcome): void => {
        if (outcome.kind === "fault") reject(new RuntimeError(outcome.code, outcome.message));
        // oxlint-disable-next-line no-unsafe-type-assertion -- the writer answers each call with the result of its own verb
        else resolve(outcome.result as VerbResults[Name]);
      };
      this.#waiting.push({ call, settle, reject });
      if (!this.#busy) this.#begin();
    });
  }

  /** Take no more verbs and wait until those taken are settled. */
  drain(): Promise<void> {
    this.#closed = true;
    if (!this.#busy) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #refusal(): RuntimeError | null {
    if (this.#failure !== null) return this.#failure;
    if (this.#closed) return new RuntimeError("closed", "Cannot write: the store is closed");
    if (this.#waiting.length >= MAX_WAITING) return new RuntimeError("capacity", `Cannot write: ${MAX_WAITING} verbs wait`);
    return null;
  }

  #begin(): void {
    this.#busy = true;
    onNextTurn(() => this.#send());
  }

  #send(): void {
    if (this.#sentInTurn++ === 0) onNextTurn(() => (this.#sentInTurn = 0));
    const batch = this.#waiting.slice(0, MAX_BATCH);
    this.#waiting = this.#waiting.slice(MAX_BATCH);
    this.#post(batch).then(
      () => this.#next(),
      (error: unknown) => this.#retry(batch, error),
    );
  }

  async #post(batch: readonly Pending[]): Promise<void> {
    const answer = await this.#ask({ kind: "batch", calls: batch.map((pending) => pending.call) });
    if (answer.kind === "failed") throw new RuntimeError(answer.code, answer.message);
    if (answer.kind !== "committed" || answer.outcomes.length !== batch.length)
      throw new RuntimeError("internal", "Cannot write: the writer's answer is not the one to its batch");
    answer.outcomes.forEach((outcome, index) => batch[index]?.settle(outcome));
  }

  /** Rows that cannot cross to another thread are their callers' fault and leave the batch; any other failure is the store's. */
  #retry(batch: readonly Pending[], error: unknown): void {
    const fit = error instanceof DOMException ? batch.filter((pending) => canCross(pending.call)) : batch;
    if (fit.length === batch.length) {
      this.#fail(batch, error);
      return;
    }
    const why = new RuntimeError("invalid_argument", "Cannot write: a row holds more than plain data", { cause: error });
    for (const pending of batch) if (!fit.includes(pending)) pending.reject(why);
    this.#waiting = [...fit, ...this.#waiting];
    this.#next();
  }

  #next(): void {
    if (this.#waiting.length > 0) {
      if (this.#sentInTurn < MAX_SENT_IN_TURN) this.#send();
      else onNextTurn(() => this.#send());
      return;
    }
    this.#busy = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #fail(batch: readonly Pending[], error: unknown): void {
    const failure =
      error instanceof RuntimeError ? error : new RuntimeError("internal", "Cannot write: a batch could not be sent", { cause: error });
    this.#failure = failure;
    const left = [...batch, ...this.#waiting];
    this.#waiting = [];
    for (const pending of left) pending.reject(failure);
    this.#next();
    this.#onFailure(failure);
  }
}

function canCross(call: VerbCall): boolean {
  try {
    structuredClone(call);
    return true;
  } catch {
    return false; // A function, a promise or the like stands in it.
  }
}
