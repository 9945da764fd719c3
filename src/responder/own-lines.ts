import type { Speakers } from "../vocabulary/packet.ts";

/** Longest run before a colon that is looked at as a name. */
const MAX_NAME_CHARACTERS = 100;
/** Marks that a model puts around a name at the start of a line. */
const AROUND_NAME = /^[\s*_#>"'“”«»[\](){}-]+|[\s*_"'“”«»[\](){}-]+$/g;

/**
 * Keep what the speaker says for itself (case 49). A line that begins with another speaker's name or label and a colon is cut,
 * with all lines behind it up to the next that begins with the speaker's own name; that name is taken off. Names that are not
 * in the packet are words like any others.
 */
export function withoutOthersLines(text: string, speakers: Speakers): { readonly speech: string; readonly dropped: number } {
  const own = new Set(speakers.own.map(fold).filter((name) => name !== ""));
  const others = new Set(speakers.others.map(fold).filter((name) => name !== "" && !own.has(name)));
  const kept: string[] = [];
  let dropped = 0;
  let othersTurn = false;
  for (const line of text.split("\n")) {
    const colon = line.slice(0, MAX_NAME_CHARACTERS).search(/[:：]/);
    const name = colon < 0 ? "" : fold(line.slice(0, colon));
    if (own.has(name)) othersTurn = false;
    else if (others.has(name)) othersTurn = true;
    if (othersTurn) dropped += 1;
    else kept.push(own.has(name) ? line.slice(colon + 1).replace(/^[\s*_]+/, "") : line);
  }
  return { speech: kept.join("\n").trim(), dropped };
}

function fold(name: string): string {
  return name.replace(AROUND_NAME, "").normalize("NFKC").toLowerCase();
}
