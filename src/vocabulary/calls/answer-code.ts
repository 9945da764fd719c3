/** Letters of a code: none that looks like another one. */
export const CODE_ALPHABET = "23456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Letters in a code, for how long it counts, and how often it may be tried (SE-081). */
export const ANSWER_CODE: { readonly letters: number; readonly forMs: number; readonly tries: number } = {
  letters: 8,
  forMs: 5 * 60_000,
  tries: 3,
};

const FORM = new RegExp(`^[${CODE_ALPHABET}]{${ANSWER_CODE.letters}}$`);
/** Stands for a code where its card is kept; the code itself is only in the message that leaves. */
const UNSAID = "#".repeat(ANSWER_CODE.letters);

/** A word as a code; null for what cannot be one. Case and a hyphen in the middle don't matter. */
export function codeIn(word: string): string | null {
  const letters = word.replace("-", "").toUpperCase();
  return FORM.test(letters) ? letters : null;
}

/** The line in front of a card that is answered by a code, without it. */
export function codeLine(number: number): string {
  return `Only with this code, which nobody else is shown: allow ${number} ${UNSAID} (within 5 minutes)`;
}

/** The first part of such a card as it leaves: with the code in its first line, and nowhere else. */
export function withCode(body: string, number: number, code: string): string {
  const line = codeLine(number);
  return body.startsWith(line) ? `${line.replace(UNSAID, code)}${body.slice(line.length)}` : body;
}
