/** Characters of a script without spaces that one token may stand for. */
const LONGEST_UNSPACED = 4;
const DIGITS_PER_TOKEN = 3;

const PIECES =
  /(?<unspaced>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Hangul}]+)|(?<word>[\p{L}\p{M}'’]+)|(?<digits>\p{N}+)/gu;

/**
 * Tokens that a text comes to at least, whatever the tokenizer: none of those in use joins two words or many digits into one
 * token. Punctuation, spaces and the frame that a host adds are not counted, and no run of one letter counts for more than its
 * words: nobody can write a text that looks longer than it is. Pure; the work grows with the text alone.
 */
export function fewestTokens(text: string): number {
  let tokens = 0;
  for (const { groups } of text.matchAll(PIECES)) {
    if (groups?.["unspaced"] !== undefined) tokens += Math.ceil(groups["unspaced"].length / LONGEST_UNSPACED);
    else if (groups?.["digits"] !== undefined) tokens += Math.ceil(groups["digits"].length / DIGITS_PER_TOKEN);
    else tokens += 1;
  }
  return tokens;
}

/** Letters of at most two bytes: tokenizers have pieces of them in plenty. Others may cost a token for each byte. */
const COMMON_WORD = /^[^\u0800-\u{10ffff}]*$/u;
/** What a byte of a common letter costs at most, and a word beside its letters: hundredths of a token. */
const PER_BYTE = 75;
const PER_WORD = 30;

/**
 * Tokens that a text comes to at most, by what was measured of common tokenizers on texts made to be costly: a token for each
 * byte, less for common letters, none for a single space in front of a word. Used to set money aside (SE-090). Pure.
 */
export function mostTokens(text: string): number {
  let spared = 0;
  for (const [run] of text.matchAll(/ ?[\p{L}\p{M}]+/gu)) {
    if (!COMMON_WORD.test(run)) continue;
    const spaced = run.startsWith(" ") ? 1 : 0;
    const bytes = Buffer.byteLength(run) - spaced;
    spared += 100 * spaced + Math.max(0, bytes * (100 - PER_BYTE) - PER_WORD);
  }
  return Buffer.byteLength(text) - Math.floor(spared / 100);
}
