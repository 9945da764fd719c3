import type { Place } from "../vocabulary/place.ts";

const MINUTE_MS = 60_000;

/** How long conversation stays in a character's mind, in milliseconds. */
export interface MemorySpans {
  /** Age of the oldest line of a direct line. */
  readonly directMs: number;
  /** Longest pause between two lines of a public place; what was said before a longer one is forgotten. */
  readonly publicMs: number;
}

/** The product's own: direct lines for 24 hours, a public place until 30 minutes after its last exchange (MC-069, TR-043). */
export const MEMORY: MemorySpans = { directMs: 24 * 60 * MINUTE_MS, publicMs: 30 * MINUTE_MS };

/**
 * Walks a conversation back from now and tells where memory ends. It is shown only lines that may be seen, newest first, so that
 * what is forgotten never depends on what is hidden (TR-030). Times are the wall clock's: memory outlives the process.
 */
export class Recollection {
  readonly #kind: Place["kind"];
  readonly #spans: MemorySpans;
  readonly #nowMs: number;
  #edgeMs: number;

  constructor(kind: Place["kind"], spans: MemorySpans, nowMs: number) {
    this.#kind = kind;
    this.#spans = spans;
    this.#nowMs = nowMs;
    this.#edgeMs = nowMs;
  }

  /** Whether the next older line is still in mind; once one is not, nothing before it is either. */
  reaches(atMs: number): boolean {
    if (this.#kind === "direct") return this.#nowMs - atMs <= this.#spans.directMs;
    if (this.#edgeMs - atMs > this.#spans.publicMs) return false;
    this.#edgeMs = Math.min(this.#edgeMs, atMs);
    return true;
  }
}
