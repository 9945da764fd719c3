import type { Clock } from "../../foundation/clock.ts";
import type { GenerationPiece } from "../../vocabulary/calls/agent-model.ts";
import type { EventBody } from "../../vocabulary/calls/hook-event.ts";

/** New characters, and milliseconds, after which hooks are told how an answer goes on (CH-088). */
export const PROGRESS = { characters: 2_000, everyMs: 1_000 } as const;

type Progress = Extract<EventBody, { hook: "generation_progress" }>;

/**
 * Gathers what a model writes, and tells it in steps. One step is told at a time: what comes meanwhile is in the next. Nothing is told
 * after `end`.
 */
export class GenerationProgress {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #iteration: number;
  readonly #tell: (progress: Progress) => Promise<void>;
  readonly #startedMs: number;
  #toldMs: number;
  #new = { thinking: "", text: "" };
  #all = { thinking: 0, text: 0 };
  #restarted = false;
  #telling: Promise<void> | null = null;
  #ended = false;

  constructor(iteration: number, clock: Pick<Clock, "monotonicMs">, tell: (progress: Progress) => Promise<void>) {
    this.#clock = clock;
    this.#iteration = iteration;
    this.#tell = tell;
    this.#startedMs = clock.monotonicMs();
    this.#toldMs = this.#startedMs;
  }

  /** Take a piece; `begin` says that the answer begins, or begins again. */
  take(piece: GenerationPiece): void {
    if (piece.kind === "begin") {
      // What was dropped is no part of the answer.
      this.#restarted ||= this.#all.text + this.#all.thinking > 0;
      this.#new = { thinking: "", text: "" };
      this.#all = { thinking: 0, text: 0 };
      return;
    }
    this.#new[piece.kind] += piece.text;
    this.#all[piece.kind] += piece.text.length;
    const nowMs = this.#clock.monotonicMs();
    const isDue = this.#new.text.length + this.#new.thinking.length >= PROGRESS.characters || nowMs - this.#toldMs >= PROGRESS.everyMs;
    if (!isDue || this.#telling !== null || this.#ended) return;
    this.#toldMs = nowMs;
    this.#telling = this.#step(nowMs)
      // It ends in failure only when the turn is stopped, and then the turn's own signal says so.
      .catch(() => undefined)
      .finally(() => (this.#telling = null));
  }

  /** Tell nothing more, and wait until what is being told was heard. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#telling;
  }

  #step(nowMs: number): Promise<void> {
    const progress: Progress = {
      hook: "generation_progress",
      iteration: this.#iteration,
      ...this.#new,
      thinkingChars: this.#all.thinking,
      textChars: this.#all.text,
      elapsedMs: nowMs - this.#startedMs,
      restarted: this.#restarted,
    };
    this.#new = { thinking: "", text: "" };
    this.#restarted = false;
    return this.#tell(progress);
  }
}
