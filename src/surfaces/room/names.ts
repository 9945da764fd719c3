import { lookAlike } from "./confusables.ts";

/** Longest name of a member, in characters (code points). */
export const MAX_NAME_CHARACTERS: number = 40;

/** A name that may be shown, with the form that must be unique in its room (SE-087); null for what is no name. */
export interface MemberName {
  readonly shown: string;
  readonly folded: string;
}

// Control, format (bidi, joiners, tags), separators but the space, surrogates, private use, unassigned.
const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/u;
/** Letters and signs that show nothing: fillers, the braille blank, the empty note head. */
const BLANK = /[\p{Default_Ignorable_Code_Point}\u2800\u{1D159}]/gu;
/** Combining marks in a row: more would climb over the lines above. */
const STACKED = /\p{M}{4,}/u;

/** Check a name: 1 to 40 characters after trimming, nothing invisible or directional, something left of it after folding. */
export function parseMemberName(text: string): MemberName | null {
  if (text.length > MAX_NAME_CHARACTERS * 4 || !text.isWellFormed()) return null;
  const shown = text
    .normalize("NFC")
    .trim()
    .replace(/\p{Zs}+/gu, " ");
  const count = Array.from(shown).length;
  if (count < 1 || count > MAX_NAME_CHARACTERS || HOSTILE.test(shown) || STACKED.test(shown.normalize("NFD"))) return null;
  const folded = foldName(shown);
  return folded === "" ? null : { shown, folded };
}

/**
 * Fold a name so that names a reader may take for each other become one: compatibility forms, case, accents, invisible
 * characters, spaces and punctuation, look-alike letters and digits. Folding twice is folding once.
 */
export function foldName(name: string): string {
  let folded = name;
  // A fold can open the way for another (a compatibility form with an accent); four rounds reach the end of every known chain.
  for (let round = 0; round < 4; round += 1) {
    const next = foldOnce(folded);
    if (next === folded) break;
    folded = next;
  }
  return folded;
}

function foldOnce(name: string): string {
  const bare = name
    .normalize("NFKD")
    .replace(/[\p{M}\p{Cf}\p{Cc}\p{Z}]/gu, "")
    .replace(BLANK, "")
    .normalize("NFKC");
  // Signs that pass for letters go first; the punctuation that is left says nothing.
  const latin = mapEach(mapEach(bare).toUpperCase().toLowerCase()).replace(/[\p{P}\p{M}]/gu, "");
  return latin.replaceAll("rn", "m").replaceAll("vv", "w");
}

function mapEach(text: string): string {
  let mapped = "";
  for (const character of text) mapped += lookAlike(character);
  return mapped;
}
