import type { ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { Speech } from "./scripted-speech.ts";

/** How far a flood goes if nobody stops it: 200 MiB, so that every run ends by itself. */
export const FLOOD_BYTES: number = 200 * 1024 * 1024;

/**
 * What a scripted model can do wrong. `slow_first_token`, `slow_load` (which then tells of 60 s of loading) and `hanging_headers`
 * hold until `release()`; `no_json_schema` and `no_response_format` answer 400 to requests that ask for those, `no_thinking_switch`
 * to those that say whether to think, and `thinks_anyway` thinks whatever they say; `too_long` finds every question longer than its
 * window, and `cut_window` drops the first half of it unsaid; `declines` refuses to answer; `echo_500` repeats authorization,
 * prompt and a backend's words.
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
  "no_thinking_switch",
  "thinks_anyway",
  "slow_load",
  "too_long",
  "cut_window",
  "declines",
] as const;
/** One of {@link FAULTS}. */
export type Fault = (typeof FAULTS)[number];

/** What a fault may use. */
export interface FaultScene {
  readonly response: ServerResponse;
  /** How the interface that was asked puts things. */
  readonly speech: Speech;
  /** Authorization header and request text, for faults that give them away. */
  readonly echo: string;
  /** Where a redirect points. */
  readonly elsewhere: string;
}

/** Words of the backend that no error of a client may hold. */
export const BACKEND_CANARY = "backend-canary-9f31";

const JSON_TYPE = { "content-type": "application/json" };
const FIRST_WORDS = `{"spoken_text":"${BACKEND_CANARY}`;
const stream = ({ response, speech }: FaultScene): ServerResponse => response.writeHead(200, { "content-type": speech.streamType });
const fail = ({ response, speech }: FaultScene, status: number, message: string): void =>
  void response.writeHead(status, JSON_TYPE).end(JSON.stringify(speech.failure(status, message)));
const firstTokens = ({ speech }: FaultScene): string => speech.event(speech.delta(FIRST_WORDS));
/** An answer of nothing, or of thinking alone, as a stream that ends as it should. */
function say(scene: FaultScene, reasoning: string, finish: string): void {
  const spoken = { model: "scripted", text: "", reasoning, calls: [], finish, usage: null, loadMs: 0 };
  stream(scene).end([...scene.speech.pieces(spoken)].join(""));
}

/** Faults that answer whatever was asked, and end (or are cut by the client). */
export const ANSWERING_FAULTS: Partial<Record<Fault, (scene: FaultScene) => void | Promise<void>>> = {
  redirect: ({ response, elsewhere }) => void response.writeHead(307, { location: elsewhere }).end(BACKEND_CANARY),
  huge_json: ({ response }) => flood(response.writeHead(200, JSON_TYPE), '{"choices":[{"message":{"content":"', "a".repeat(65_536)),
  endless_line: (scene) => flood(stream(scene), scene.speech.endless, "a".repeat(65_536)),
  endless_comments: (scene) => flood(stream(scene), "", scene.speech.comment.repeat(4_000)),
  endless_tokens: (scene) => flood(stream(scene), "", firstTokens(scene).repeat(500)),
  gzip_bomb: ({ response }) => void response.writeHead(200, { ...JSON_TYPE, "content-encoding": "gzip" }).end(bomb()),
  cut_stream: async (scene) => {
    await written(stream(scene), firstTokens(scene));
    scene.response.destroy();
  },
  cut_clean: (scene) => void stream(scene).end(firstTokens(scene)),
  cut_json: async ({ response }) => {
    await written(
      response.writeHead(200, { ...JSON_TYPE, "content-length": "5000" }),
      `{"choices":[{"message":{"content":"${BACKEND_CANARY}`,
    );
    response.destroy();
  },
  status_400: (scene) => fail(scene, 400, BACKEND_CANARY),
  status_401: (scene) => fail(scene, 401, `${BACKEND_CANARY} ${scene.echo}`),
  status_429: (scene) => {
    scene.response.setHeader("retry-after", "7");
    fail(scene, 429, scene.echo);
  },
  echo_500: (scene) => {
    scene.response.statusMessage = BACKEND_CANARY;
    scene.response.setHeader("x-echo", BACKEND_CANARY);
    fail(scene, 500, `${BACKEND_CANARY} ${scene.echo}`);
  },
  error_event: (scene) => void stream(scene).end(scene.speech.event(scene.speech.failure(502, `${BACKEND_CANARY} ${scene.echo}`))),
  empty: ({ response }) => void response.writeHead(200, { "content-length": "0" }).end(),
  empty_json: ({ response }) => {
    // Written in two steps, so that the emptiness shows only at the end of the body.
    response.writeHead(200, JSON_TYPE).flushHeaders();
    response.end();
  },
  empty_stream: (scene) => say(scene, "", "stop"),
  empty_text: (scene) => void stream(scene).end([scene.speech.event(scene.speech.delta(" ")), ...ended(scene.speech)].join("")),
  thinking_only: (scene) => say(scene, BACKEND_CANARY, "length"),
  malformed_json: ({ response, echo }) => void response.writeHead(200, JSON_TYPE).end(`${BACKEND_CANARY} ${echo}`),
  malformed_event: (scene) => void stream(scene).end(scene.speech.event(`${BACKEND_CANARY} ${scene.echo}`)),
  wrong_shape: ({ response }) => void response.writeHead(200, JSON_TYPE).end(JSON.stringify({ text: BACKEND_CANARY })),
  wrong_type: ({ response, echo }) => void response.writeHead(200, { "content-type": "text/html" }).end(`<p>${BACKEND_CANARY} ${echo}</p>`),
  no_type: ({ response }) => void response.writeHead(200).end(BACKEND_CANARY),
  not_http: ({ response, echo }) => void response.socket?.end(`${BACKEND_CANARY} ${echo.slice(0, 200)}\r\n\r\n`),
  huge_headers: ({ response, echo }) =>
    void response.socket?.end(`HTTP/1.1 200 OK\r\nx-long: ${BACKEND_CANARY}${"h".repeat(600_000)}\r\nx-echo: ${echo.slice(0, 50)}\r\n\r\n`),
  reset: ({ response }) => void response.socket?.resetAndDestroy(),
  declines: (scene) => say(scene, "", "refusal"),
};

function ended(speech: Speech): readonly string[] {
  const nothing = { model: "scripted", text: "", reasoning: "", calls: [], finish: "stop", usage: null, loadMs: 0 };
  return [...speech.pieces(nothing)];
}

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
