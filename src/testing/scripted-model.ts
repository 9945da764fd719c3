import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { abortReason } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Fault } from "./scripted-model-faults.ts";
import { ANSWERING_FAULTS, drained } from "./scripted-model-faults.ts";

const MAX_REQUEST_BYTES = 16 * 1024 * 1024;

/** One request as it came. */
export interface ScriptedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The body's bytes exactly. */
  readonly body: Buffer;
  /** The text of the messages by role; empty where there is none. */
  readonly system: string;
  readonly prompt: string;
  readonly model: string;
  readonly stream: boolean;
  /** `none` when the request asks for no format. */
  readonly format: string;
}

/** What the model says to a request: the text, or the text with more around it. */
export type ScriptedAnswer =
  | string
  | {
      readonly text: string;
      /** Sent beside the answer, as hosts with reasoning do. */
      readonly reasoning?: string;
      readonly finish?: string;
      /** Null: the host counts nothing. */
      readonly usage?: { readonly prompt_tokens: number; readonly completion_tokens: number } | null;
    };
/** An answer, and the bytes it answers: three of them count as a token when the script gives no usage. */
type Spoken = Exclude<ScriptedAnswer, string> & { readonly promptBytes: number };
/** What a scripted model answers by; called once for each request, with the request whole. */
export type Script = (request: ScriptedRequest) => ScriptedAnswer;

/** How a scripted model starts. */
export interface ScriptedModelOptions {
  /** What it answers; by default {@link leanSpeech} of `Hello from the script.` */
  readonly script?: Script;
  /** 0, any free port, by default; always on loopback. */
  readonly port?: number;
}

/** A running scripted model. End it with `await using` or {@link ScriptedModel.close}. */
export interface ScriptedModel extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1`, as a host's address in the configuration. */
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
  /** Let go on what `slow_first_token` or `hanging_headers` hold. */
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

/** Start a model server that speaks chat completions over real HTTP, streamed and whole, by a script and with faults on demand. */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const state = new State(options.script ?? (() => leanSpeech("Hello from the script.")));
  const far = createServer((request, response) => {
    state.guard(async () => {
      state.elsewhere.push(await receive(request));
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(whole({ text: leanSpeech("You were redirected."), promptBytes: 0 }, "elsewhere"));
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

class State {
  script: Script;
  fault: Fault | null = null;
  redirectTo = "";
  readonly requests: ScriptedRequest[] = [];
  readonly elsewhere: ScriptedRequest[] = [];
  readonly open = new Set<ServerResponse>();
  readonly sockets = new Set<{ readonly bytesWritten: number }>();
  readonly #watchers = new Set<() => void>();
  readonly #held = new Set<() => void>();

  constructor(script: Script) {
    this.script = script;
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
    if (request.method !== "POST" || received.path.split("?")[0] !== "/v1/chat/completions") {
      response.writeHead(404).end();
      return;
    }
    if (!(await this.#goWrong(received, response))) await this.#speak(received, response);
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

  /** Play the fault that is set; tell whether it was the whole answer. */
  async #goWrong(received: ScriptedRequest, response: ServerResponse): Promise<boolean> {
    const fault = this.fault;
    if (fault === null) return false;
    const refused =
      (fault === "no_json_schema" && received.format === "json_schema") || (fault === "no_response_format" && received.format !== "none");
    const answering = ANSWERING_FAULTS[refused ? "status_400" : fault];
    if (answering === undefined) {
      if (fault === "slow_first_token") response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      if (fault === "slow_first_token" || fault === "hanging_headers") await new Promise<void>((go) => this.#held.add(go));
      return false;
    }
    const echo = `${received.headers.authorization ?? ""} ${received.body.toString("utf8")}`;
    await answering({ response, echo, elsewhere: this.redirectTo });
    return true;
  }

  async #speak(received: ScriptedRequest, response: ServerResponse): Promise<void> {
    const scripted = this.script(received);
    const promptBytes = Buffer.byteLength(received.system) + Buffer.byteLength(received.prompt);
    const answer = { ...(typeof scripted === "string" ? { text: scripted } : scripted), promptBytes };
    if (!received.stream) {
      response.writeHead(200, { "content-type": "application/json" }).end(whole(answer, received.model));
      return;
    }
    if (!response.headersSent) response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    for (const event of events(answer, received.model)) {
      if (response.destroyed) return;
      if (!response.write(event)) await drained(response);
    }
    response.end();
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
  return { path: request.url ?? "", headers: request.headers, body, ...readAsked(body) };
}

/** The parts of a request's JSON that are looked at; anything may be missing or of another type. */
interface Asked {
  readonly model?: unknown;
  readonly stream?: unknown;
  readonly messages?: ReadonlyArray<{ readonly role?: unknown; readonly content?: unknown } | null>;
  readonly response_format?: { readonly type?: unknown };
}

function readAsked(body: Buffer): Pick<ScriptedRequest, "system" | "prompt" | "model" | "stream" | "format"> {
  const asked = parseAsked(body);
  const messages = Array.isArray(asked.messages) ? (asked.messages as NonNullable<Asked["messages"]>) : [];
  const of = (role: string): string =>
    messages
      .filter((message) => message?.role === role)
      .map((message) => word(message?.content, ""))
      .join("\n");
  const format = word(asked.response_format?.type, "none");
  return { system: of("system"), prompt: of("user"), model: word(asked.model, ""), stream: asked.stream === true, format };
}

function word(value: unknown, otherwise: string): string {
  return typeof value === "string" ? value : otherwise;
}

function parseAsked(body: Buffer): Asked {
  try {
    return (JSON.parse(body.toString("utf8")) ?? {}) as Asked;
  } catch {
    // A request that is no JSON is recorded all the same; it just asks for nothing.
    return {};
  }
}

function usageOf(answer: Spoken): object | null {
  if (answer.usage === null) return null;
  const { prompt_tokens, completion_tokens } = answer.usage ?? {
    prompt_tokens: Math.ceil(answer.promptBytes / 3),
    completion_tokens: Math.ceil(answer.text.length / 4),
  };
  return { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
}

function whole(answer: Spoken, model: string): string {
  const message = {
    role: "assistant",
    content: answer.text,
    ...(answer.reasoning === undefined ? {} : { reasoning_content: answer.reasoning }),
  };
  return JSON.stringify({
    id: "scripted",
    object: "chat.completion",
    model,
    choices: [{ index: 0, message, finish_reason: answer.finish ?? "stop" }],
    usage: usageOf(answer),
  });
}

/** The events of a streamed answer: role, thinking, the text in pieces of some characters, finish, usage, the closing mark. */
function* events(answer: Spoken, model: string): Generator<string> {
  const event = (body: object): string =>
    `data: ${JSON.stringify({ id: "scripted", object: "chat.completion.chunk", model, ...body })}\n\n`;
  const delta = (part: object, finish: string | null = null): string =>
    event({ choices: [{ index: 0, delta: part, finish_reason: finish }] });
  yield delta({ role: "assistant", content: "" });
  for (const piece of answer.reasoning?.match(/[\s\S]{1,7}/g) ?? []) yield delta({ reasoning_content: piece });
  for (const piece of answer.text.match(/[\s\S]{1,7}/gu) ?? []) yield delta({ content: piece });
  yield delta({}, answer.finish ?? "stop");
  const usage = usageOf(answer);
  if (usage !== null) yield event({ choices: [], usage });
  yield "data: [DONE]\n\n";
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
