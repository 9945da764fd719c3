import type { CharacterId } from "../../vocabulary/ids.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";

/** A character that may be spoken to in a place. Aliases hold its name too. */
export interface Addressable {
  readonly id: CharacterId;
  readonly aliases: readonly string[];
}

/** To whom a line speaks, and by which rule; `null` when to nobody here. */
export interface Addressed {
  readonly character: CharacterId;
  readonly rule: "direct_line" | "composer" | "alias" | "alone";
}

/**
 * Tell which character a line addresses (MC-023, TR-020): a direct line its own; else whom the composer was set to; else the
 * first one named, as a whole word, outside code spans; else, for a person alone with one character, that one.
 */
export function addressedBy(event: InboundEvent, present: readonly Addressable[]): Addressed | null {
  if (event.place.kind === "direct") {
    const character = event.place.character;
    return present.some((one) => one.id === character) ? { character, rule: "direct_line" } : null;
  }
  if (event.to !== undefined) {
    const to = event.to;
    return present.some((one) => one.id === to) ? { character: to, rule: "composer" } : null;
  }
  const named = firstNamed(event.text, present);
  if (named !== null) return { character: named, rule: "alias" };
  const [only, ...others] = present;
  return event.alone && only !== undefined && others.length === 0 ? { character: only.id, rule: "alone" } : null;
}

/** A character's name at the front of a line, with the punctuation after it, taken off: what is left may be a command. */
export function withoutAlias(text: string, aliases: readonly string[]): string {
  for (const alias of aliases) {
    const pattern = new RegExp(`^@?${escape(alias)}(?![\\p{L}\\p{N}_])[\\s,:;.!?]*`, "iu");
    const rest = text.replace(pattern, "");
    if (rest !== text) return rest;
  }
  return text;
}

function firstNamed(text: string, present: readonly Addressable[]): CharacterId | null {
  const words = withoutCode(text);
  let first: { at: number; character: CharacterId } | null = null;
  for (const one of present) {
    for (const alias of one.aliases) {
      const at = words.search(new RegExp(`(?<![\\p{L}\\p{N}_])${escape(alias)}(?![\\p{L}\\p{N}_])`, "iu"));
      if (at >= 0 && (first === null || at < first.at)) first = { at, character: one.id };
    }
  }
  return first?.character ?? null;
}

/** Code spans and blocks, blanked so that positions stay: a name in code speaks to nobody. */
function withoutCode(text: string): string {
  return text.normalize("NFKC").replace(/```[\s\S]*?(?:```|$)|`[^`\n]*`/g, (code) => " ".repeat(code.length));
}

function escape(text: string): string {
  return text.normalize("NFKC").replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
