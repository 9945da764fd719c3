import { createParser } from "eventsource-parser";
import { linkSignals } from "../foundation/cancellation.ts";
import { abortReason } from "../foundation/clock.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Secret } from "../foundation/secret.ts";
import { unreachable } from "./transport-errors.ts";

/** The longest line or event of a stream, in characters: a hard ceiling. */
export const MAX_EVENT_CHARACTERS: number = 1_048_576;

/** One request. */
export interface Post {
  /** Exactly this address; nothing is sent anywhere else (MC-074). */
  readonly url: EndpointUrl;
  /** Sent as a bearer token, to that address only. */
  readonly key: Secret | null;
  /** JSON text. */
  readonly body: string;
  /** Bytes the request and the response may each have (MC-075). */
  readonly maxBytes: number;
}

/** Who reads the response while it comes. A throw inside ends the exchange and reaches the caller as it is. */
export interface PostReader {
  /** One event of a `text/event-stream`; `done` ends the exchange, whatever would still come. */
  event(data: string): "more" | "done";
  /** A whole `application/json` body; may be empty. */
  body(text: string): void;
}

/** `read`: the response was read to its end or to the reader's `done`. `cut`: it broke off. `refused`: a failure status, its body unread. */
export type Posted = { readonly kind: "read" } | { readonly kind: "cut" } | { readonly kind: "refused"; readonly status: number };

/**
 * Send one POST and read its response, with every part bounded: no redirect is followed, no body over `maxBytes` is taken in
 * either direction, no line over {@link MAX_EVENT_CHARACTERS} is kept. The connection is given up when this ends, also by abort.
 * What the server writes reaches no error, nor do address, key and body (MC-076, MC-090).
 * @throws RuntimeError `model_refused_redirect`, `model_too_large`, `model_unreachable`, `model_malformed`, `model_empty`; the signal's reason on abort.
 */
export async function post(request: Post, reader: PostReader, signal: AbortSignal): Promise<Posted> {
  if (Buffer.byteLength(request.body) > request.maxBytes) {
    throw new RuntimeError("model_too_large", `Cannot ask the model: the request is over ${request.maxBytes} bytes`);
  }
  using connection = linkSignals(signal);
  try {
    const response = await send(request, connection.signal);
    if (!response.ok) return { kind: "refused", status: response.status };
    return await read(response, { maxBytes: request.maxBytes, reader, signal });
  } finally {
    // Ends the exchange whatever its state, so that nothing more is taken in and the socket is let go.
    connection.abort(new RuntimeError("closed", "Cannot read on: the exchange is over"));
  }
}

async function send(request: Post, signal: AbortSignal): Promise<Response> {
  const { href, authorization } = request.url.target();
  const bearer = request.key === null ? authorization : `Bearer ${request.key.reveal()}`;
  try {
    return await fetch(href, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream, application/json",
        // What comes is counted as it is; a compressed body would let few bytes stand for many.
        "accept-encoding": "identity",
        ...(bearer === null ? {} : { authorization: bearer }),
      },
      body: request.body,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw unreachable(error);
  }
}

interface Reading {
  readonly maxBytes: number;
  readonly reader: PostReader;
  readonly signal: AbortSignal;
}

async function read(response: Response, reading: Reading): Promise<Posted> {
  if (response.body === null || response.headers.get("content-length") === "0") {
    throw new RuntimeError("model_empty", "Cannot use the model's answer: the server sent nothing");
  }
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase();
  if (type === "text/event-stream") return await readEvents(response.body, reading);
  if (type === "application/json") return await readBody(response.body, reading);
  throw new RuntimeError("model_malformed", "Cannot use the model's answer: it is neither an event stream nor JSON");
}

async function readBody(body: ReadableStream<Uint8Array>, reading: Reading): Promise<Posted> {
  const pieces: string[] = [];
  const end = await readText(body, reading, (text) => {
    pieces.push(text);
    return "more";
  });
  if (end === "cut") return { kind: "cut" };
  reading.reader.body(pieces.join(""));
  return { kind: "read" };
}

async function readEvents(body: ReadableStream<Uint8Array>, reading: Reading): Promise<Posted> {
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
  const end = await readText(body, reading, (text) => {
    parser.feed(text);
    if (overflow && verdict === "more")
      throw new RuntimeError("model_too_large", `Cannot read the model's answer: a line is over ${MAX_EVENT_CHARACTERS} characters`);
    return verdict;
  });
  return { kind: end === "cut" ? "cut" : "read" };
}

/** Hand the text on piece by piece, counting bytes, until it ends, breaks off or `take` has enough. */
async function readText(
  body: ReadableStream<Uint8Array>,
  reading: Reading,
  take: (text: string) => "more" | "done",
): Promise<"end" | "cut"> {
  const source = body.getReader();
  const decoder = new TextDecoder();
  let bytes = 0;
  for (;;) {
    const piece = await next(source, reading.signal);
    if (piece === "cut") return "cut";
    bytes += piece?.byteLength ?? 0;
    if (bytes > reading.maxBytes)
      throw new RuntimeError("model_too_large", `Cannot read the model's answer: it is over ${reading.maxBytes} bytes`);
    const verdict = take(piece === null ? decoder.decode() : decoder.decode(piece, { stream: true }));
    if (piece === null || verdict === "done") return "end";
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
