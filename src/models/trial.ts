import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, codeOf } from "../foundation/errors.ts";
import type { AnswerFormat, ModelTrial, Thinking } from "../vocabulary/model-trial.ts";
import type { BuiltPacket } from "../vocabulary/packet.ts";
import { measureWindow } from "./trial-window.ts";
import type { Window } from "./trial-window.ts";

/** What one question of a trial came to. */
export type TrialAnswer =
  | {
      readonly kind: "answer";
      readonly text: string;
      /** Tokens that the host counted; null where it counts nothing. */
      readonly promptTokens: number | null;
      readonly completionTokens: number | null;
      readonly firstTokenMs: number;
      readonly loadMs: number | null;
      readonly thought: boolean;
      /** How its shape was asked for in the end: a host that takes no schema is asked for less. */
      readonly asked: AnswerFormat;
    }
  /** The packet is longer than the model's window, and the host says so. */
  | { readonly kind: "window" };

/** What a trial works with. */
export interface TrialNeeds {
  readonly clock: Clock;
  /** Whether the model is asked not to think. */
  readonly asksNoThinking: boolean;
  /** Bytes of the longest packet that a turn would ever send. */
  readonly longestBytes: number;
  /** Ask as a turn would ask; `format` is the strictest form to ask for. @throws RuntimeError `model_*`, `truncated_by_host`, `deadline`. */
  ask(packet: BuiltPacket, format: AnswerFormat, signal: AbortSignal): Promise<TrialAnswer>;
  /** A newcomer's first line to the character, as a packet of the runtime's own builder. */
  readonly greeting: (contract: "lean" | "plain") => BuiltPacket;
  /**
   * A packet with code words along it, the first in the system text. It asks for all of them, or for the first alone. From the
   * first word on it has exactly so many bytes: what is dropped before that word shows in no answer, so a packet of so many bytes
   * in all surely arrives where this one does. Null when the words don't fit into so few bytes.
   */
  readonly rehearsal: (of: Rehearsal) => BuiltPacket | null;
  /** What an answer in the lean form says; null for what keeps no form. */
  readLean(text: string, packet: BuiltPacket): string | null;
  /** Told of each step before it is taken. */
  step(step: TrialStep): void;
}

/** What a packet with code words is made of. */
export interface Rehearsal {
  readonly bytes: number;
  readonly words: readonly string[];
  readonly asks: "all" | "first";
  readonly contract: "lean" | "plain";
}

/** What a trial is about to do. */
export type TrialStep =
  | { readonly kind: "greeting" }
  | { readonly kind: "format"; readonly format: AnswerFormat }
  | { readonly kind: "reading"; readonly bytes: number };

/** What came of it: all but which model it was and when, and what it said to the newcomer. */
export interface TrialResult {
  readonly found: Omit<ModelTrial, "model" | "atMs">;
  readonly said: string;
}

/** Steps of the ladder down which the form of an answer is tried. */
const LADDER: readonly AnswerFormat[] = ["schema", "json", "plain"];
/** Questions that one form gets: a small model slips now and then, and a turn asks twice as well. */
const TRIES = 2;
/** Tokens and milliseconds below which a speed says nothing. */
const MIN_TOKENS = 8;
const MIN_MS = 20;

/**
 * Try a model with real packets: whether it keeps the form of an answer, how fast it is, whether it thinks, and how long a packet
 * may be before something of it is lost.
 * @throws RuntimeError when it does not answer at all: `model_*`, `deadline`, `capacity` when not even a greeting fits its window; the signal's reason on abort.
 */
export async function runTrial(needs: TrialNeeds, signal: AbortSignal): Promise<TrialResult> {
  const seen = new Seen(needs.clock);
  const greeted = await greet(needs, seen, signal);
  if (greeted === "truncated") return { found: foundOf(needs, seen, "schema", NOTHING_READ), said: "" };
  const ask: Parameters<typeof measureWindow>[1] = (packet, until) => seen.ask(needs, { packet, format: greeted.format }, until);
  const window = await measureWindow({ ...needs, format: greeted.format }, ask, signal);
  return { found: foundOf(needs, seen, greeted.format, window), said: greeted.said };
}

const NOTHING_READ: Window = { packetBytes: 0, packetTokens: null, end: "truncated" };

function foundOf(needs: TrialNeeds, seen: Seen, format: AnswerFormat, window: Window): TrialResult["found"] {
  const thinking: Thinking = !seen.thought ? "none" : needs.asksNoThinking ? "thinks_anyway" : "thinks";
  const { firstTokenMs, loadMs, tokensPerSecond } = seen;
  return { firstTokenMs, loadMs, tokensPerSecond, format, thinking, ...window };
}

/** What all answers together show of the model's speed and habits. */
class Seen {
  readonly #clock: Clock;
  firstTokenMs = 0;
  loadMs: number | null = null;
  tokensPerSecond: number | null = null;
  thought = false;
  #asked = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ask, and note how it went. The first answer tells the first token: the model may have had to be loaded for it. */
  async ask(
    needs: TrialNeeds,
    question: { readonly packet: BuiltPacket; readonly format: AnswerFormat },
    signal: AbortSignal,
  ): Promise<TrialAnswer> {
    const startMs = this.#clock.monotonicMs();
    const answer = await needs.ask(question.packet, question.format, signal);
    if (answer.kind === "window") return answer;
    const writingMs = this.#clock.monotonicMs() - startMs - answer.firstTokenMs - (answer.loadMs ?? 0);
    const { completionTokens } = answer;
    if (completionTokens !== null && completionTokens >= MIN_TOKENS && writingMs >= MIN_MS)
      this.tokensPerSecond = Math.max(this.tokensPerSecond ?? 0, (completionTokens * 1_000) / writingMs);
    if (!this.#asked) [this.#asked, this.firstTokenMs, this.loadMs] = [true, answer.firstTokenMs, answer.loadMs];
    this.thought ||= answer.thought;
    return answer;
  }
}

/** Greet the model in one form after the other, from the strictest down, until it answers in it. */
async function greet(
  needs: TrialNeeds,
  seen: Seen,
  signal: AbortSignal,
): Promise<{ readonly format: AnswerFormat; readonly said: string } | "truncated"> {
  needs.step({ kind: "greeting" });
  for (const format of LADDER) {
    if (format !== LADDER[0]) needs.step({ kind: "format", format });
    for (let tries = 0; tries < TRIES; tries += 1) {
      const packet = needs.greeting(format === "plain" ? "plain" : "lean");
      const answer = await askOnce(needs, seen, { packet, format }, signal);
      if (answer === "truncated") return "truncated";
      if (answer === null) continue;
      if (format === "plain") return { format, said: answer.text.trim() };
      const said = needs.readLean(answer.text, packet);
      // What was asked for in the end is what a turn will ask for: the host takes no more, or no more was needed.
      if (said !== null) return { format: answer.asked === "plain" ? "json" : answer.asked, said };
    }
  }
  throw new RuntimeError("model_format", "Cannot use the model's answer: it says nothing, in whatever form it is asked");
}

/** One greeting: null for an answer without text, which is no form kept. */
async function askOnce(
  needs: TrialNeeds,
  seen: Seen,
  question: { readonly packet: BuiltPacket; readonly format: AnswerFormat },
  signal: AbortSignal,
): Promise<Extract<TrialAnswer, { kind: "answer" }> | "truncated" | null> {
  try {
    const answer = await seen.ask(needs, question, signal);
    if (answer.kind === "answer") return answer.text.trim() === "" ? null : answer;
  } catch (error) {
    const code = codeOf(error);
    if (code === "truncated_by_host") return "truncated";
    if (code !== "model_empty") throw error;
    return null;
  }
  throw new RuntimeError("capacity", "Cannot use the model: its window is shorter than a newcomer's greeting");
}
