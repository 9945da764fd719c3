import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Model, ModelAnswer, ModelRequest, SkippedHost, WindowExceeded } from "../vocabulary/model.ts";
import type { BuiltPacket } from "../vocabulary/packet.ts";
import type { ActionLabel, Usage } from "../vocabulary/reply.ts";
import { leanSchema, parseLean } from "./lean-answer.ts";
import { withoutOthersLines } from "./own-lines.ts";

/** Bytes of an answer's text, at most; no honest answer comes near it. */
export const MAX_ANSWER_BYTES = 65_536;
/** Added to the prompt when the first answer kept no format. Nothing of that answer is repeated. */
export const ASK_AGAIN = "Your last answer did not keep the form. Answer again, in exactly the form that the Output Contract describes.";

/** What one sandboxed call gives back. It is a proposal: the delivery gate decides what is said, and nothing else of it has an effect. */
export interface Proposal {
  readonly kind: "proposal";
  /** `silence` is a typed decision and comes with no words (TR-035). */
  readonly label: ActionLabel;
  /** What others see the character do; "" for nothing. */
  readonly action: string;
  readonly speech: string;
  /** How many state or relationship candidates and hooks the model proposed. None is ever applied here (AE-049). */
  readonly candidates: number;
  /** Some of them as bounded text, to be shown to an operator. */
  readonly candidateTexts: readonly string[];
  /** Summed over all calls. */
  readonly usage: Usage;
  /** Whether the tokens are our estimate because the host counted none. */
  readonly usageEstimated: boolean;
  /** Milliseconds to the first token of the call whose answer was taken. */
  readonly firstTokenMs: number;
  /** 2 when the model was asked once more. */
  readonly calls: 1 | 2;
  /** Lines that the answer had put into others' mouths and that were cut (case 49). */
  readonly droppedLines: number;
  /** Who answered: `host/model`, or `understudy`. */
  readonly by: string;
  /** Hosts that were passed over before it, each once. */
  readonly skipped: readonly SkippedHost[];
}

/**
 * Ask the model once with one packet, once more when its answer keeps no format, and read the answer strictly (TR-031, AE-002).
 * There is no tool, no session and no other conversation within reach: this folder imports none. The caller owns the deadline, and
 * builds a shorter packet when this one does not fit into the model's window. `asksForSchema` false asks for JSON alone, for a
 * model that a trial saw keep the form only so.
 * @throws RuntimeError `model_format` when the second answer keeps no format either; `model_empty` for an answer without text,
 * or with a label other than silence and nothing to see or hear (TR-096); `model_too_large`; what the model throws; the
 * signal's reason on abort.
 */
export async function respond(
  needs: { readonly model: Model; readonly clock: Clock; readonly asksForSchema?: boolean },
  packet: BuiltPacket,
  signal: AbortSignal,
): Promise<Proposal | WindowExceeded> {
  const request = requestOf(packet, needs.asksForSchema ?? true);
  const first = await ask(needs, request, signal);
  if (first.kind === "window") return first;
  const read = readAnswer(first.text, packet);
  if (read !== null) return proposal(packet, read, [first]);
  const second = await ask(needs, { ...request, prompt: `${packet.prompt}\n${ASK_AGAIN}\n` }, signal);
  if (second.kind === "window") return second;
  const again = readAnswer(second.text, packet);
  if (again === null)
    throw new RuntimeError("model_format", "Cannot use the model's answer: it keeps no accepted format, also when asked again");
  return proposal(packet, again, [first, second]);
}

function requestOf(packet: BuiltPacket, asksForSchema: boolean): ModelRequest {
  const { system, prompt, maxOutputTokens, contract } = packet;
  const plain: ModelRequest = { system, prompt, maxOutputTokens, format: "plain" };
  if (contract === "plain") return plain;
  if (!asksForSchema) return { ...plain, format: "json" };
  return { ...plain, format: "json", schema: leanSchema(packet.packet.visible_context.allowed_action_labels) };
}

async function ask(
  { model }: { readonly model: Model },
  request: ModelRequest,
  signal: AbortSignal,
): Promise<ModelAnswer | WindowExceeded> {
  const answer = await model.generate(request, signal);
  if (answer.kind === "window") return answer;
  if (Buffer.byteLength(answer.text) > MAX_ANSWER_BYTES) {
    throw new RuntimeError("model_too_large", `Cannot use the model's answer: it is over ${MAX_ANSWER_BYTES} bytes`);
  }
  // An empty answer is no silence and no slip of format: asking again would only hide a broken host (TR-096).
  if (answer.text.trim() === "") throw new RuntimeError("model_empty", "Cannot use the model's answer: it has no text");
  return answer;
}

interface Read {
  readonly label: ActionLabel;
  readonly action: string;
  readonly speech: string;
  readonly candidates: readonly string[];
  readonly candidateCount: number;
}

/** The answer's fields, or null when it keeps no accepted format. */
function readAnswer(text: string, packet: BuiltPacket): Read | null {
  if (packet.contract === "plain") return { label: "speak", action: "", speech: text.trim(), candidates: [], candidateCount: 0 };
  return parseLean(text, packet.packet.visible_context.allowed_action_labels);
}

function proposal(packet: BuiltPacket, read: Read, answers: readonly [ModelAnswer, ModelAnswer?]): Proposal {
  const last = answers[1] ?? answers[0];
  const { speech, dropped } = withoutOthersLines(read.speech, packet.speakers);
  checkWords(read, speech);
  const given = answers.filter((answer) => answer !== undefined);
  return {
    kind: "proposal",
    label: read.label,
    action: read.action,
    speech,
    candidates: read.candidateCount,
    candidateTexts: read.candidates,
    usage: sumUsage(given),
    usageEstimated: given.some(({ usage }) => usage.estimated),
    firstTokenMs: last.firstTokenMs,
    calls: answers[1] === undefined ? 1 : 2,
    droppedLines: dropped,
    by: last.by,
    skipped: [...new Map(given.flatMap(({ skipped }) => skipped).map((host) => [host.by, host])).values()],
  };
}

function checkWords(read: Read, speech: string): void {
  const needsWords = read.label === "speak";
  if (read.label === "silence" || speech !== "" || (!needsWords && read.action !== "")) return;
  throw new RuntimeError("model_empty", "Cannot use the model's answer: it has a label but nothing to hear or see");
}

/** What all calls came to; without a price of one of them the sum is unknown. */
function sumUsage(answers: readonly ModelAnswer[]): Usage {
  const sum = (of: (answer: ModelAnswer) => number): number => answers.reduce((total, answer) => total + of(answer), 0);
  return {
    promptTokens: sum(({ usage }) => usage.promptTokens),
    completionTokens: sum(({ usage }) => usage.completionTokens),
    costMicros: answers.some(({ costMicros }) => costMicros === null) ? null : sum(({ costMicros }) => costMicros ?? 0),
  };
}
