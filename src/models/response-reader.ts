import { createParser } from "eventsource-parser";
import { abortReason } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";

/** The longest line or event of a stream, in characters: a hard ceiling. */
export const MAX_EVENT_CHARACTERS: number = 1_048_576;

/**
 * Bytes of a body that is kept whole before it is read, while events are let go one by one: a hard ceiling. The longest answer,
 * with each character escaped, fits.
 */
export const MAX_WHOLE_BODY_BYTES: number = 2_097_152;

/** Who reads the response while it comes. A throw inside ends the exchange and reaches the caller as it is. */
export interface PostReader {
  /** One event of a `text/event-stream`; `done` ends the exchange, whatever would still come. */
  event(data: string): "more" | "done";
  /** A whole `application/json` body; may be empty. */
  body(text: string): void;
}

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
    throw new RuntimeError("model_empty", "Cannot use the model's answer: the server sent nothing");
  }
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return await readEvents(response.body, reading, signal);
  if (type === "application/json") return await readBody(response.body, reading, signal);
  throw new RuntimeError("model_malformed", "Cannot use the model's answer: it is neither an event stream nor JSON");
}

async function readBody(body: Body, reading: Reading, signal: AbortSignal): Promise<"read" | "cut"> {
  const pieces: string[] = [];
  const take = (text: string): "more" => {
    pieces.push(text);
    return "more";
  };
  const maxBytes = Math.min(reading.maxBytes, MAX_WHOLE_BODY_BYTES);
  const end = await readText(body, { maxBytes, take }, signal);
  if (end === "read") reading.reader.body(pieces.join(""));
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

interface Taking {
  readonly maxBytes: number;
  readonly take: (text: string) => "more" | "done";
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
    const verdict = taking.take(piece === null ? decoder.decode() : decoder.decode(piece, { stream: true }));
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

function tooLarge(why: string): RuntimeError {
  return new RuntimeError("model_too_large", `Cannot read the model's answer: ${why}`);
}
