/** Commits whose times are at hand: the newest. */
const CAPACITY = 1_024;

/** How long the newest commits took, each with its sync to the disk. */
export class CommitTimes {
  readonly #times = new Float64Array(CAPACITY);
  #count = 0;

  /** Commits since the opening. */
  get count(): number {
    return this.#count;
  }

  /** Note one that took so many milliseconds. */
  note(tookMs: number): void {
    this.#times[this.#count % CAPACITY] = tookMs;
    this.#count += 1;
  }

  /** The time that this share (0 to 1) of the newest commits did not exceed; null before the first. */
  percentile(share: number): number | null {
    const known = this.#times.slice(0, Math.min(this.#count, CAPACITY)).toSorted();
    return known[Math.max(0, Math.ceil(share * known.length) - 1)] ?? null;
  }
}
