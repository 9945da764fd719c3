import type { Clock } from "../../../foundation/clock.ts";
import { abortReason } from "../../../foundation/clock.ts";
import { linkSignals } from "../../../foundation/cancellation.ts";
import { RuntimeError } from "../../../foundation/errors.ts";
import type { TaskGroup } from "../../../foundation/task-group.ts";

/** A sign lasts ten seconds and cannot be taken back, so it is renewed a little earlier. */
const RENEW_MS = 8_000;
/** Longer than any turn may take: whatever forgets to end a sign, it ends. */
const LONGEST_MS = 11 * 60_000;
/** How long a part waits for a sign that is on its way, so that none comes behind it. */
const SETTLE_MS = 1_500;

interface Sign {
  readonly end: () => void;
  readonly ended: Promise<void>;
}

/** Signs of typing, one for each conversation at work. Each ends: with the first part, with the turn, and in any case after a while. */
export class Typing {
  readonly #needs: { readonly clock: Clock; readonly tasks: TaskGroup };
  readonly #signs = new Map<string, Sign>();

  constructor(needs: { readonly clock: Clock; readonly tasks: TaskGroup }) {
    this.#needs = needs;
  }

  /** Signs that are given now. */
  get size(): number {
    return this.#signs.size;
  }

  /** Give a sign and renew it until {@link stop}. `give` shows it once; what comes of that is of no account. */
  start(key: string, give: (signal: AbortSignal) => Promise<unknown>): void {
    const { tasks } = this.#needs;
    if (this.#signs.has(key) || tasks.signal.aborted) return;
    const ends = linkSignals(tasks.signal);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    const sign: Sign = { end: () => ends.abort(new RuntimeError("aborted", "Cannot go on typing: the turn speaks")), ended };
    this.#signs.set(key, sign);
    tasks.start(async () => {
      try {
        await this.#renew(give, ends.signal);
      } catch (error) {
        if (!ends.signal.aborted) throw error;
      } finally {
        ends[Symbol.dispose]();
        if (this.#signs.get(key) === sign) this.#signs.delete(key);
        resolve();
      }
    });
  }

  /** End a sign, and wait until none is on its way any more. */
  async stop(key: string, signal: AbortSignal): Promise<void> {
    const sign = this.#signs.get(key);
    if (sign === undefined) return;
    this.#signs.delete(key);
    sign.end();
    const late = linkSignals(signal);
    await Promise.race([
      sign.ended,
      this.#needs.clock.sleep(SETTLE_MS, late.signal).then(
        () => {},
        () => {},
      ),
    ]);
    late.abort(new RuntimeError("aborted", "Cannot go on waiting: the sign has ended"));
    late[Symbol.dispose]();
    if (signal.aborted) throw abortReason(signal);
  }

  async #renew(give: (signal: AbortSignal) => Promise<unknown>, signal: AbortSignal): Promise<void> {
    const { clock } = this.#needs;
    const untilMs = clock.monotonicMs() + LONGEST_MS;
    while (!signal.aborted && clock.monotonicMs() < untilMs) {
      await give(signal);
      await clock.sleep(RENEW_MS, signal);
    }
  }
}
