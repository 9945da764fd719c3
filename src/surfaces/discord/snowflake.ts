/** Discord counts its ids from the first moment of 2015. */
const EPOCH_MS = 1_420_070_400_000n;
const SNOWFLAKE = /^[1-9]\d{0,19}$/;

/** Whether a text is an id of Discord's kind. */
export function isSnowflake(text: string): boolean {
  return SNOWFLAKE.test(text) && BigInt(text) < 1n << 64n;
}

/** When an id was made, in milliseconds since 1970. */
export function momentOf(id: string): number {
  return Number((BigInt(id) >> 22n) + EPOCH_MS);
}

/** The first id that could be made at a moment. */
export function firstIdAt(ms: number): string {
  const since = BigInt(Math.max(0, Math.floor(ms))) - EPOCH_MS;
  return String(since <= 0n ? 0n : since << 22n);
}

/** Sort ids by when they were made, oldest first. */
export function byMoment(a: string, b: string): number {
  const difference = BigInt(a) - BigInt(b);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
}
