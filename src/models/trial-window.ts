import type { ErrorCode } from "../foundation/errors.ts";
import { codeOf } from "../foundation/errors.ts";
import type { AnswerFormat, WindowEnd } from "../vocabulary/model-trial.ts";
import type { BuiltPacket } from "../vocabulary/packet.ts";
import { freshCodeWords, recallOf } from "./code-words.ts";
import type { Rehearsal, TrialAnswer, TrialNeeds } from "./trial.ts";

/** The longest packet that the model gets whole, and why none longer. */
export interface Window {
  readonly packetBytes: number;
  /** What the host counted for it; null where it counts nothing. */
  readonly packetTokens: number | null;
  readonly end: WindowEnd;
}

/** What measuring works with. */
export interface WindowNeeds extends Pick<TrialNeeds, "longestBytes" | "greeting" | "rehearsal" | "step"> {
  readonly format: AnswerFormat;
}

/** Asks once, in the form that the model keeps. */
export type AskOnce = (packet: BuiltPacket, signal: AbortSignal) => Promise<TrialAnswer>;

/** Lengths that are tried, at most, and questions in all: each may take a slow machine a minute. */
const MAX_LENGTHS = 5;
const MAX_QUESTIONS = 9;

/** Failures of a model that got its question and made nothing of it. */
const NOTHING_SAID: ReadonlySet<ErrorCode> = new Set(["model_empty", "model_malformed", "model_declined"]);

/** What became of one long packet. */
type Reading =
  /** Every code word came back. */
  | { readonly kind: "read"; readonly tokens: number | null }
  /** Nothing shows that any of it was left out, but the model could not tell all of it. */
  | { readonly kind: "arrived"; readonly tokens: number | null }
  | { readonly kind: "lost"; readonly why: "window" | "truncated" | "slow" };

/**
 * Find the longest packet that arrives whole: the longest of all, else by halves between what arrived and what did not. Two
 * things tell: the host's own count of tokens, and code words that stand along the packet (TR-072: they are nobody's words).
 * @throws RuntimeError for failures that say nothing about the length; the signal's reason on abort.
 */
export async function measureWindow(needs: WindowNeeds, ask: AskOnce, signal: AbortSignal): Promise<Window> {
  return new WindowSearch(needs, ask).run(signal);
}

class WindowSearch {
  readonly #needs: WindowNeeds;
  readonly #ask: AskOnce;
  #questions = 0;

  constructor(needs: WindowNeeds, ask: AskOnce) {
    this.#needs = needs;
    this.#ask = ask;
  }

  async run(signal: AbortSignal): Promise<Window> {
    const { longestBytes } = this.#needs;
    let read: Window = { packetBytes: 0, packetTokens: null, end: "budget" };
    let arrived: Window = { packetBytes: 0, packetTokens: null, end: "unsure" };
    let end: WindowEnd = "budget";
    let tooLong = longestBytes;
    for (let lengths = 0, bytes = longestBytes; lengths < MAX_LENGTHS && this.#questions < MAX_QUESTIONS; lengths += 1) {
      const reading = await this.#read(bytes, signal);
      if (reading === null) break;
      if (reading.kind === "read") read = { packetBytes: bytes, packetTokens: reading.tokens, end: "budget" };
      else [tooLong, end] = [bytes, reading.kind === "arrived" ? "recall" : reading.why];
      if (reading.kind === "arrived" && bytes > arrived.packetBytes)
        arrived = { ...arrived, packetBytes: bytes, packetTokens: reading.tokens };
      if (read.packetBytes === longestBytes) return read;
      bytes = Math.floor((read.packetBytes + tooLong) / 2);
    }
    if (read.packetBytes > 0) return { ...read, end };
    if (arrived.packetBytes > 0) return arrived;
    return { packetBytes: end === "truncated" ? 0 : this.#shortest(), packetTokens: null, end };
  }

  /** A greeting was answered: so much fits, whatever does not. */
  #shortest(): number {
    return this.#needs.greeting(this.#contract).record.bytes;
  }

  get #contract(): Rehearsal["contract"] {
    return this.#needs.format === "plain" ? "plain" : "lean";
  }

  /** Let the model read one packet of a length; null when so few bytes hold no such packet. */
  async #read(bytes: number, signal: AbortSignal): Promise<Reading | null> {
    const words = freshCodeWords();
    const packet = this.#needs.rehearsal({ bytes, words, asks: "all", contract: this.#contract });
    if (packet === null) return null;
    this.#needs.step({ kind: "reading", bytes });
    const answer = await this.#answer(packet, signal);
    if (answer.kind === "lost") return answer;
    const recall = recallOf(answer.text, words);
    const { tokens } = answer;
    if (recall === "whole") return { kind: "read", tokens };
    if (recall === "middle") return tokens === null ? { kind: "lost", why: "truncated" } : { kind: "arrived", tokens };
    if (recall === "scattered") return { kind: "arrived", tokens };
    return (await this.#headArrived(bytes, signal)) ? { kind: "arrived", tokens } : { kind: "lost", why: "truncated" };
  }

  /** What stands first is missing: asked for that alone, a model that has it says it; one whose host dropped it cannot. */
  async #headArrived(bytes: number, signal: AbortSignal): Promise<boolean> {
    const words = freshCodeWords();
    const packet = this.#needs.rehearsal({ bytes, words, asks: "first", contract: this.#contract });
    if (packet === null) return false;
    const answer = await this.#answer(packet, signal);
    return answer.kind === "said" && recallOf(answer.text, words.slice(0, 1)) === "whole";
  }

  async #answer(
    packet: BuiltPacket,
    signal: AbortSignal,
  ): Promise<{ readonly kind: "said"; readonly text: string; readonly tokens: number | null } | Extract<Reading, { kind: "lost" }>> {
    this.#questions += 1;
    try {
      const answer = await this.#ask(packet, signal);
      if (answer.kind === "window") return { kind: "lost", why: "window" };
      return { kind: "said", text: answer.text, tokens: answer.promptTokens };
    } catch (error) {
      const code = codeOf(error);
      if (code === "truncated_by_host") return { kind: "lost", why: "truncated" };
      if (code === "deadline") return { kind: "lost", why: "slow" };
      // It said nothing of use: the same as an answer without a single one of the words.
      if (NOTHING_SAID.has(code)) return { kind: "said", text: "", tokens: null };
      throw error;
    }
  }
}
