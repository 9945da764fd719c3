import { RuntimeError } from "./errors.ts";

/**
 * Time for the whole runtime, so that tests own it. `nowMs` is the wall clock (expiry, what people read), `monotonicMs`
 * never goes back (deadlines, durations). No other file touches a timer; `test/architecture` checks that.
 */
export interface Clock {
  /** Milliseconds since 1970, UTC. */
  nowMs(): number;
  /** Milliseconds since an arbitrary start; only differences mean something. */
  monotonicMs(): number;
  /** Resolve after `ms` (0 or more); reject with the signal's reason as soon as it aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
  /** Call `action` once after `ms` unless the returned handle is disposed first. The handle never keeps the process alive. */
  after(ms: number, action: () => void): Disposable;
}

/** The real clock of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  sleep(ms, signal) {
    return new Promise<void>((resolve, reject) => {
      if (signal.aborted) {
        reject(abortReason(signal));
        return;
      }
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(abortReason(signal));
      };
      const timer = setTimeout(() => {
        signal.removeEventListener("abort", onAbort);
        resolve();
      }, ms);
      signal.addEventListener("abort", onAbort, { once: true });
    });
  },
  after(ms, action) {
    const timer = setTimeout(action, ms);
    timer.unref();
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};

/** The reason of an aborted signal as an Error: itself when it is one, else `aborted`. */
export function abortReason(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof RuntimeError ? reason : new RuntimeError("aborted", "Cannot go on: the work was cancelled", { cause: reason });
}

/**
 * Call `action` once the current turn of the event loop is over, so that whatever else this turn brings can be gathered first.
 * It is no timer: it waits for nothing, and a process with such a call pending does not end before it ran.
 */
export function onNextTurn(action: () => void): void {
  setImmediate(action);
}
