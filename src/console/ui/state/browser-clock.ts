import type { Clock } from "../../../foundation/clock.ts";
import { abortReason } from "../../../foundation/clock.ts";

/** The real clock of a browser; the only file of the page that touches a timer. */
export const browserClock: Clock = {
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
    return { [Symbol.dispose]: () => clearTimeout(timer) };
  },
};
