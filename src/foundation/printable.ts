/** Longest text that {@link printable} gives by default, in characters. */
const MAX_PRINTABLE_CHARACTERS = 400;

/**
 * Foreign text that may reach a terminal, a log line, a card or a file name (SE-103). Minted only by {@link printable} and
 * {@link printableBy}; terminal writers and the logger take no plain string for such fields.
 */
export type Printable = string & { readonly __printable: true };

// Cc, Cf (bidi and tag characters among them), line and paragraph separators, surrogates left alone, private use, noncharacters.
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/**
 * Make foreign text safe to print: one line, each control, format, bidi, separator or tag character shown as `⟨202E⟩`, at
 * most `maxCharacters` long (the end is cut and marked `…`).
 */
export function printable(text: string, maxCharacters: number = MAX_PRINTABLE_CHARACTERS): Printable {
  const points = Array.from(text);
  const cut = points.length > maxCharacters ? `${points.slice(0, maxCharacters - 1).join("")}…` : text;
  const shown = cut.replace(HOSTILE, (character) => `⟨${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}⟩`);
  // oxlint-disable-next-line no-unsafe-type-assertion -- this is the brand's own mint
  return shown as Printable;
}

/** The same, with whose words they are in front: `Ann: hello`. */
export function printableBy(author: string, text: string, maxCharacters: number = MAX_PRINTABLE_CHARACTERS): Printable {
  return printable(`${printable(author, 80)}: ${text}`, maxCharacters);
}
