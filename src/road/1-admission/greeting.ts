import type { InboundEvent } from "../../vocabulary/inbound.ts";

/** When a line that names nobody is a greeting (MC-023, TR-051). */
export interface GreetingRule {
  /** Words and short phrases a greeting starts with, in any case. */
  readonly words: readonly string[];
  /** Characters of the whole line, at most. */
  readonly maxCharacters: number;
  readonly radiusMetres: number;
  readonly whisperRadiusMetres: number;
}

/** Greetings that are known without configuration, by language. */
export const GREETING_WORDS: Readonly<Record<string, readonly string[]>> = {
  en: ["hi", "hello", "hey", "hiya", "howdy", "greetings", "good morning", "good afternoon", "good evening", "good day"],
  de: ["hallo", "hey", "servus", "moin", "grüezi", "guten morgen", "guten tag", "guten abend", "grüß gott"],
  fr: ["bonjour", "bonsoir", "salut", "coucou"],
  es: ["hola", "buenos días", "buenos dias", "buenas tardes", "buenas noches", "buenas"],
  it: ["ciao", "salve", "buongiorno", "buonasera"],
  pt: ["olá", "ola", "oi", "bom dia", "boa tarde", "boa noite"],
  nl: ["hallo", "hoi", "goedemorgen", "goedemiddag", "goedenavond"],
  pl: ["cześć", "czesc", "hej", "dzień dobry", "dzien dobry", "dobry wieczór"],
  sv: ["hej", "hejsan", "god morgon", "god kväll"],
  ja: ["こんにちは", "こんばんは", "おはよう", "おはようございます"],
};

/** The rule that holds where configuration says nothing. */
export const STANDARD_GREETING: GreetingRule = {
  words: [...new Set(Object.values(GREETING_WORDS).flat())],
  maxCharacters: 32,
  radiusMetres: 20,
  whisperRadiusMetres: 10,
};

/**
 * Tell whether a line is a brief greeting from nearby: it starts with a greeting word, is short, and was said within reach.
 * Without a distance nothing is nearby, so a place that has none has no greetings (TR-020).
 */
export function isGreeting(words: string, event: Pick<InboundEvent, "distanceMetres" | "whisper">, rule: GreetingRule): boolean {
  const reach = event.whisper === true ? rule.whisperRadiusMetres : rule.radiusMetres;
  const distance = event.distanceMetres;
  if (distance === undefined || !(distance >= 0 && distance <= reach)) return false;
  const text = words.trim();
  if (text.length > rule.maxCharacters * 2 || Array.from(text).length > rule.maxCharacters) return false;
  const folded = text.toLowerCase().replace(/^[^\p{L}\p{N}]+/u, "");
  return rule.words.some((word) => startsWithWord(folded, word.toLowerCase()));
}

/** Whether a folded text starts with these words and does not go on inside the last one. */
export function startsWithWord(text: string, word: string): boolean {
  return word !== "" && text.startsWith(word) && !/^[\p{L}\p{N}\p{M}_]/u.test(text.slice(word.length));
}
