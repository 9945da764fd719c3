import { RuntimeError } from "../foundation/errors.ts";
import type { ChronicleStore } from "../chronicle/chronicle.ts";
import type { AnswerRow, HearResult, HearRow, SettleResult, SettleRow, SuspendRow } from "../store/store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { PlaceId } from "../vocabulary/place.ts";

/**
 * The store's part that the chronicle uses, in memory. Verbs take effect in order; while it is held, they wait until a test
 * lets one through, and a row may be readable before its verb has resolved, as with a real writer on another thread.
 */
export class MemoryChronicleStore implements ChronicleStore {
  readonly #rows = new Map<PlaceId, ChronicleEvent[]>();
  readonly #waiting: Array<{ readonly commit: () => void; readonly resolve: () => void; readonly fail: (error: Error) => void }> = [];
  readonly #deliveries = new Map<string, ChronicleEvent>();
  #held = false;

  /** Reads made so far. */
  reads = 0;
  /** Rises when a test changes rows behind the chronicle's back. */
  erasures = 0;

  /** Put rows in as they are, whatever their labels. */
  put(...events: readonly ChronicleEvent[]): void {
    for (const event of events) this.#insert(event);
    this.erasures += 1;
  }

  /** From now on commits wait for {@link commitNext} or {@link failNext}. */
  hold(): void {
    this.#held = true;
  }

  /** Make the oldest waiting verb's row readable; with `resolve: false` its promise stays open. */
  commitNext(options: { readonly resolve: boolean } = { resolve: true }): void {
    const next = options.resolve ? this.#waiting.shift() : this.#waiting[0];
    next?.commit();
    if (options.resolve) next?.resolve();
  }

  /** Let the oldest waiting verb fail. */
  failNext(): void {
    this.#waiting.shift()?.fail(new RuntimeError("disk_full", "Cannot write: the disk is full"));
  }

  readonly read: ChronicleStore["read"] = {
    events: (place, limit, beforeSeq) => {
      this.reads += 1;
      const rows = (this.#rows.get(place) ?? []).filter((event) => beforeSeq === undefined || event.seq < beforeSeq);
      return rows.slice(-limit);
    },
    event: (id) => [...this.#rows.values()].flat().find((event) => event.id === id) ?? null,
  };

  hear(row: HearRow): Promise<HearResult> {
    return this.#verb(() => {
      const key = `${row.event.delivery?.surface ?? ""} ${row.event.delivery?.id ?? row.event.id}`;
      const first = this.#deliveries.get(key);
      if (first !== undefined && first.id !== row.event.id) return { kind: "duplicate", id: first.id };
      this.#deliveries.set(key, row.event);
      return { kind: "fresh", seq: this.#insert(row.event) };
    });
  }

  suspend(row: SuspendRow): Promise<{ readonly suspended: boolean; readonly seq: number }> {
    return this.#verb(() => ({ suspended: true, seq: row.card === undefined ? 0 : this.#insert(row.card.event) }));
  }

  answer(row: AnswerRow): Promise<{ readonly stored: boolean; readonly seq: number }> {
    return this.#verb(() => ({ stored: true, seq: this.#insert(row.event) }));
  }

  settle(row: SettleRow): Promise<SettleResult> {
    return this.#verb(() => {
      const turn = row.part.slice(0, row.part.lastIndexOf("."));
      const state = row.state === "delivered" || row.state === "unknown" ? "said" : "unsaid";
      for (const rows of this.#rows.values()) {
        const at = rows.findIndex((event) => event.turn === turn);
        const line = rows[at];
        if (line !== undefined && row.next === null) rows[at] = { ...line, state };
      }
      return { settled: true, line: row.next === null ? state : null };
    });
  }

  #verb<Result>(commit: () => Result): Promise<Result> {
    if (!this.#held) return Promise.resolve(commit());
    return new Promise<Result>((resolve, reject) => {
      let result: { readonly value: Result } | undefined;
      const once = (): Result => (result ??= { value: commit() }).value;
      this.#waiting.push({ commit: () => void once(), resolve: () => resolve(once()), fail: reject });
    });
  }

  #insert(event: ChronicleEvent): number {
    const rows = this.#rows.get(event.place) ?? [];
    const known = rows.find((row) => row.id === event.id);
    if (known !== undefined) return known.seq;
    const stored = { ...event, seq: rows.length + 1 };
    rows.push(stored);
    this.#rows.set(event.place, rows);
    return stored.seq;
  }
}
