import { createParser } from "eventsource-parser";
import { abortReason } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { LineCutter } from "./line-cutter.ts";

/** The longest line or event of a stream, in characters: a hard ceiling. */
export const MAX_EVENT_CHARACTERS: number = 1_048_576;

/**
 * Bytes of a body that is kept whole before it is read, while events are let go one by one: a hard ceiling. The longest answer,
 * with each character escaped, fits.
 */
export const MAX_WHOLE_BODY_BYTES: number = 2_097_152;

/** Who reads the response while it comes. A throw inside ends the exchange and reaches the caller as it is. */
export interface PostReader {
  /** One event of a `text/event-stream`, or one line of JSON; `done` ends the exchange, whatever would still come. */
  event(data: string): "more" | "done";
  /** A whole `application/json` body; may be empty. */
  body(text: string): void;
}

/** Bytes of a failure's body that are looked at. */
const MAX_FAULT_BYTES = 65_536;

type Body = ReadableStream<Uint8Array>;

/** How a response is read. */
export interface Reading {
  /** Bytes of the body, as they are after the HTTP client undid any compression. */
  readonly maxBytes: number;
  readonly reader: PostReader;
}

/**
 * Read a successful response to its end, or until the reader has enough, counting while it comes (MC-075). `cut` when it broke off.
 * It does not let go of the connection; the caller does.
 * @throws RuntimeError `model_empty`, `model_malformed`, `model_too_large`, or what the reader throws; the signal's reason on abort.
 */
export async function readResponse(response: Response, reading: Reading, signal: AbortSignal): Promise<"read" | "cut"> {
  if (response.body === null || response.headers.get("content-length") === "0") {
    throw nothingSent();
  }
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return await readEvents(response.body, reading, signal);
  if (type === "application/x-ndjson") return await readLines(response.body, reading, signal);
  if (type === "application/json") return await readBody(response.body, reading, signal);
  throw new RuntimeError("model_malformed", "Cannot use the model's answer: it is neither an event stream nor JSON");
}

/** Read what a failure says, at most {@link MAX_FAULT_BYTES} of it; "" for what is longer or breaks off. @throws the signal's reason on abort. */
export async function readFaultBody(response: Response, signal: AbortSignal): Promise<string> {
  if (response.body === null) return "";
  const pieces: string[] = [];
  let whole = true;
  const take = (text: string, bytes: number): "more" | "done" => {
    whole = bytes <= MAX_FAULT_BYTES;
    pieces.push(text);
    return whole ? "more" : "done";
  };
  const end = await readText(response.body, { maxBytes: Number.MAX_SAFE_INTEGER, take }, signal);
  return end === "read" && whole ? pieces.join("") : "";
}

async function readBody(body: Body, reading: Reading, signal: AbortSignal): Promise<"read" | "cut"> {
  const pieces: string[] = [];
  const take = (text: string): "more" => {
    pieces.push(text);
    return "more";
  };
  const maxBytes = Math.min(reading.maxBytes, MAX_WHOLE_BODY_BYTES);
  const end = await readText(body, { maxBytes, take }, signal);
  if (end === "cut") return end;
  const whole = pieces.join("");
  if (whole.trim() === "") throw nothingSent();
  reading.reader.body(whole);
  return end;
}

async function readEvents(body: Body, reading: Reading, signal: AbortSignal): Promise<"read" | "cut"> {
  let verdict: "more" | "done" = "more";
  let overflow = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARACTERS,
    onEvent: ({ data }) => {
      if (verdict === "more" && !overflow) verdict = reading.reader.event(data);
    },
    onError: ({ type }) => {
      if (type === "max-buffer-size-exceeded") overflow = true;
    },
  });
  const take = (text: string): "more" | "done" => {
    parser.feed(text);
    if (overflow && verdict === "more") throw tooLarge(`a line is over ${MAX_EVENT_CHARACTERS} characters`);
    return verdict;
  };
  return await readText(body, { maxBytes: reading.maxBytes, take }, signal);
}

/** One JSON object a line; empty lines are nothing, and the last line needs no end. */
async function readLines(body: Body, reading: Reading, signal: AbortSignal): Promise<"read" | "cut"> {
  const cutter = new LineCutter(MAX_EVENT_CHARACTERS);
  const hear = (line: string): "more" | "done" => (line.trim() === "" ? "more" : reading.reader.event(line));
  const take = (text: string): "more" | "done" => {
    for (const line of cutter.cut(text)) if (hear(line) === "done") return "done";
    return "more";
  };
  const end = await readText(body, { maxBytes: reading.maxBytes, take }, signal);
  if (end === "read") hear(cutter.rest());
  return end;
}

interface Taking {
  readonly maxBytes: number;
  /** `bytes` is all that has come so far. */
  readonly take: (text: string, bytes: number) => "more" | "done";
}

/** Hand the text on piece by piece, counting bytes, until it ends, breaks off or `take` has enough. */
async function readText(body: Body, taking: Taking, signal: AbortSignal): Promise<"read" | "cut"> {
  const source = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const piece = await next(source, signal);
    if (piece === "cut") return "cut";
    bytes += piece?.byteLength ?? 0;
    if (bytes > taking.maxBytes) throw tooLarge(`it is over ${taking.maxBytes} bytes`);
    const verdict = taking.take(piece === null ? decoder.decode() : decoder.decode(piece, { stream: true }), bytes);
    if (piece === null || verdict === "done") return "read";
  }
}

/** The next bytes, null at the end, `cut` when the connection broke. */
async function next(source: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): Promise<Uint8Array | null | "cut"> {
  try {
    const { done, value } = await source.read();
    return done ? null : value;
  } catch {
    // What broke the stream is the server's or the network's text; only that it broke is kept.
    if (signal.aborted) throw abortReason(signal);
    return "cut";
  }
}

function nothingSent(): RuntimeError {
  return new RuntimeError("model_empty", "Cannot use the model's answer: the server sent nothing");
}

function tooLarge(why: string): RuntimeError {
  return new RuntimeError("model_too_large", `Cannot read the model's answer: ${why}`);
}
