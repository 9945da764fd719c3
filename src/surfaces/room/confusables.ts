/**
 * Letters of other scripts that look like a Latin one, by the letter they look like. Upper case is looked up before case is
 * folded, because an upper-case letter can look like another letter than its lower-case form does (Greek Η, η).
 * Small on purpose: what it does not know is told apart by the member's id, never by the name.
 */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "аɑαΑАӓ",
  b: "ΒВьЬЪъʙ",
  c: "сСϲⅽᴄ",
  d: "ԁԀđð",
  e: "еЕΕєЄҽε",
  f: "ƒғ",
  g: "ɡԌԍɢ",
  h: "һНΗհʜħ",
  i: "іІιΙıӀӏɩ",
  j: "јЈϳ",
  k: "кКκΚĸ",
  l: "ӏłʟ",
  m: "мМΜ",
  n: "пηпոΝɴ",
  o: "оОοΟσөøօσסه٥०০",
  p: "рРρΡ",
  q: "ԛգ",
  r: "гɾʀ",
  s: "ѕЅʂ",
  t: "тТτΤŧ",
  u: "υսʋ",
  v: "νѵѴⅴ",
  w: "ԝωшШ",
  x: "хХχΧ",
  y: "уУүγΥҮʏ",
  z: "ᴢΖ",
};

/** Digits and signs that look like letters. */
const SIGNS: Readonly<Record<string, string>> = {
  "0": "o",
  "1": "i",
  "3": "e",
  "4": "a",
  "5": "s",
  "7": "t",
  "8": "b",
  "|": "i",
  "!": "i",
  $: "s",
  "@": "a",
};

const TABLE: ReadonlyMap<string, string> = buildTable();

function buildTable(): ReadonlyMap<string, string> {
  const table = new Map<string, string>(Object.entries(SIGNS));
  for (const [letter, alikes] of Object.entries(LOOK_ALIKES)) {
    for (const alike of alikes) if (!table.has(alike)) table.set(alike, letter);
  }
  return table;
}

/** The letter that a character looks like, or the character itself. `l` counts as `i`: in many faces they are one stroke. */
export function lookAlike(character: string): string {
  const letter = TABLE.get(character) ?? character;
  return letter === "l" ? "i" : letter;
}
