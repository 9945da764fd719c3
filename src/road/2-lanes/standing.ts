/** Where something stands among what waits in a place: by the platform's own order where that is known, else by when it came in. */
export interface Standing {
  readonly position: bigint | null;
  readonly arrival: number;
}

/** Whether one comes before another. */
export function isBefore(one: Standing, other: Standing): boolean {
  if (one.position !== null && other.position !== null && one.position !== other.position) return one.position < other.position;
  return one.arrival < other.arrival;
}

/** Put one behind everything that does not come after it; gives where it stands. Mostly it is the last, so the end is looked at first. */
export function putInOrder<T>(row: T[], one: T, standingOf: (one: T) => Standing): number {
  const standing = standingOf(one);
  const at = 1 + row.findLastIndex((other) => !isBefore(standing, standingOf(other)));
  row.splice(at, 0, one);
  return at;
}
