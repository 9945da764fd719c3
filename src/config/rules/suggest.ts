/** Longer words are not compared: nobody mistypes so much that a suggestion would help. */
const MAX_WORD_CHARACTERS = 60;

/** Find the word that was probably meant, or null when none is near: at most a third of the letters may differ, and at most three. */
export function suggest(word: string, known: Iterable<string>): string | null {
  if (word.length > MAX_WORD_CHARACTERS) return null;
  const wanted = word.toLowerCase();
  let best: string | null = null;
  let bestDistance = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - wanted.length) >= bestDistance) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Count the letters to insert, drop, change or swap with the next to make `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let before: number[] = [];
  let above: number[] = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1;
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      current[column] = Math.min(
        at(above, column) + 1,
        at(current, column - 1) + 1,
        at(above, column - 1) + same,
        swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, above] = [above, current];
  }
  return at(above, b.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}
