import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { abortReason } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { fewestTokens } from "../models/tokens.ts";
import type { Fault } from "./scripted-model-faults.ts";
import { ANSWERING_FAULTS, drained } from "./scripted-model-faults.ts";
import type { Asked } from "./scripted-request.ts";
import { readAsked } from "./scripted-request.ts";
import type { ScriptedApi, Spoken } from "./scripted-speech.ts";
import { SPEECH } from "./scripted-speech.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** One request as it came. */
export interface ScriptedRequest extends Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body's bytes exactly. */
  readonly body: Buffer;
}

/** What the model says to a request: the text, or the text with more around it. */
export type ScriptedAnswer =
  | string
  | {
      readonly text: string;
      /** Sent beside the answer, as hosts with reasoning do. */
      readonly reasoning?: string;
      /** Calls of tools that it asks for. */
      readonly calls?: readonly { readonly name: string; readonly arguments: Readonly<Record<string, unknown>> }[];
      readonly finish?: string;
      /** Null: the host counts nothing. Without it three bytes are a token, and a word at least one. */
      readonly usage?: {
        readonly prompt_tokens: number;
        readonly completion_tokens: number;
        readonly cache_read?: number;
        readonly cache_write?: number;
      } | null;
    };
/** What a scripted model answers by; called once for each request, with the request whole. */
export type Script = (request: ScriptedRequest) => ScriptedAnswer;

/** How a scripted model starts. */
export interface ScriptedModelOptions {
  /** What it answers; by default {@link leanSpeech} of `Hello from the script.` */
  readonly script?: Script;
  /** 0, any free port, by default; always on loopback. */
  readonly port?: number;
  /**
   * Tokens of its window; without it, as much as it is sent. A longer question is refused, unless the fault is `cut_window`. With
   * `ollama` the request's own window counts where it is smaller.
   */
  readonly windowTokens?: number;
  /** Names it lists as its models; `scripted` by default. It answers under any name. */
  readonly models?: readonly string[];
}

/** A running scripted model. End it with `await using` or {@link ScriptedModel.close}. */
export interface ScriptedModel extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1`, as a host's address in the configuration, for any of the three interfaces. */
  readonly url: string;
  /** Every request, in the order in which their bodies were whole. */
  readonly requests: readonly ScriptedRequest[];
  /** Every request that reached the place a redirect points to; empty unless a client followed it. */
  readonly elsewhere: readonly ScriptedRequest[];
  /** Bytes handed to the network on all connections so far. */
  readonly bytesSent: number;
  /** Requests whose answer is not ended and whose connection is open. */
  readonly open: number;
  /** Answer from now on by this function. */
  script(answer: Script): void;
  /** Answer from now on with this fault; null answers by the script again. */
  fault(kind: Fault | null): void;
  /** Let go on what `slow_first_token`, `slow_load` or `hanging_headers` hold. */
  release(): void;
  /** Resolve when at least `count` requests have come. */
  received(count: number, signal: AbortSignal): Promise<void>;
  /** Resolve when no request is open any more, also when the clients left. */
  idle(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** The answer of the lean contract in which a character speaks. */
export function leanSpeech(spoken: string, visibleAction: string = ""): string {
  return JSON.stringify({ action_label: "speak", visible_action: visibleAction, spoken_text: spoken });
}

/**
 * Start a model server that speaks chat completions, Ollama's and Anthropic's interface over real HTTP, streamed and whole, by a
 * script and with faults on demand.
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const state = new State(options);
  const far = createServer((request, response) => {
    state.guard(async () => {
      state.elsewhere.push(await receive(request));
      response.writeHead(200, { "content-type": "application/json" }).end(SPEECH.openai.whole(REDIRECTED));
    }, response);
  });
  const near = createServer((request, response) => state.guard(() => state.serve(request, response), response));
  near.on("connection", (socket) => state.sockets.add(socket));
  await Promise.all([listen(far, 0), listen(near, options.port ?? 0)]);
  state.redirectTo = `${address(far)}/v1/chat/completions`;
  const close = async (): Promise<void> => {
    state.release();
    await Promise.all([end(near), end(far)]);
  };
  return {
    url: `${address(near)}/v1`,
    requests: state.requests,
    elsewhere: state.elsewhere,
    get bytesSent() {
      return state.bytesSent();
    },
    get open() {
      return state.open.size;
    },
    script: (answer) => void (state.script = answer),
    fault: (kind) => void (state.fault = kind),
    release: () => state.release(),
    received: (count, signal) => state.when(() => state.requests.length >= count, signal),
    idle: (signal) => state.when(() => state.open.size === 0, signal),
    close,
    [Symbol.asyncDispose]: close,
  };
}

const REDIRECTED = {
  model: "elsewhere",
  text: leanSpeech("You were redirected."),
  reasoning: "",
  calls: [],
  finish: "stop",
  usage: null,
  loadMs: 0,
};
/** Loading that `slow_load` tells of. */
export const SLOW_LOAD_MS = 60_000;
const WAITING: ReadonlySet<Fault> = new Set(["slow_first_token", "slow_load", "hanging_headers"]);

class State {
  script: Script;
  readonly #options: ScriptedModelOptions;
  fault: Fault | null = null;
  redirectTo = "";
  readonly requests: ScriptedRequest[] = [];
  readonly elsewhere: ScriptedRequest[] = [];
  readonly open = new Set<ServerResponse>();
  readonly sockets = new Set<{ readonly bytesWritten: number }>();
  readonly #watchers = new Set<() => void>();
  readonly #held = new Set<() => void>();

  constructor(options: ScriptedModelOptions) {
    this.script = options.script ?? (() => leanSpeech("Hello from the script."));
    this.#options = options;
  }

  /** Run a handler; a failure of its own ends the connection, and is what the client then sees. */
  guard(handler: () => Promise<void>, response: ServerResponse): void {
    this.open.add(response);
    response.on("close", () => {
      this.open.delete(response);
      this.#changed();
    });
    handler().catch(() => response.destroy());
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await receive(request);
    this.requests.push(received);
    this.#changed();
    if (request.method === "GET" && this.#list(received, response)) return;
    if (request.method !== "POST" || received.api === null) {
      response.writeHead(404).end();
      return;
    }
    if (!(await this.#goWrong(received, received.api, response))) await this.#speak(received, received.api, response);
  }

  bytesSent(): number {
    return [...this.sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0);
  }

  release(): void {
    for (const go of this.#held) go();
    this.#held.clear();
  }

  when(holds: () => boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (!signal.aborted && !holds()) return;
        this.#watchers.delete(check);
        signal.removeEventListener("abort", check);
        if (holds()) resolve();
        else reject(abortReason(signal));
      };
      this.#watchers.add(check);
      signal.addEventListener("abort", check, { once: true });
      check();
    });
  }

  /** Tell which models there are, in the words of either list. */
  #list(received: ScriptedRequest, response: ServerResponse): boolean {
    const names = this.#options.models ?? ["scripted"];
    const path = received.path.split("?")[0];
    const list =
      path === "/v1/models"
        ? { object: "list", data: names.map((id) => ({ id, object: "model" })) }
        : path === "/api/tags"
          ? { models: names.map((name) => ({ name, model: name })) }
          : null;
    if (list !== null) response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(list));
    return list !== null;
  }

  /** Play the fault that is set; tell whether it was the whole answer. */
  async #goWrong(received: ScriptedRequest, api: ScriptedApi, response: ServerResponse): Promise<boolean> {
    const speech = SPEECH[api];
    const windowTokens = this.#windowOf(received);
    const promptTokens = tokensOf(received);
    if (this.fault === "too_long" || (this.fault !== "cut_window" && promptTokens > windowTokens)) {
      const room = Number.isFinite(windowTokens) ? windowTokens : Math.floor(promptTokens / 2);
      response.writeHead(400, { "content-type": "application/json" }).end(JSON.stringify(speech.tooLong(promptTokens, room)));
      return true;
    }
    if (this.fault === null) return false;
    const answering = ANSWERING_FAULTS[refuses(this.fault, received) ? "status_400" : this.fault];
    if (answering === undefined) {
      if (this.fault === "slow_first_token") response.writeHead(200, { "content-type": speech.streamType }).flushHeaders();
      if (WAITING.has(this.fault)) await new Promise<void>((go) => this.#held.add(go));
      return false;
    }
    const { headers, body } = received;
    const echo = `${headers.authorization ?? ""} ${String(headers["x-api-key"] ?? "")} ${body.toString("utf8")}`;
    await answering({ response, speech, echo, elsewhere: this.redirectTo });
    return true;
  }

  #windowOf({ windowTokens }: ScriptedRequest): number {
    return Math.min(this.#options.windowTokens ?? Number.POSITIVE_INFINITY, windowTokens ?? Number.POSITIVE_INFINITY);
  }

  async #speak(received: ScriptedRequest, api: ScriptedApi, response: ServerResponse): Promise<void> {
    const speech = SPEECH[api];
    const spoken = this.#spokenTo(received);
    if (!received.stream) {
      response.writeHead(200, { "content-type": "application/json" }).end(speech.whole(spoken));
      return;
    }
    if (!response.headersSent) response.writeHead(200, { "content-type": speech.streamType });
    for (const piece of speech.pieces(spoken)) {
      if (response.destroyed) return;
      if (!response.write(piece)) await drained(response);
    }
    response.end();
  }

  #spokenTo(received: ScriptedRequest): Spoken {
    const heard = this.fault === "cut_window" ? cutInHalf(received) : received;
    const scripted = this.script(heard);
    const answer = typeof scripted === "string" ? { text: scripted } : scripted;
    return {
      model: received.model,
      text: answer.text,
      reasoning: answer.reasoning ?? (this.fault === "thinks_anyway" ? "Let me think about that first." : ""),
      calls: answer.calls ?? [],
      finish: answer.finish ?? "stop",
      usage: usageOf(answer, heard),
      loadMs: this.fault === "slow_load" ? SLOW_LOAD_MS : 0,
    };
  }

  #changed(): void {
    for (const check of this.#watchers) check();
  }
}

async function receive(request: IncomingMessage): Promise<ScriptedRequest> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > MAX_REQUEST_BYTES) throw new RuntimeError("capacity", "Cannot take the request: it is too long");
    pieces.push(piece);
  }
  const body = Buffer.concat(pieces);
  const path = request.url ?? "";
  return { path, headers: request.headers, body, ...readAsked(body, apiOf(path)) };
}

function apiOf(path: string): ScriptedApi | null {
  const apis: Readonly<Record<string, ScriptedApi>> = {
    "/v1/chat/completions": "openai",
    "/api/chat": "ollama",
    "/v1/messages": "anthropic",
  };
  return apis[path.split("?")[0] ?? ""] ?? null;
}

/** Whether a fault refuses just this request: the fields it asks with are not known. */
function refuses(fault: Fault, { format, think }: ScriptedRequest): boolean {
  if (fault === "no_thinking_switch") return think;
  return (fault === "no_json_schema" && format === "json_schema") || (fault === "no_response_format" && format !== "none");
}

/** What a host leaves of a question that it drops the start of. */
function cutInHalf(request: ScriptedRequest): ScriptedRequest {
  const all = `${request.system}\n${request.prompt}`;
  const prompt = all.slice(Math.floor(all.length / 2));
  return { ...request, system: "", prompt, conversation: prompt };
}

function tokensOf({ system, prompt, conversation }: ScriptedRequest): number {
  const bytes = Buffer.byteLength(system) + Buffer.byteLength(prompt);
  return Math.max(Math.ceil(bytes / 3), fewestTokens(system) + Math.max(fewestTokens(prompt), fewestTokens(conversation)));
}

function usageOf(answer: Exclude<ScriptedAnswer, string>, heard: ScriptedRequest): Spoken["usage"] {
  if (answer.usage === null) return null;
  const given = answer.usage ?? { prompt_tokens: tokensOf(heard), completion_tokens: Math.ceil(answer.text.length / 4) };
  return {
    prompt: given.prompt_tokens,
    completion: given.completion_tokens,
    cacheRead: given.cache_read ?? 0,
    cacheWrite: given.cache_write ?? 0,
  };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

function address(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function end(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
