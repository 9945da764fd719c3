/** Nobody reads a line and begins an answer sooner than this. */
const REACTION_MS = 400;
/** Letters a second that no hand keeps up: over 200 words a minute. */
const FASTEST_LETTERS_PER_S = 18;
/** Letters a second of a person who writes fast; a second line in a row that took at least that long was written, not split off. */
const FAST_LETTERS_PER_S = 12;
const SECOND_LINE_MS = 700;
/** Answers whose times are compared. */
export const TIMED_ANSWERS = 8;
/** Times of people's answers differ by far more than a tenth. */
const CLOCKWORK_SPREAD = 0.1;

/** Whether so many letters came sooner after what they answer than a person can read and write. */
export function isSuperhuman(afterMs: number, letters: number): boolean {
  return afterMs < REACTION_MS + (letters * 1_000) / FASTEST_LETTERS_PER_S;
}

/** Whether a line that nobody prompted, the writer's second in a row, took as long as writing it takes. */
export function isWrittenOn(afterMs: number, letters: number): boolean {
  return afterMs >= SECOND_LINE_MS + (letters * 1_000) / FAST_LETTERS_PER_S;
}

/** Whether the times of the last answers are as even as only a machine's are. Fewer than {@link TIMED_ANSWERS} tell nothing. */
export function isClockwork(answersMs: readonly number[]): boolean {
  if (answersMs.length < TIMED_ANSWERS) return false;
  const mean = answersMs.reduce((sum, one) => sum + one, 0) / answersMs.length;
  const variance = answersMs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / answersMs.length;
  return Math.sqrt(variance) <= mean * CLOCKWORK_SPREAD;
}
