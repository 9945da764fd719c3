import type { ReadonlySignal, Signal } from "@preact/signals";
import { signal } from "@preact/signals";
import { linkSignals } from "../../../../foundation/cancellation.ts";
import type { Clock } from "../../../../foundation/clock.ts";
import { RuntimeError } from "../../../../foundation/errors.ts";
import type { TaskGroup } from "../../../../foundation/task-group.ts";
import type { Told } from "./operations-client.ts";

/** What is known of something the server tells: the last answer stays while a newer one is asked for, and when that fails. */
export interface Seen<T> {
  readonly value: T | null;
  /** When that answer came, by this machine's clock. */
  readonly atMs: number | null;
  /** Why the last try failed, and since when they do; null while they succeed. */
  readonly trouble: { readonly code: string; readonly message: string; readonly sinceMs: number } | null;
}

/** What a watch stands on. */
export interface WatchNeeds<T> {
  readonly read: (signal: AbortSignal) => Promise<Told<T>>;
  readonly clock: Clock;
  readonly tasks: TaskGroup;
  /** Whether anybody could see an answer now: a hidden page and a broken link ask for nothing. */
  readonly isAwake: () => boolean;
}

/**
 * Asks for one thing again and again while somebody looks at it.
 *
 * W1  One question at a time; the next waits its time from the answer on.
 * W2  Nothing is asked while nobody looks, and what was told stays for whoever looks next.
 * W3  What fails leaves the last answer standing.
 */
export class Watch<T> {
  readonly #needs: WatchNeeds<T>;
  readonly #seen: Signal<Seen<T>> = signal({ value: null, atMs: null, trouble: null });
  /** How often each looker wants it. */
  readonly #lookers = new Set<{ readonly everyMs: number }>();
  #running: AbortController | null = null;
  #wake: PromiseWithResolvers<void> = Promise.withResolvers<void>();

  constructor(needs: WatchNeeds<T>) {
    this.#needs = needs;
  }

  get seen(): ReadonlySignal<Seen<T>> {
    return this.#seen;
  }

  /** Look: ask now, then every so many milliseconds after each answer, until the handle is disposed. */
  look(everyMs: number): Disposable {
    const looker = { everyMs };
    this.#lookers.add(looker);
    if (this.#running === null) this.#begin();
    else this.ask();
    return {
      [Symbol.dispose]: () => {
        this.#lookers.delete(looker);
        if (this.#lookers.size > 0) return;
        this.#running?.abort();
        this.#running = null;
      },
    };
  }

  /** Forget what was told: nothing can be made of it. */
  forget(): void {
    this.#seen.value = { value: null, atMs: null, trouble: null };
  }

  /** Ask now instead of waiting. Does nothing while nobody looks. */
  ask(): void {
    this.#wake.resolve();
  }

  #begin(): void {
    const running = new AbortController();
    this.#running = running;
    this.#needs.tasks.start(async (signal) => {
      using linked = linkSignals(signal, running.signal);
      while (!linked.signal.aborted) {
        this.#wake = Promise.withResolvers<void>();
        if (this.#needs.isAwake()) await this.#read(linked.signal);
        await this.#rest(linked.signal);
      }
    });
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      const told = await this.#needs.read(signal);
      if (!signal.aborted) this.#take(told);
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #take(told: Told<T>): void {
    const nowMs = this.#needs.clock.nowMs();
    if (told.kind === "done") {
      this.#seen.value = { value: told.value, atMs: nowMs, trouble: null };
      return;
    }
    const { code, message } = told;
    const { value, atMs, trouble } = this.#seen.peek();
    this.#seen.value = { value, atMs, trouble: { code, message, sinceMs: trouble?.sinceMs ?? nowMs } };
  }

  /** Until the next question is due, or somebody wants it at once. */
  async #rest(signal: AbortSignal): Promise<void> {
    const everyMs = Math.min(...[...this.#lookers].map((each) => each.everyMs), MAX_REST_MS);
    using waited = linkSignals(signal);
    await Promise.race([this.#wake.promise, this.#needs.clock.sleep(everyMs, waited.signal).catch(() => undefined)]);
    waited.abort(new RuntimeError("aborted", "Cannot go on: the wait is over"));
  }
}

const MAX_REST_MS = 60_000;
