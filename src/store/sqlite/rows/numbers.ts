import type { MessageId } from "../../../vocabulary/ids.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import { numberIn, optionalNumberIn } from "./columns.ts";
import type { Statements } from "./statements.ts";

const DAY_MS = 86_400_000;
/** Names of each kind whose numbers are at hand. */
const MAX_KNOWN = 8_192;

/** Beyond every number that a row still names, also when what it names is gone. */
const LAST = `select max(coalesce((select max(n) from event), 0), coalesce((select max(n) from decision), 0), coalesce((select max(n) from inbox), 0),
  coalesce((select max(inbox) from turn), 0)) as n`;
/** The number of a message: in its line, and where that is gone, in what is kept longer. */
export const NUMBER_OF = `select n from event where id = :id union all select n from inbox where id = :id
  union all select n from decision where id = :id limit 1`;

/** Where a turn is kept that has ended, and its line if it has one. */
export interface TurnNumbers {
  readonly turn: number;
  readonly event: number | null;
}

/**
 * Under which number a place, a message or a turn is kept. What was read or given is held in memory, so it is dropped with everything that may
 * make it untrue: a transaction that was taken back, and rows that were erased.
 */
export class Numbers {
  readonly #sql: Statements;
  readonly #places = new Map<PlaceId, { readonly n: number; readonly usedAtMs: number }>();
  readonly #messages = new Map<MessageId, number>();
  readonly #turns = new Map<string, TurnNumbers>();
  #last: number | null = null;

  constructor(sql: Statements) {
    this.#sql = sql;
  }

  /** A number for a new message. */
  next(): number {
    this.#last ??= numberIn(this.#sql.get(LAST) ?? {}, "n");
    this.#last += 1;
    return this.#last;
  }

  /** The number of a place, which it gets with its first use; that it is used is noted once a day. */
  place(id: PlaceId, atMs: number): number {
    const known = this.#places.get(id);
    if (known !== undefined && atMs - known.usedAtMs < DAY_MS) return known.n;
    const row = this.#sql.get(
      `insert into place(id, used_at_ms) values (:id, :atMs)
       on conflict(id) do update set used_at_ms = max(used_at_ms, excluded.used_at_ms) returning n, used_at_ms`,
      { id, atMs },
    );
    const n = numberIn(row ?? {}, "n");
    keep(this.#places, id, { n, usedAtMs: numberIn(row ?? {}, "used_at_ms") });
    return n;
  }

  /** The number of a message; null when nothing is kept of it. */
  message(id: MessageId): number | null {
    const known = this.#messages.get(id);
    if (known !== undefined) return known;
    const row = this.#sql.get(NUMBER_OF, { id });
    return row === null ? null : this.named(id, numberIn(row, "n"));
  }

  /** Note under which number a message was kept. */
  named(id: MessageId, n: number): number {
    keep(this.#messages, id, n);
    return n;
  }

  /** The number of a turn that has ended; null when it has no row. */
  turn(id: string): TurnNumbers | null {
    const known = this.#turns.get(id);
    if (known !== undefined) return known;
    const row = this.#sql.get("select n, event from turn where id = :id", { id });
    return row === null ? null : this.ended(id, { turn: numberIn(row, "n"), event: optionalNumberIn(row, "event") });
  }

  /** Note where a turn was kept. */
  ended(id: string, numbers: TurnNumbers): TurnNumbers {
    keep(this.#turns, id, numbers);
    return numbers;
  }

  /** Hold no name any more. Numbers go on: one that was given and taken back is not given again. */
  drop(): void {
    this.#places.clear();
    this.#messages.clear();
    this.#turns.clear();
  }
}

function keep<Key, Value>(known: Map<Key, Value>, key: Key, value: Value): void {
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, value);
}
