import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Model, ModelAnswer, ModelRequest } from "../../vocabulary/model.ts";
import { costMicros } from "../../vocabulary/cost.ts";
import { answered } from "../answered.ts";
import { readPacket } from "../../vocabulary/packet-lines.ts";

/** One call of a model, as it was made. */
export interface ModelCall {
  /** From 0. */
  readonly number: number;
  /** Everything that the model got, as one text. */
  readonly input: string;
  /** The line that is to be answered, as it was said. */
  readonly heard: string;
  /** The name under which that line stands in the input. */
  readonly speaker: string;
  /** Earlier lines of the input with the label of whoever said each. */
  readonly talk: readonly { readonly who: string; readonly said: string }[];
  readonly atMs: number;
}

/** What a model does with a call. */
export type MindAnswer =
  /** The character says this, and visibly does that. */
  | { readonly kind: "says"; readonly speech: string; readonly action?: string; readonly afterMs?: number }
  /** The character decides to say nothing. */
  | { readonly kind: "silence"; readonly afterMs?: number }
  /** The model's text is exactly this, whatever form was asked for. */
  | { readonly kind: "raw"; readonly text: string; readonly afterMs?: number }
  /** The host answers with a failure. */
  | { readonly kind: "fails"; readonly how: "status" | "rate_limited" | "unreachable"; readonly afterMs?: number }
  /** The host takes the call and never answers. */
  | { readonly kind: "hangs" };

/** Decides what a model answers. */
export type Mind = (call: ModelCall) => MindAnswer;

/** What a call costs: so much for each token, in millionths, as if a million tokens cost a unit. */
const PRICE = { promptMicros: 1_000_000, completionMicros: 1_000_000, cacheReadMicros: 1_000_000, cacheWriteMicros: 1_000_000 };
const NAME = "simulated/model";
const BYTES_PER_TOKEN = 4;
const FAILURES = {
  status: "model_status",
  rate_limited: "model_rate_limited",
  unreachable: "model_unreachable",
} as const;

/** A model that answers by a function and keeps every call. */
export class SimulatedModel {
  readonly calls: ModelCall[] = [];
  /** The most calls that were open at the same time. */
  mostOpen = 0;
  /** Rises with everything that happens to a call. */
  activity = 0;
  readonly #clock: Clock;
  readonly #mind: Mind;
  #open = 0;

  constructor(clock: Clock, mind: Mind) {
    this.#clock = clock;
    this.#mind = mind;
  }

  /** The port that a runtime speaks through. */
  get port(): Model {
    return {
      name: NAME,
      understudy: false,
      generate: (request, signal) => this.#generate(request, signal),
    };
  }

  async #generate(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    this.activity += 1;
    this.#open += 1;
    this.mostOpen = Math.max(this.mostOpen, this.#open);
    try {
      return await this.#answer(request, signal);
    } finally {
      this.#open -= 1;
      this.activity += 1;
    }
  }

  async #answer(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
    const input = `${request.system}\n${request.prompt}`;
    const packet = readPacket(request.system, request.prompt);
    const call: ModelCall = {
      number: this.calls.length,
      input,
      heard: packet?.observed.said ?? "",
      speaker: packet?.observed.name ?? "",
      talk: packet?.earlier.map(({ who, said }) => ({ who, said })) ?? [],
      atMs: this.#clock.nowMs(),
    };
    this.calls.push(call);
    const answer = this.#mind(call);
    const waitMs = answer.kind === "hangs" ? Number.MAX_SAFE_INTEGER : (answer.afterMs ?? 0);
    if (waitMs > 0) await this.#clock.sleep(waitMs, signal);
    if (answer.kind === "fails") {
      throw new RuntimeError(FAILURES[answer.how], "Cannot use the model: its host fails by script");
    }
    const text = textOf(answer);
    const usage = {
      promptTokens: tokens(input),
      completionTokens: tokens(text),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      estimated: false,
    };
    return answered(text, { usage, costMicros: costMicros(usage, PRICE), by: NAME, firstTokenMs: waitMs });
  }
}

function textOf(answer: Exclude<MindAnswer, { kind: "fails" }>): string {
  if (answer.kind === "raw") return answer.text;
  const speaks = answer.kind === "says";
  return JSON.stringify({
    action_label: speaks ? "speak" : "silence",
    visible_action: speaks ? (answer.action ?? "") : "",
    spoken_text: speaks ? answer.speech : "",
  });
}

function tokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
