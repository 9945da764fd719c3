import assert from "node:assert/strict";
import { connect } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { isRuntimeError } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import { systemClock } from "../foundation/clock.ts";
import type { Clock } from "../foundation/clock.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { RawLines, rawOpen, rawRequest } from "../testing/raw-request.ts";
import { answerJson, answerStream } from "./answers.ts";
import { EventStream } from "./event-stream.ts";
import type { FetchHandler } from "./serve-request.ts";
import { BODY_DEADLINE_MS, MAX_REQUEST_BYTES } from "./serve-request.ts";
import { STRICT_HEADERS } from "./strict-headers.ts";
import type { Listener } from "./web.ts";
import { openListener } from "./web.ts";

const NEVER = new AbortController().signal;
const SHELL = new Map([["/", { type: "text/html; charset=utf-8", bytes: Buffer.from("shell") }]]);
const PROGRAM = { authorization: "Bearer x" };

/** Tells when the first timer is set: the request is being read then. */
class WatchedClock extends ManualClock {
  readonly #armed = Promise.withResolvers<void>();
  readonly armed: Promise<void> = this.#armed.promise;

  override after(ms: number, action: () => void): Disposable {
    this.#armed.resolve();
    return super.after(ms, action);
  }
}

function open(handler: FetchHandler, clock: Clock = systemClock, port = 0, signal: AbortSignal = NEVER): Promise<Listener> {
  const options = { reach: { kind: "loopback", handler }, port, key: "surfaces.parlour.port", assets: SHELL } as const;
  return openListener({ clock, log: silentLog }, options, signal);
}

const echo: FetchHandler = async (request) =>
  answerJson(200, { path: new URL(request.url).pathname, bytes: (await request.text()).length });

test("SE-086 every answer carries the strict headers, refusals and streams too, and sets no cookie", async () => {
  await using listener = await open(echo);
  const answers = await Promise.all([
    rawRequest(listener.port, { path: "/" }),
    rawRequest(listener.port, { path: "/missing" }),
    rawRequest(listener.port, { path: "/api/x", headers: PROGRAM }),
    rawRequest(listener.port, { path: "/api/x" }),
    rawRequest(listener.port, { path: "/api/x", headers: { ...PROGRAM, host: "evil.example" } }),
  ]);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 404, 200, 401, 403],
  );
  for (const answer of answers) {
    for (const [name, value] of Object.entries(STRICT_HEADERS)) assert.equal(answer.headers[name], value, name);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
  assert.match(
    STRICT_HEADERS["content-security-policy"] ?? "",
    /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types$/,
  );
});

test("SE-086 a taken port is a refusal to start that names port and key", async () => {
  await using listener = await open(echo);
  const failed = await open(echo, systemClock, listener.port).then(
    () => null,
    (error: unknown) => error,
  );
  assert.ok(isRuntimeError(failed, "port_in_use"));
  assert.match(failed.message, new RegExp(`127\\.0\\.0\\.1:${listener.port}: .*surfaces\\.parlour\\.port`));
});

test("SE-086 a body of 64 KiB is taken and one byte more is refused, announced or not", async () => {
  let calls = 0;
  await using listener = await open((request, from) => {
    calls += 1;
    return echo(request, from);
  });
  const post = (body: string, headers: Readonly<Record<string, string>> = {}) =>
    rawRequest(listener.port, {
      method: "POST",
      path: "/api/x",
      headers: { ...PROGRAM, "content-type": "application/json", ...headers },
      body,
    });
  assert.equal((await post("a".repeat(MAX_REQUEST_BYTES))).text, `{"path":"/api/x","bytes":${MAX_REQUEST_BYTES}}`);
  assert.equal((await post("a".repeat(MAX_REQUEST_BYTES + 1))).status, 413);
  assert.equal((await post("a".repeat(MAX_REQUEST_BYTES + 1), { "transfer-encoding": "chunked" })).status, 413);
  assert.equal(calls, 1);
});

test("SE-086 a body that does not come is cut at its deadline and reaches no handler", async () => {
  const clock = new WatchedClock();
  let calls = 0;
  await using listener = await open(() => {
    calls += 1;
    return answerJson(200, {});
  }, clock);
  const socket = connect(listener.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.write(
    `POST /api/x HTTP/1.1\r\nhost: 127.0.0.1:${listener.port}\r\nauthorization: Bearer x\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{"a`,
  );
  await clock.armed;
  await clock.advance(BODY_DEADLINE_MS);
  await closed;
  assert.equal(calls, 0);
});

test("SE-087 a reader that does not keep up is dropped, and its stream is told to end", async () => {
  const clock = new ManualClock();
  const asked = Promise.withResolvers<EventStream<unknown>>();
  let ended = 0;
  await using listener = await open(() => {
    const made = new EventStream<unknown>({
      clock,
      beat: () => ({ type: "beat" }),
      slow: { type: "end", reason: "slow" },
      onEnd: () => (ended += 1),
    });
    asked.resolve(made);
    return answerStream(made.body);
  }, clock);
  const socket = connect(listener.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  const closed = once(socket, "close");
  socket.write(`GET /api/stream HTTP/1.1\r\nhost: 127.0.0.1:${listener.port}\r\nauthorization: Bearer x\r\n\r\n`);
  const stream = await asked.promise;
  let pushed = 0;
  // The socket's own buffers take some megabytes before anything waits here.
  while (!stream.ended && pushed < 4_000) {
    stream.push({ type: "line", text: "x".repeat(16_000) });
    pushed += 1;
    await clock.advance(0);
  }
  assert.ok(stream.ended, "the stream ended by itself");
  assert.equal(ended, 1);
  assert.ok(pushed > 16, "what fits was taken");
  await clock.advance(BODY_DEADLINE_MS);
  socket.resume();
  await closed;
});

test("SE-086 a stream beats by the clock, gets what is pushed, and is over when its reader goes", async () => {
  const clock = new ManualClock();
  const { promise: gone, resolve: onGone } = Promise.withResolvers<void>();
  await using listener = await open(() => {
    const stream = new EventStream<unknown>({ clock, beat: () => ({ type: "beat" }), slow: { type: "end" }, onEnd: onGone });
    stream.push({ type: "first" });
    return answerStream(stream.body);
  }, clock);
  {
    using lines = new RawLines(await rawOpen(listener.port, { path: "/api/stream", headers: PROGRAM }));
    assert.deepEqual(await lines.next(), { type: "first" });
    await clock.advance(10_000);
    assert.deepEqual(await lines.next(), { type: "beat" });
  }
  await gone;
  assert.equal(clock.pending, 0, "no timer is left");
});

test("SE-086 when the signal aborts, streams end, connections close, and the port is free again", async () => {
  const controller = new AbortController();
  const listener = await open(
    () => answerStream(new EventStream<unknown>({ clock: systemClock, beat: () => null, slow: null, onEnd: () => undefined }).body),
    systemClock,
    0,
    controller.signal,
  );
  using lines = new RawLines(await rawOpen(listener.port, { path: "/api/stream", headers: PROGRAM }));
  controller.abort();
  await listener[Symbol.asyncDispose]();
  assert.equal(await lines.next().catch(() => null), null);
  await using again = await open(echo, systemClock, listener.port);
  assert.equal(again.port, listener.port);
});

test("MC-090 a handler that throws answers 500 with a fixed sentence", async () => {
  await using listener = await open(() => {
    throw new TypeError("secret words");
  });
  const answer = await rawRequest(listener.port, { path: "/api/x", headers: PROGRAM });
  assert.equal(answer.status, 500);
  assert.equal(answer.text, `{"code":"failed","message":"This could not be done."}`);
});
