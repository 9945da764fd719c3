import type { Clock } from "./clock.ts";
import { abortReason } from "./clock.ts";
import { RuntimeError } from "./errors.ts";

/** Who waits for a signal. A signal looks through all its listeners for each new one, so many waiters share a single listener. */
const WAITERS = new WeakMap<AbortSignal, Set<Waiter>>();

/** Call `action` once the signal aborts, unless the handle is disposed first. The signal must not have aborted yet. */
export function whenAborted(signal: AbortSignal, action: () => void): Disposable {
  const waiters = WAITERS.get(signal) ?? listenTo(signal);
  return new Waiter(waiters, action);
}

/** Its own object, so that the same action may wait twice. */
class Waiter implements Disposable {
  readonly action: () => void;
  readonly #among: Set<Waiter>;

  constructor(among: Set<Waiter>, action: () => void) {
    this.action = action;
    this.#among = among.add(this);
  }

  [Symbol.dispose](): void {
    this.#among.delete(this);
  }
}

function listenTo(signal: AbortSignal): Set<Waiter> {
  const waiters = new Set<Waiter>();
  WAITERS.set(signal, waiters);
  const tell = (): void => {
    for (const { action } of waiters) action();
    waiters.clear();
  };
  signal.addEventListener("abort", tell, { once: true });
  return waiters;
}

/** A signal with an owner: it follows its parents, can be aborted by the owner, and lets go of the parents when disposed. */
export interface LinkedSignal extends Disposable {
  readonly signal: AbortSignal;
  abort(reason: RuntimeError): void;
}

/** Make a signal that aborts with the first of `parents`; dispose it when the work is over, or it stays linked to them. */
export function linkSignals(...parents: readonly AbortSignal[]): LinkedSignal {
  return new Linked(parents);
}

class Linked implements LinkedSignal {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  #links: Disposable[] = [];

  constructor(parents: readonly AbortSignal[]) {
    this.signal = this.#controller.signal;
    for (const parent of parents) {
      const follow = (): void => this.#controller.abort(abortReason(parent));
      if (parent.aborted) follow();
      else this.#links.push(whenAborted(parent, follow));
    }
  }

  abort(reason: RuntimeError): void {
    this.#controller.abort(reason);
  }

  /** Let go of something together with the parents. */
  alsoEnds(link: Disposable): this {
    this.#links.push(link);
    return this;
  }

  [Symbol.dispose](): void {
    const links = this.#links;
    this.#links = [];
    for (const link of links) link[Symbol.dispose]();
  }
}

/** Make a signal that also aborts with code `deadline` after `ms` of the clock. Dispose it when the work is over. */
export function withDeadline(clock: Clock, ms: number, parent: AbortSignal): LinkedSignal {
  const linked = new Linked([parent]);
  return linked.alsoEnds(clock.after(ms, () => linked.abort(new RuntimeError("deadline", `Cannot finish: it took longer than ${ms} ms`))));
}

/** Throw the signal's reason if it is aborted. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortReason(signal);
}

/** Wait for `work`, or reject with the signal's reason as soon as it aborts; `work` itself goes on and must hear the signal. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(abortReason(signal));
  return new Promise<T>((resolve, reject) => {
    const waiting = whenAborted(signal, () => reject(abortReason(signal)));
    const settle = (finish: () => void): void => {
      waiting[Symbol.dispose]();
      finish();
    };
    work.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) =>
        settle(() =>
          reject(error instanceof Error ? error : new RuntimeError("internal", "Cannot go on: a non-error was thrown", { cause: error })),
        ),
    );
  });
}
