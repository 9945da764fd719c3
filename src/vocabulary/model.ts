import type { ErrorCode } from "../foundation/errors.ts";
import type { AnswerFormat } from "./model-trial.ts";

/** One request to a model: the exact text it gets, nothing beside it. It has no place for tools (TR-031). */
export interface ModelRequest {
  /** The role frame and rules. */
  readonly system: string;
  /** The packet. */
  readonly prompt: string;
  readonly maxOutputTokens: number;
  /** The shape the answer must keep: `json` asks the host for an object, with `schema` where the host can. */
  readonly format: "json" | "plain";
  readonly schema?: { readonly name: string; readonly json: Readonly<Record<string, unknown>> };
}

/** Tokens of one answer. */
export interface ModelUsage {
  /** All that was read, whatever a cache of the host spared. */
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** The parts of `promptTokens` that the host read from its cache and wrote to it. */
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  /** Whether this is our estimate, because the host counted nothing. */
  readonly estimated: boolean;
}

/** A host that was not asked, or asked in vain, before another answered. */
export interface SkippedHost {
  /** `host/model`. */
  readonly by: string;
  readonly reason: ErrorCode;
}

/** A model's whole answer. */
export interface ModelAnswer {
  readonly kind: "answer";
  readonly text: string;
  readonly usage: ModelUsage;
  /** Millionths of the currency, rounded up; null when the price is unknown (TR-092). */
  readonly costMicros: number | null;
  /** Who answered: `host/model`, or `understudy`. */
  readonly by: string;
  /** Milliseconds to the first token, without those in which the host loaded the model. */
  readonly firstTokenMs: number;
  /** Milliseconds in which the host loaded the model; null where it doesn't say. */
  readonly loadMs: number | null;
  /** `length` when the host cut the answer at `maxOutputTokens`. */
  readonly finish: "stop" | "length";
  /** Whether it thought before it spoke; the thinking itself is never kept. */
  readonly thought: boolean;
  /** How strictly its form was asked for in the end: less than the request wanted where the host takes no more. Absent where nobody noted it. */
  readonly asked?: AnswerFormat;
  /** Hosts before this one in the list that could not answer, in order. */
  readonly skipped: readonly SkippedHost[];
}

/** The request is longer than the model's window: nothing was answered, and a shorter one may be. */
export interface WindowExceeded {
  readonly kind: "window";
  /** What the host counted, and what it has room for, in tokens; null where it doesn't say. */
  readonly promptTokens: number | null;
  readonly windowTokens: number | null;
}

/** A model behind exactly configured endpoints, or the understudy. */
export interface Model {
  /** `host/model` of the first in the list, or `understudy`. */
  readonly name: string;
  readonly understudy: boolean;
  /**
   * Ask once, with no redirect; only a host that is down is passed over for the next in the list. The caller owns deadline and budget.
   * @throws RuntimeError `model_*`, `truncated_by_host`, `budget_spent` with a fixed message; the signal's reason on abort.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer | WindowExceeded>;
}
