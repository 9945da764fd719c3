/** How strictly a model's answer can be asked for, from the strictest down. */
export const ANSWER_FORMATS = ["schema", "json", "plain"] as const;
/** One of {@link ANSWER_FORMATS}: `plain` is prose, all of which is speech. */
export type AnswerFormat = (typeof ANSWER_FORMATS)[number];

/** What was seen of a model's thinking: none; some, and nobody had asked for none; some although none was asked for. */
export const THINKING = ["none", "thinks", "thinks_anyway"] as const;
/** One of {@link THINKING}. */
export type Thinking = (typeof THINKING)[number];

/**
 * Why no longer packet is sent: it need not be longer (`budget`), the host refused longer ones (`window`), it left out part of
 * them and did not say so (`truncated`), the model could not tell what stood in them (`recall`), or took longer than the host's
 * deadline (`slow`). `unsure`: it could not tell what stood even in short ones, so only the host's count speaks for the length.
 */
export const WINDOW_ENDS = ["budget", "window", "truncated", "recall", "slow", "unsure"] as const;
/** One of {@link WINDOW_ENDS}. */
export type WindowEnd = (typeof WINDOW_ENDS)[number];

/** What one trial found out about a model behind its host. */
export interface ModelTrial {
  /** `host/model`. */
  readonly model: string;
  readonly atMs: number;
  readonly firstTokenMs: number;
  /** Milliseconds in which the host loaded the model first; null where it doesn't say. */
  readonly loadMs: number | null;
  /** Tokens a second while it wrote; null when it wrote too little to tell. */
  readonly tokensPerSecond: number | null;
  readonly format: AnswerFormat;
  readonly thinking: Thinking;
  /** Bytes of the longest packet all of which reached the model; 0 when not even a short one did: then it must not speak. */
  readonly packetBytes: number;
  readonly end: WindowEnd;
  /** Tokens the host counted for that packet; null where it counts nothing. */
  readonly packetTokens: number | null;
}

/** Whether a model may speak at all: one whose host leaves out part of every packet never gets the rules it is to keep. */
export function maySpeak(trial: Pick<ModelTrial, "packetBytes">): boolean {
  return trial.packetBytes > 0;
}
