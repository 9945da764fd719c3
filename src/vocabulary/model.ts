/** One request to a model: the exact text it gets, nothing beside it. */
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

/** A model's whole answer. */
export interface ModelAnswer {
  readonly text: string;
  /** Null where the host counts nothing. */
  readonly usage: { readonly promptTokens: number; readonly completionTokens: number } | null;
  readonly firstTokenMs: number;
  /** `length` when the host cut the answer at `maxOutputTokens`. */
  readonly finish: "stop" | "length";
}

/** A model behind one exactly configured endpoint, or the understudy. */
export interface Model {
  /** `host/model`, or `understudy`. */
  readonly name: string;
  readonly understudy: boolean;
  /** Millionths of the currency for a million tokens; null when unknown. */
  readonly price: { readonly promptMicros: number; readonly completionMicros: number } | null;
  /**
   * Ask once; no retry, no redirect. The caller owns deadline and budget.
   * @throws RuntimeError `model_*` with a fixed message; the signal's reason on abort.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
}
