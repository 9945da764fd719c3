import { randomBytes } from "../foundation/random-bytes.ts";

/** Plain words that every model can write; two of them and a number are nothing anybody guesses. */
const NOUNS: readonly string[] = [
  "amber",
  "anchor",
  "basket",
  "beacon",
  "candle",
  "cedar",
  "copper",
  "coral",
  "falcon",
  "garnet",
  "harbor",
  "hazel",
  "ivory",
  "jasper",
  "kettle",
  "lantern",
  "linen",
  "maple",
  "marble",
  "meadow",
  "nutmeg",
  "orchid",
  "otter",
  "pebble",
  "pepper",
  "raven",
  "ribbon",
  "saddle",
  "saffron",
  "silver",
  "thistle",
  "walnut",
];

/** Words that stand along a packet, the first in the system text, the last in the last line. */
export const CODE_WORDS = 8;

/** Fresh code words, such as `falcon-47`: no two share a noun. */
export function freshCodeWords(): readonly string[] {
  const nouns = [...NOUNS];
  return Array.from({ length: CODE_WORDS }, () => {
    const [pick = 0, number = 0] = randomBytes(2);
    const [noun = "word"] = nouns.splice(pick % nouns.length, 1);
    return `${noun}-${10 + (number % 90)}`;
  });
}

/**
 * What the words that came back say of those that did not. `whole`: all came back, or all but one that was not the first: a slip.
 * `head`: the first are missing, the later ones are there. `middle`: one stretch behind the first is missing. `scattered`: anything
 * else, all of them among it: that is no sign of something left out, but of a model that does not do what it is asked.
 */
export type Recall = "whole" | "head" | "middle" | "scattered";

/** Compare an answer with the words of its packet. Spelling counts, case and the kind of dash don't. */
export function recallOf(answer: string, words: readonly string[]): Recall {
  const said = plain(answer);
  const missing = words.flatMap((word, at) => (said.includes(plain(word)) ? [] : [at]));
  const [first = 0] = missing;
  const last = missing.at(-1) ?? 0;
  if (missing.length === 0) return "whole";
  if (missing.length === words.length) return "scattered";
  if (missing.length === 1 && first > 0) return "whole";
  if (last - first + 1 !== missing.length) return "scattered";
  return first === 0 ? "head" : "middle";
}

function plain(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\p{Pd}\s_]+/gu, "-");
}
