/** Names and numbers that a measurement gives. Names of the report's own keys, or of what stands beside them. */
export type Figures = Readonly<Record<string, number>>;

/** The smallest value that at least `share` of all values do not exceed; NaN of none. */
export function percentile(values: readonly number[], share: number): number {
  const ascending = values.toSorted((a, b) => a - b);
  return ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN;
}

/** The value in the middle; of an even count the lower one of the two, so that it is one that was measured. */
export function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

/** Tell the parent what was measured: the last line of a measurement's output. */
export function report(figures: Figures): void {
  for (const [name, value] of Object.entries(figures)) if (!Number.isFinite(value)) throw new Error(`${name} is not a number: ${value}`);
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
