/** Cheap sign that something in a text may not be its writer's own plain words. */
const MAYBE = /[`>\\]|:\/\//;

/** Code blocks, code spans, quoted lines (`>`; `>>>` quotes all that follows), escaped mentions and addresses. */
const NOT_OWN = /```[\s\S]*?(?:```|(?![\s\S]))|(`{1,2})[^\n]*?\1|^[ \t]*>>>[\s\S]*|^[ \t]*>[^\n]*|\\[@<]\S*|\bhttps?:\/\/\S+/gm;

/**
 * What a line's writer says in plain words: code, quotes, escaped mentions and addresses are blanked, so that a name or a command
 * in them does nothing (SE-096, cases A5). Quoted lines are other people's words. Compatibility forms are folded.
 */
export function ownWords(text: string): string {
  const plain = text.normalize("NFKC");
  return MAYBE.test(plain) ? plain.replace(NOT_OWN, (foreign) => " ".repeat(foreign.length)) : plain;
}

/** A line's text as a command is read from it: own words only, without blanks around them (SE-096). */
export function commandWords(text: string): string {
  return MAYBE.test(text) ? ownWords(text).trim() : text.trim();
}

/** Letters and digits alone, without case: what is left when two texts say the same. Emoji and signs alone are kept as they are. */
export function sameness(text: string): string {
  const folded = text.normalize("NFKC").toLowerCase();
  const letters = folded.replace(/[^\p{L}\p{N}]+/gu, "");
  return letters === "" ? folded.trim() : letters;
}
