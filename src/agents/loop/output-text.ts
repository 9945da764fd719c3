/** Characters of a result that a model is shown, at most (cases D46). */
export const MAX_OUTPUT_CHARACTERS = 10_000;

/** A tool's text as a model gets it: whole, or its beginning and its end with a word on what lies between. Always well-formed. */
export function outputText(text: string): string {
  const whole = text.toWellFormed().replaceAll("\0", "\u{fffd}");
  if (whole.length <= MAX_OUTPUT_CHARACTERS) return whole === "" ? "(no output)" : whole;
  const half = Math.floor((MAX_OUTPUT_CHARACTERS - 80) / 2);
  const left = whole.length - 2 * half;
  return `${whole.slice(0, half)}\n[… ${left} characters are left out here …]\n${whole.slice(-half)}`.toWellFormed();
}
