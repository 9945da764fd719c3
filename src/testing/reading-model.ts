import type { Script, ScriptedAnswer, ScriptedRequest } from "./scripted-model.ts";
import { leanSpeech } from "./scripted-model.ts";

/** What a scripted model that reads is like. */
export interface ReadingModelTraits {
  /** Bytes of the text that get to it: what is longer loses its start, without a word. */
  readonly windowBytes?: number;
  /** Half of whatever is sent gets to it. */
  readonly halves?: boolean;
  /** What its host says it read: what got there, all that was sent, or nothing at all. */
  readonly counts?: "what it read" | "what was sent" | "nothing";
  /** The forms it keeps of those that are asked for. */
  readonly keeps?: readonly ("json_schema" | "json_object")[];
  /** How many of the code words it can still tell, counted from the end. */
  readonly remembers?: number;
  /** Whether it thinks beside its answer. */
  readonly thinks?: boolean;
}

/** Bytes of text for one token of its host. */
const BYTES_PER_TOKEN = 4;

/** A model that reads what gets to it and tells the code words in it, as a whole or by its own habits: for trials. */
export function readingModel(traits: ReadingModelTraits): Script {
  return (request) => answer(request, traits);
}

function answer(request: ScriptedRequest, traits: ReadingModelTraits): ScriptedAnswer {
  const sent = Buffer.from(`${request.system}\n${request.prompt}`);
  const limit = traits.halves === true ? Math.ceil(sent.length / 2) : (traits.windowBytes ?? sent.length);
  const read = sent.subarray(Math.max(0, sent.length - limit));
  const text = words(read.toString("utf8"), traits);
  const counted = { "what it read": read.length, "what was sent": sent.length, nothing: null }[traits.counts ?? "what it read"];
  return {
    text: spoken(text, request, traits),
    ...(traits.thinks === true ? { reasoning: "They ask for words. Let me look." } : {}),
    usage:
      counted === null
        ? null
        : { prompt_tokens: Math.ceil(counted / BYTES_PER_TOKEN), completion_tokens: Math.ceil(text.length / BYTES_PER_TOKEN) },
  };
}

function words(read: string, { remembers = Number.POSITIVE_INFINITY }: ReadingModelTraits): string {
  const found = [...new Set(read.match(/\b[a-z]+-\d\d\b/g) ?? [])];
  if (found.length === 0) return "I keep this inn. Sit down, and tell me where you come from.";
  if (read.includes("What is the first code word")) return /The first code word is ([a-z]+-\d\d)/.exec(read)?.[1] ?? "I was not told that.";
  return found.slice(Math.max(0, found.length - remembers)).join(", ");
}

function spoken(
  text: string,
  { format, system, prompt }: ScriptedRequest,
  { keeps = ["json_schema", "json_object"] }: ReadingModelTraits,
): string {
  const isPlain = !`${system}${prompt}`.includes("responder_lean");
  return !isPlain && keeps.some((kept) => kept === format) ? leanSpeech(text) : text;
}
