import { RuntimeError } from "../foundation/errors.ts";
import type { ModelAnswer } from "../vocabulary/model.ts";
import { withoutThinking } from "./thinking.ts";
import type { PostReader } from "./response-reader.ts";
import { refusal } from "./transport-errors.ts";

/** The longest answer that is taken, in characters, thinking included: a hard ceiling. */
export const MAX_ANSWER_CHARACTERS: number = 262_144;

type Usage = ModelAnswer["usage"];

/** What one event or body of a chat completion says. */
interface Piece {
  readonly text: string;
  readonly thinks: boolean;
  readonly finish: "stop" | "length" | null;
  readonly usage: Usage;
}

/** Builds one answer out of a chat completion, streamed or whole. It trusts nothing: each part is checked and bounded. */
export class ChatAnswer implements PostReader {
  readonly #nowMs: () => number;
  readonly #startMs: number;
  #firstTokenMs: number | null = null;
  #text = "";
  #thinks = false;
  #finish: "stop" | "length" | null = null;
  #usage: Usage = null;
  #ended = false;

  /** `nowMs` is read at once and at the first token. */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#startMs = nowMs();
  }

  /** Take one event; `done` after the closing mark, or when everything that is wanted has come. @throws RuntimeError `model_*`. */
  event(data: string): "more" | "done" {
    if (data.trim() === "[DONE]") {
      this.#ended = true;
      return "done";
    }
    this.#take(readPiece(data, "delta"));
    return this.#finish !== null && this.#usage !== null ? "done" : "more";
  }

  /** Take a whole body. @throws RuntimeError `model_*`. */
  body(text: string): void {
    if (text.trim() === "") throw new RuntimeError("model_empty", "Cannot use the model's answer: the server sent nothing");
    this.#take(readPiece(text, "message"));
    this.#ended = true;
  }

  /** The answer. @throws RuntimeError `model_cut` when its end never came; `model_empty` when it holds no text. */
  finish(): ModelAnswer {
    if (this.#finish === null && !this.#ended) {
      const nothing = this.#firstTokenMs === null;
      throw nothing
        ? new RuntimeError("model_cut", "Cannot use the model's answer: the stream ended before it began")
        : new RuntimeError("model_cut", "Cannot use the model's answer: the stream ended in the middle");
    }
    const { text, thought } = withoutThinking(this.#text.toWellFormed().replaceAll("\u0000", ""));
    if (text.trim() === "") throw emptyAnswer(thought || this.#thinks);
    const firstTokenMs = this.#firstTokenMs ?? 0;
    return { text: text.trim(), usage: this.#usage, firstTokenMs, finish: this.#finish ?? "stop" };
  }

  #take(piece: Piece): void {
    if (piece.text !== "" || piece.thinks) this.#firstTokenMs ??= this.#nowMs() - this.#startMs;
    this.#text += piece.text;
    this.#thinks ||= piece.thinks;
    this.#finish ??= piece.finish;
    this.#usage = piece.usage ?? this.#usage;
    if (this.#text.length > MAX_ANSWER_CHARACTERS) {
      throw new RuntimeError("model_too_large", `Cannot use the model's answer: it is over ${MAX_ANSWER_CHARACTERS} characters`);
    }
  }
}

function emptyAnswer(thought: boolean): RuntimeError {
  const why = thought ? "it holds thinking only; give it more output tokens or turn its thinking off" : "it holds no text";
  return new RuntimeError("model_empty", `Cannot use the model's answer: ${why}`);
}

function readPiece(json: string, part: "delta" | "message"): Piece {
  const root = parse(json);
  if ("error" in root && root["error"] !== null) throw refusal(statusIn(root["error"]));
  const choices: unknown = root["choices"];
  const usage = readUsage(root["usage"]);
  if (!Array.isArray(choices)) {
    if (part === "message" || usage === null) throw malformed();
    return { text: "", thinks: false, finish: null, usage };
  }
  // One answer was asked for; a host that sends more is heard on the first only.
  const choice: unknown = choices.find((each) => isRecord(each) && (each["index"] === undefined || each["index"] === 0));
  if (!isRecord(choice)) {
    if (part === "message") throw malformed();
    return { text: "", thinks: false, finish: null, usage };
  }
  const content = isRecord(choice[part]) ? choice[part] : {};
  return { text: readText(content["content"]), thinks: hasThinking(content), finish: readFinish(choice["finish_reason"]), usage };
}

function parse(json: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    // The parser's message quotes the server's text, so it goes no further.
    throw malformed();
  }
  if (!isRecord(value)) throw malformed();
  return value;
}

/** Text as a string, or as a list of parts of which those of type `text` count. */
function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .map((part) => (isRecord(part) && part["type"] === "text" && typeof part["text"] === "string" ? part["text"] : ""))
    .join("");
}

/** Whether the host sends the thinking beside the answer; only that it does is used. */
function hasThinking(content: Record<string, unknown>): boolean {
  return [content["reasoning_content"], content["reasoning"]].some((text) => typeof text === "string" && text !== "");
}

function readFinish(reason: unknown): "stop" | "length" | null {
  if (typeof reason !== "string") return null;
  return reason === "length" ? "length" : "stop";
}

function readUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return null;
  const [promptTokens, completionTokens] = [usage["prompt_tokens"], usage["completion_tokens"]];
  return isCount(promptTokens) && isCount(completionTokens) ? { promptTokens, completionTokens } : null;
}

/** The status a host puts into an error it sends inside a 200. */
function statusIn(error: unknown): number | null {
  const code: unknown = isRecord(error) ? error["code"] : null;
  return typeof code === "number" && Number.isInteger(code) && code >= 400 && code <= 599 ? code : null;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function malformed(): RuntimeError {
  return new RuntimeError("model_malformed", "Cannot use the model's answer: it is not of the agreed shape");
}
