import type { Clock } from "../../foundation/clock.ts";
import type { CharacterId, TurnId } from "../../vocabulary/ids.ts";
import type { Part } from "../../vocabulary/part.ts";
import type { Place } from "../../vocabulary/place.ts";

const MAX_LINES = 256;
/** By then the line's end is committed and the record has it. */
const KEEP_WHOLE_MS = 60_000;

/** A character's line while its parts come, before the record calls it said. */
export interface LiveLine {
  readonly turn: TurnId;
  readonly character: CharacterId;
  readonly place: Place;
  readonly atMs: number;
  readonly action: string;
  readonly count: number;
  /** In order of index. */
  readonly parts: readonly { readonly id: string; readonly index: number; readonly body: string }[];
}

/**
 * The parts that were shown since this process started, line by line. It bridges the time between a part's being sent and the
 * commit that calls its line said: whole lines go 60 s after their last part, all go oldest first above 256.
 */
export class LiveLines {
  readonly #clock: Clock;
  readonly #lines = new Map<TurnId, LiveLine & { readonly touchedMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Take a part in. `fresh` is false for one that is there already. */
  add(part: Part): { readonly line: LiveLine; readonly fresh: boolean } {
    const known = this.#lines.get(part.turn);
    if (known?.parts.some(({ id }) => id === part.id)) return { line: known, fresh: false };
    const parts = [...(known?.parts ?? []), { id: part.id, index: part.index, body: part.body }].toSorted((a, b) => a.index - b.index);
    const line = {
      turn: part.turn,
      character: part.character,
      place: part.place,
      atMs: known?.atMs ?? this.#clock.nowMs(),
      action: known?.action === undefined || known.action === "" ? part.action : known.action,
      count: part.count,
      parts,
      touchedMs: this.#clock.monotonicMs(),
    };
    this.#lines.delete(part.turn);
    this.#lines.set(part.turn, line);
    this.#prune();
    return { line, fresh: true };
  }

  /** Whether a part was shown by this process. */
  has(part: Part): boolean {
    return this.#lines.get(part.turn)?.parts.some(({ id }) => id === part.id) ?? false;
  }

  /** Let go of a line that the record has, and say what was shown of it. */
  take(turn: TurnId): LiveLine | null {
    const line = this.#lines.get(turn) ?? null;
    this.#lines.delete(turn);
    return line;
  }

  /** Lines that are still on their way or just came, oldest first. */
  all(): readonly LiveLine[] {
    this.#prune();
    return [...this.#lines.values()];
  }

  #prune(): void {
    const nowMs = this.#clock.monotonicMs();
    for (const [turn, line] of this.#lines) {
      const whole = line.parts.length >= line.count;
      if (this.#lines.size > MAX_LINES || (whole && nowMs - line.touchedMs >= KEEP_WHOLE_MS)) this.#lines.delete(turn);
    }
  }
}
