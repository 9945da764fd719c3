const NUMBER = new Intl.NumberFormat("en-GB");

/** `3,412`. */
export function number(value: number): string {
  return NUMBER.format(value);
}

/** `1 line`, `3 lines`: the word's plural is its own with an s unless it is given. */
export function count(value: number, one: string, many: string = `${one}s`): string {
  return `${number(value)} ${value === 1 ? one : many}`;
}

const UNITS = ["B", "kB", "MB", "GB"] as const;

/** `412 B`, `38.2 MB`. */
export function bytes(value: number): string {
  let unit = 0;
  let rest = value;
  while (rest >= 1_000 && unit < UNITS.length - 1) {
    rest /= 1_000;
    unit += 1;
  }
  return `${unit === 0 ? number(rest) : rest.toFixed(rest < 10 ? 2 : 1)} ${UNITS[unit] ?? ""}`;
}

/** Words of a list: `a`, `a and b`, `a, b and c`. */
export function listed(words: readonly string[]): string {
  if (words.length < 2) return words[0] ?? "";
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1) ?? ""}`;
}
