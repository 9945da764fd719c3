import { RuntimeError } from "../foundation/errors.ts";
import type { AgentRequest, ToolCall } from "../vocabulary/calls/agent-model.ts";
import type { ModelUsage, WindowExceeded } from "../vocabulary/model.ts";
import type { AnswerFormat } from "../vocabulary/model-trial.ts";
import { withoutThinking } from "./thinking.ts";

/** The longest answer that is taken, in characters, thinking and calls included: a hard ceiling. */
export const MAX_ANSWER_CHARACTERS: number = 262_144;
/** Calls one answer may ask for (MC-071). */
export const MAX_CALLS: number = 64;

/** What a host counted. */
export type CountedUsage = Omit<ModelUsage, "estimated">;

/** One answer as a host gave it. */
export interface HostAnswer {
  readonly kind: "answer";
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** Null where the host counts nothing. */
  readonly usage: CountedUsage | null;
  readonly firstTokenMs: number;
  readonly loadMs: number | null;
  readonly finish: "stop" | "length";
  readonly thought: boolean;
  /** How strictly its form was asked for in the end; absent where nobody noted it. */
  readonly asked?: AnswerFormat;
}

/** What came of one request: an answer, no room for it, or nothing that can be used, with what it cost where the host said so. */
export type HostResult =
  | HostAnswer
  | WindowExceeded
  | { readonly kind: "unusable"; readonly error: RuntimeError; readonly usage: CountedUsage | null };

/** How an answer ended. */
export type Finish = "stop" | "length" | "declined";

interface OpenCall {
  id: string;
  name: string;
  arguments: string;
}

/** Puts one answer together, whatever interface it comes through. It trusts nothing: each piece is bounded. */
export class AnswerBuilder {
  readonly #nowMs: () => number;
  readonly #heard: AgentRequest["heard"];
  readonly #startMs: number;
  #firstTokenMs: number | null = null;
  #text = "";
  #characters = 0;
  readonly #calls = new Map<string, OpenCall>();
  #thought = false;
  #finish: Finish | null = null;
  #usage: CountedUsage | null = null;
  #loadMs: number | null = null;
  #window: WindowExceeded | null = null;
  #failure: RuntimeError | null = null;
  #ended = false;

  /** `nowMs` is read at once and at the first token; `heard` is told of pieces as they come. */
  constructor(nowMs: () => number, heard?: AgentRequest["heard"]) {
    this.#heard = heard;
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** Whether the host said how the answer ended, and whether it counted. */
  get finished(): boolean {
    return this.#finish !== null;
  }
  get counted(): boolean {
    return this.#usage !== null;
  }

  /** Take a piece of text. @throws RuntimeError `model_too_large`. */
  say(piece: string): void {
    if (piece === "") return;
    this.#grow(piece.length);
    this.#text += piece;
    this.#heard?.({ kind: "text", text: piece });
  }

  /** Note that it thinks; the thinking counts for the bound and goes. @throws RuntimeError `model_too_large`. */
  think(piece: string): void {
    if (piece === "") return;
    this.#grow(piece.length);
    this.#thought = true;
    this.#heard?.({ kind: "thinking", text: piece });
  }

  /** Take a piece of a call; pieces of one `key` belong together. @throws RuntimeError `model_too_large`. */
  call(key: string, piece: { readonly id?: string; readonly name?: string; readonly arguments?: string }): void {
    const known = this.#calls.get(key);
    if (known === undefined && this.#calls.size >= MAX_CALLS)
      throw new RuntimeError("model_too_large", `Cannot use the model's answer: it asks for over ${MAX_CALLS} calls`);
    const call = known ?? { id: "", name: "", arguments: "" };
    this.#calls.set(key, call);
    const { id = "", name = "", arguments: text = "" } = piece;
    this.#grow(id.length + name.length + text.length);
    // Hosts send id and name once, or with each piece; they never come in parts.
    if (call.id === "") call.id = id;
    if (call.name === "") call.name = name;
    call.arguments += text;
  }

  /** The first reason stands. */
  end(finish: Finish): void {
    this.#finish ??= finish;
  }

  /** What the host counted; the last count stands. A prompt of no tokens is none that was counted. */
  count(usage: CountedUsage): void {
    if (usage.promptTokens > 0) this.#usage = usage;
  }

  load(ms: number): void {
    this.#loadMs = ms;
  }

  /** The host says that the question is too long. */
  outgrow(window: WindowExceeded): void {
    this.#window = window;
  }

  /** The host says in the middle of an answer that it failed; what it had written till then may cost something. */
  fail(error: RuntimeError): void {
    this.#failure = error;
  }

  /** The response is over, as its interface marks that. */
  close(): void {
    this.#ended = true;
  }

  /** What came of it. `declared` says whether the request had tools: calls that nobody offered are none. */
  result(declared: boolean): HostResult {
    if (this.#window !== null) return this.#window;
    const unusable = (error: RuntimeError): HostResult => ({ kind: "unusable", error, usage: this.#usage });
    const broken = this.#failure ?? (this.#finish === null && !this.#ended ? this.#cut() : null);
    // What a stream had counted before it broke off is less than what it came to.
    if (broken !== null) return { kind: "unusable", error: broken, usage: null };
    if (this.#finish === "declined")
      return unusable(new RuntimeError("model_declined", "Cannot use the model's answer: it declined to answer"));
    return this.#answer(declared) ?? unusable(this.#empty());
  }

  /** Null for an answer without words and without calls that were offered. */
  #answer(declared: boolean): HostAnswer | null {
    const { text, thought } = withoutThinking(this.#text.toWellFormed().replaceAll("\u0000", ""));
    this.#thought ||= thought;
    const calls = declared ? [...this.#calls.values()].map(readCall) : [];
    if (text.trim() === "" && calls.length === 0) return null;
    return {
      kind: "answer",
      text: text.trim(),
      calls,
      usage: this.#usage,
      firstTokenMs: Math.max(0, (this.#firstTokenMs ?? 0) - (this.#loadMs ?? 0)),
      loadMs: this.#loadMs,
      finish: this.#finish === "length" ? "length" : "stop",
      thought: this.#thought,
    };
  }

  #grow(characters: number): void {
    this.#firstTokenMs ??= this.#nowMs() - this.#startMs;
    this.#characters += characters;
    if (this.#characters > MAX_ANSWER_CHARACTERS)
      throw new RuntimeError("model_too_large", `Cannot use the model's answer: it is over ${MAX_ANSWER_CHARACTERS} characters`);
  }

  #cut(): RuntimeError {
    return this.#firstTokenMs === null
      ? new RuntimeError("model_cut", "Cannot use the model's answer: the stream ended before it began")
      : new RuntimeError("model_cut", "Cannot use the model's answer: the stream ended in the middle");
  }

  #empty(): RuntimeError {
    const why = this.#thought
      ? "it holds thinking only; turn its thinking off (think: off), or give it more to write (think: on, max_output)"
      : this.#calls.size > 0
        ? "it asks for a tool, and it was given none"
        : "it holds no text";
    return new RuntimeError("model_empty", `Cannot use the model's answer: ${why}`);
  }
}

function readCall(call: OpenCall, index: number): ToolCall {
  const clean = (text: string): string => text.toWellFormed().replaceAll("\u0000", "");
  return { id: clean(call.id) || `call_${index + 1}`, name: clean(call.name), arguments: clean(call.arguments) || "{}" };
}
