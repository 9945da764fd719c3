import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";

/** How far a flood goes if nobody stops it: 200 MiB, so that every run ends by itself. */
export const FLOOD_BYTES: number = 200 * 1024 * 1024;

/**
 * What a scripted model can do wrong. `slow_first_token` and `hanging_headers` hold until `release()`; `no_json_schema` and
 * `no_response_format` answer 400 to requests that ask for those; `echo_500` repeats authorization, prompt and a backend's words.
 */
export const FAULTS = [
  "redirect",
  "huge_json",
  "endless_line",
  "endless_comments",
  "endless_tokens",
  "gzip_bomb",
  "cut_stream",
  "cut_clean",
  "cut_json",
  "status_400",
  "status_401",
  "status_429",
  "echo_500",
  "error_event",
  "slow_first_token",
  "hanging_headers",
  "empty",
  "empty_json",
  "empty_stream",
  "empty_text",
  "thinking_only",
  "malformed_json",
  "malformed_event",
  "wrong_shape",
  "wrong_type",
  "no_type",
  "not_http",
  "huge_headers",
  "reset",
  "no_json_schema",
  "no_response_format",
] as const;
/** One of {@link FAULTS}. */
export type Fault = (typeof FAULTS)[number];

/** What a fault may use. */
export interface FaultScene {
  readonly response: ServerResponse;
  /** Authorization header and request text, for faults that give them away. */
  readonly echo: string;
  /** Where a redirect points. */
  readonly elsewhere: string;
}

/** Words of the backend that no error of a client may hold. */
export const BACKEND_CANARY = "backend-canary-9f31";

const EVENTS = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
const FIRST_TOKENS = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: `{"spoken_text":"${BACKEND_CANARY}` } }] })}\n\n`;

/** Faults that answer whatever was asked, and end (or are cut by the client). */
export const ANSWERING_FAULTS: Partial<Record<Fault, (scene: FaultScene) => void | Promise<void>>> = {
  redirect: ({ response, elsewhere }) => void response.writeHead(307, { location: elsewhere }).end(BACKEND_CANARY),
  huge_json: ({ response }) => flood(response.writeHead(200, JSON_TYPE), '{"choices":[{"message":{"content":"', "a".repeat(65_536)),
  endless_line: ({ response }) => flood(response.writeHead(200, EVENTS), 'data: {"choices":[{"delta":{"content":"', "a".repeat(65_536)),
  endless_comments: ({ response }) => flood(response.writeHead(200, EVENTS), "", `: ${BACKEND_CANARY}\n\n`.repeat(1_000)),
  endless_tokens: ({ response }) => flood(response.writeHead(200, EVENTS), "", FIRST_TOKENS.repeat(500)),
  gzip_bomb: ({ response }) => void response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(bomb()),
  cut_stream: async ({ response }) => {
    await written(response.writeHead(200, EVENTS), FIRST_TOKENS);
    response.destroy();
  },
  cut_clean: ({ response }) => void response.writeHead(200, EVENTS).end(FIRST_TOKENS),
  cut_json: async ({ response }) => {
    await written(
      response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }),
      `{"choices":[{"message":{"content":"${BACKEND_CANARY}`,
    );
    response.destroy();
  },
  status_400: ({ response }) => void response.writeHead(400, JSON_TYPE).end(JSON.stringify({ error: { message: BACKEND_CANARY } })),
  status_401: ({ response, echo }) =>
    void response.writeHead(401, JSON_TYPE).end(JSON.stringify({ error: { message: `${BACKEND_CANARY} ${echo}` } })),
  status_429: ({ response, echo }) =>
    void response.writeHead(429, { ...JSON_TYPE, "retry-after": "7" }).end(JSON.stringify({ error: { message: echo } })),
  echo_500: ({ response, echo }) => {
    response.statusMessage = BACKEND_CANARY;
    response
      .writeHead(500, { ...JSON_TYPE, "x-echo": BACKEND_CANARY })
      .end(JSON.stringify({ error: { message: `${BACKEND_CANARY} ${echo}` } }));
  },
  error_event: ({ response, echo }) =>
    void response.writeHead(200, EVENTS).end(`data: ${JSON.stringify({ error: { code: 502, message: `${BACKEND_CANARY} ${echo}` } })}\n\n`),
  empty: ({ response }) => void response.writeHead(200, { "content-length": "0" }).end(),
  empty_json: ({ response }) => {
    // Written in two steps, so that the emptiness shows only at the end of the body.
    response.writeHead(200, JSON_TYPE).flushHeaders();
    response.end();
  },
  empty_stream: ({ response }) => void response.writeHead(200, EVENTS).end("data: [DONE]\n\n"),
  empty_text: ({ response }) =>
    void response
      .writeHead(200, EVENTS)
      .end(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`),
  thinking_only: ({ response }) =>
    void response
      .writeHead(200, EVENTS)
      .end(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: "", reasoning_content: BACKEND_CANARY }, finish_reason: "length" }] })}\n\ndata: [DONE]\n\n`,
      ),
  malformed_json: ({ response, echo }) => void response.writeHead(200, JSON_TYPE).end(`${BACKEND_CANARY} ${echo}`),
  malformed_event: ({ response, echo }) => void response.writeHead(200, EVENTS).end(`data: ${BACKEND_CANARY} ${echo}\n\n`),
  wrong_shape: ({ response }) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ text: BACKEND_CANARY })),
  wrong_type: ({ response, echo }) => void response.writeHead(200, { "content-type": "text/html" }).end(`<p>${BACKEND_CANARY} ${echo}</p>`),
  no_type: ({ response }) => void response.writeHead(200).end(BACKEND_CANARY),
  not_http: ({ response, echo }) => void response.socket?.end(`${BACKEND_CANARY} ${echo.slice(0, 200)}\r\n\r\n`),
  huge_headers: ({ response, echo }) =>
    void response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${BACKEND_CANARY}${"h".repeat(600_000)}\r\nx-echo: ${echo.slice(0, 50)}\r\n\r\n`),
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
};

/** Write a start and then the same piece again and again, no faster than it is read, until the peer leaves or 200 MiB went out. */
async function flood(response: ServerResponse, start: string, piece: string): Promise<void> {
  const chunk = Buffer.from(piece);
  response.write(start);
  for (let sent = 0; sent < FLOOD_BYTES && !response.destroyed; sent += chunk.length) {
    if (!response.write(chunk)) await drained(response);
  }
  response.end();
}

/** Resolve when the response takes more, or when the peer left. */
export function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      response.off("drain", go);
      response.off("close", go);
      resolve();
    };
    response.on("drain", go);
    response.on("close", go);
    if (response.destroyed) go();
  });
}

function written(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve) => response.write(text, () => resolve()));
}

let packed: Buffer | null = null;
/** 64 MiB of one letter inside valid JSON, in some 64 KiB. */
function bomb(): Buffer {
  packed ??= gzipSync(Buffer.from(JSON.stringify({ choices: [{ message: { content: "a".repeat(64 * 1024 * 1024) } }] })));
  return packed;
}
