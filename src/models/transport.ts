import { linkSignals } from "../foundation/cancellation.ts";
import { abortReason } from "../foundation/clock.ts";
import type { EndpointUrl } from "../foundation/endpoint-url.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Secret } from "../foundation/secret.ts";
import type { PostReader } from "./response-reader.ts";
import type { HostFault } from "./host-fault.ts";
import { readFault } from "./host-fault.ts";
import { readFaultBody, readResponse } from "./response-reader.ts";
import { unreachable } from "./transport-errors.ts";

/** One request. */
export interface Post {
  /** Exactly this address; nothing is sent anywhere else (MC-074). */
  readonly url: EndpointUrl;
  /** Sent in the header of that name, to that address only; as a bearer token where that is `authorization`. */
  readonly key: { readonly secret: Secret; readonly header: "authorization" | "x-api-key" } | null;
  /** Headers beside those of every request; they hold no secret. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body: string;
  /** Bytes the request and the response may each have (MC-075). */
  readonly maxBytes: number;
}

/** `read`: the response was read to its end or to the reader's `done`. `cut`: it broke off. `refused`: a failure status, and what follows from its body. */
export type Posted = { readonly kind: "read" | "cut" } | { readonly kind: "refused"; readonly status: number; readonly fault: HostFault };

/**
 * Send one POST and read its response, with every part bounded: no redirect is followed, no body over `maxBytes` is taken in
 * either direction, no line over 1 Mi characters is kept. The connection is given up when this ends, also by abort.
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
    if (!response.ok) return { kind: "refused", status: response.status, fault: readFault(await readFaultBody(response, signal)) };
    return { kind: await readResponse(response, { maxBytes: request.maxBytes, reader }, signal) };
  } finally {
    // Ends the exchange whatever its state, so that nothing more is taken in and the socket is let go.
    connection.abort(new RuntimeError("closed", "Cannot read on: the exchange is over"));
  }
}

async function send(request: Post, signal: AbortSignal): Promise<Response> {
  const { href, authorization } = request.url.target();
  try {
    return await fetch(href, {
      method: "POST",
      redirect: "error",
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream, application/x-ndjson, application/json",
        // What comes is counted as it is; a compressed body would let few bytes stand for many.
        "accept-encoding": "identity",
        ...request.headers,
        ...(authorization === null ? {} : { authorization }),
        ...keyHeader(request.key),
      },
      body: request.body,
      signal,
    });
  } catch (error) {
    if (signal.aborted) throw abortReason(signal);
    throw unreachable(error);
  }
}

function keyHeader(key: Post["key"]): Readonly<Record<string, string>> {
  if (key === null) return {};
  const value = key.secret.reveal();
  return { [key.header]: key.header === "authorization" ? `Bearer ${value}` : value };
}
