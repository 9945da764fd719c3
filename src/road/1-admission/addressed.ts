import type { CharacterId } from "../../vocabulary/ids.ts";
import type { InboundEvent } from "../../vocabulary/inbound.ts";
import type { GreetingRule } from "./greeting.ts";
import { isGreeting } from "./greeting.ts";
import { ownWords } from "./own-words.ts";
import { speaksToAnother, speaksToEveryone } from "./spoken-to-another.ts";

/** A character that may be spoken to in a place. Aliases hold its name too. */
export interface Addressable {
  readonly id: CharacterId;
  readonly aliases: readonly string[];
}

/** By which rule a line speaks to a character, the surest first. */
export type AddressRule = "direct_line" | "composer" | "mention" | "alias" | "reply" | "everyone" | "engaged" | "greeting" | "alone";

/** To whom a line speaks, and by which rule. */
export interface Addressed {
  readonly character: CharacterId;
  readonly rule: AddressRule;
}

/** What tells whom a line speaks to, beside the line itself. */
export interface Hearing {
  readonly present: readonly Addressable[];
  /** Names of the people here, as the platform shows them. */
  readonly people: () => readonly string[];
  /** The character that is in conversation with the sender here; null when none is. */
  readonly engagedWith: CharacterId | null;
  /** Null where greetings need a name. */
  readonly greeting: GreetingRule | null;
  readonly everyoneIsMention: boolean;
  /** By `platform` only a mention, a person's reply, or @everyone where that counts; by `words` when left out (TR-020). */
  readonly addressing?: "words" | "platform";
}

/**
 * Tell which character a line addresses (MC-023, TR-020); `null` when nobody here. A direct line its own; else whom the composer
 * was set to; else whoever is mentioned or named as a whole word in the writer's own words, or whose line is replied to. A line
 * that speaks to nobody by name still counts inside the engagement window, as a greeting from nearby, and from a person alone
 * with one character, unless it speaks to somebody else (cases A9).
 */
export function addressedBy(event: InboundEvent, hearing: Hearing): Addressed | null {
  const { present } = hearing;
  const here = (character: CharacterId, rule: AddressRule): Addressed | null =>
    present.some((one) => one.id === character) ? { character, rule } : null;
  if (event.place.kind === "direct") return here(event.place.character, "direct_line");
  if (event.to !== undefined) return here(event.to, "composer");
  const mentioned = event.mentions?.characters.map((one) => here(one, "mention")).find((one) => one !== null);
  if (mentioned !== undefined) return mentioned;
  if (hearing.addressing === "platform") return byPlatform(event, hearing);
  const words = ownWords(event.text);
  const named = firstNamed(words, present);
  if (named !== null) return { character: named, rule: "alias" };
  const { replyTo } = event;
  const repliedTo = replyTo === undefined ? undefined : present.find(({ id }) => id === replyTo);
  if (repliedTo !== undefined) return { character: repliedTo.id, rule: "reply" };
  return withoutName(words, event, hearing);
}

/** What the platform's own marks say, beside a mention: whose line a person replies to, and a call to everyone. */
function byPlatform({ replyTo, sender, mentions }: InboundEvent, { present, everyoneIsMention }: Hearing): Addressed | null {
  const repliedTo = sender.kind === "person" ? present.find(({ id }) => id === replyTo) : undefined;
  if (repliedTo !== undefined) return { character: repliedTo.id, rule: "reply" };
  const [first] = present;
  return everyoneIsMention && mentions?.everyone === true && first !== undefined ? { character: first.id, rule: "everyone" } : null;
}

function withoutName(words: string, event: InboundEvent, hearing: Hearing): Addressed | null {
  const first = hearing.present[0]?.id;
  if (first === undefined) return null;
  const unnamed = unnamedRule(words, event, hearing);
  // Most lines of a busy place end here, before names of people are looked at.
  if (unnamed === null && !hearing.everyoneIsMention) return null;
  if (speaksToEveryone(words, event)) return hearing.everyoneIsMention ? { character: first, rule: "everyone" } : null;
  return unnamed === null || speaksToAnother(words, event, hearing.people) ? null : unnamed;
}

/** To whom a line speaks that calls nobody by name, unless it speaks to somebody else. */
function unnamedRule(words: string, event: InboundEvent, { present, engagedWith, greeting }: Hearing): Addressed | null {
  if (engagedWith !== null && present.some(({ id }) => id === engagedWith)) return { character: engagedWith, rule: "engaged" };
  const [first, ...others] = present;
  if (first === undefined) return null;
  if (greeting !== null && isGreeting(words, event, greeting)) return { character: first.id, rule: "greeting" };
  return event.alone && others.length === 0 ? { character: first.id, rule: "alone" } : null;
}

/** A character's name at the front of a line, with the punctuation after it, taken off: what is left may be a command. */
export function withoutAlias(text: string, aliases: readonly string[]): string {
  return text.replace(patternsOf(aliases).front, "");
}

function firstNamed(words: string, present: readonly Addressable[]): CharacterId | null {
  let first: { at: number; character: CharacterId } | null = null;
  for (const one of present) {
    const at = words.search(patternsOf(one.aliases).anywhere);
    if (at >= 0 && (first === null || at < first.at)) first = { at, character: one.id };
  }
  return first?.character ?? null;
}

interface Patterns {
  readonly anywhere: RegExp;
  readonly front: RegExp;
}

/** Compiled once for each list; a reload of the configuration makes new lists. */
const PATTERNS = new WeakMap<readonly string[], Patterns>();
const NEVER: Patterns = { anywhere: /(?!)/u, front: /(?!)/u };

function patternsOf(aliases: readonly string[]): Patterns {
  const known = PATTERNS.get(aliases);
  if (known !== undefined) return known;
  const names = aliases
    .map(escape)
    .filter((name) => name !== "")
    .toSorted((a, b) => b.length - a.length)
    .join("|");
  const patterns =
    names === ""
      ? NEVER
      : {
          // An account of another host (`mirelle@host`) is nobody's name.
          anywhere: new RegExp(`(?<![\\p{L}\\p{N}_])(?:${names})(?![\\p{L}\\p{N}\\p{M}_]|@\\S)`, "iu"),
          front: new RegExp(`^@?(?:${names})(?![\\p{L}\\p{N}\\p{M}_])[\\s,:;.!?]*`, "iu"),
        };
  PATTERNS.set(aliases, patterns);
  return patterns;
}

function escape(text: string): string {
  return text.normalize("NFKC").replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
}
