import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { systemClock } from "../foundation/clock.ts";
import { EndpointUrl } from "../foundation/endpoint-url.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import { Secret } from "../foundation/secret.ts";
import { ManualClock } from "../testing/manual-clock.ts";
import { createTraceCollector } from "./trace-collector.ts";
import type { SendSpans, Traces } from "./traces.ts";
import { MAX_BATCH, MAX_WAITING_SPANS, NO_TRACES, createTraces } from "./traces.ts";

const NEVER = new AbortController().signal;

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status: { readonly code?: number };
}
interface Otlp {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: OtlpSpan["attributes"] };
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[];
  }[];
}

const spansOf = (body: string): readonly OtlpSpan[] =>
  (JSON.parse(body) as Otlp).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
const factsOf = ({ attributes }: OtlpSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

function open(answer: () => Awaited<ReturnType<SendSpans>>): { clock: ManualClock; bodies: string[]; traces: Traces } {
  const clock = new ManualClock();
  const bodies: string[] = [];
  const send: SendSpans = (body) => {
    const outcome = answer();
    if (outcome === "taken") bodies.push(body);
    return Promise.resolve(outcome);
  };
  return { clock, bodies, traces: createTraces({ clock, log: silentLog, send, about: { version: "0.1.0", instance: "i-1" } }) };
}

const turn = (traces: Traces, id: string): Promise<string> =>
  traces.run(id, "invoke_agent mirelle", { "gen_ai.agent.id": "mirelle" }, async (span) => {
    span.set({ "troupe.outcome": "reply" });
    return await span.child("chat tiny", "client", { "gen_ai.request.model": "tiny" }, (call) => {
      call.set({ "gen_ai.usage.output_tokens": 12 });
      return Promise.resolve("said");
    });
  });

test("a turn and its model call are two spans of one trace, whose name follows from the turn's id", async () => {
  const { clock, bodies, traces } = open(() => "taken");
  await using _owned = traces;
  assert.equal(await turn(traces, "t-1"), "said");
  await turn(traces, "t-1");
  await clock.advance(5_000);
  const [call, whole, , again] = spansOf(bodies[0] ?? "");
  assert.ok(call !== undefined && whole !== undefined && again !== undefined);
  assert.match(whole.traceId, /^[0-9a-f]{32}$/);
  assert.match(whole.spanId, /^[0-9a-f]{16}$/);
  assert.deepEqual([call.traceId, call.parentSpanId, call.kind, whole.kind], [whole.traceId, whole.spanId, 3, 1]);
  assert.deepEqual([again.traceId, again.spanId === whole.spanId], [whole.traceId, false]);
  assert.deepEqual(factsOf(whole), { "gen_ai.agent.id": "mirelle", "troupe.outcome": "reply" });
  assert.deepEqual(factsOf(call), { "gen_ai.request.model": "tiny", "gen_ai.usage.output_tokens": "12" });
  assert.deepEqual(traces.counts, { sent: 4, dropped: 0 });
});

test("a failure is noted by its code and thrown on; its message goes nowhere", async () => {
  const { clock, bodies, traces } = open(() => "taken");
  await using _owned = traces;
  const fails = traces.run("t-1", "invoke_agent mirelle", {}, () => Promise.reject(new RuntimeError("model_empty", "Cannot: canary")));
  await assert.rejects(fails, (error) => isRuntimeError(error, "model_empty"));
  await clock.advance(5_000);
  const [span] = spansOf(bodies[0] ?? "");
  assert.ok(span !== undefined);
  assert.deepEqual([span.status, factsOf(span)], [{ code: 2 }, { "error.type": "model_empty" }]);
  assert.ok(!bodies.join("").includes("canary"));
});

test("a collector that is down costs spans beyond the bound, which are counted; nothing waits for it", async () => {
  let up = false;
  const { clock, bodies, traces } = open(() => (up ? "taken" : "later"));
  await using _owned = traces;
  for (let at = 0; at < MAX_WAITING_SPANS + 10; at += 1) await traces.run(`t-${at}`, "invoke_agent m", {}, () => Promise.resolve());
  await clock.advance(60_000);
  assert.deepEqual(traces.counts, { sent: 0, dropped: 10 });
  up = true;
  await clock.advance(120_000);
  assert.deepEqual(traces.counts, { sent: MAX_WAITING_SPANS, dropped: 10 });
  assert.ok(bodies.every((body) => spansOf(body).length <= MAX_BATCH));
});

test("what a collector refuses is dropped and counted; what waits at the end is sent once more", async () => {
  let answer: Awaited<ReturnType<SendSpans>> = "refused";
  const { clock, bodies, traces } = open(() => answer);
  await traces.run("t-1", "invoke_agent m", {}, () => Promise.resolve());
  await clock.advance(5_000);
  assert.deepEqual(traces.counts, { sent: 0, dropped: 1 });
  answer = "taken";
  await traces.run("t-2", "invoke_agent m", {}, () => Promise.resolve());
  await traces[Symbol.asyncDispose]();
  assert.equal(bodies.length, 1);
  assert.deepEqual(traces.counts, { sent: 1, dropped: 1 });
  assert.equal(await turn(NO_TRACES, "t-3"), "said", "without a collector only the work is done");
});

test("MC-074 spans go to the one address, with its key in one header; a redirect is not followed and no answer is read", async () => {
  const seen: { path: string; authorization: string | undefined; body: string }[] = [];
  let status = 200;
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      seen.push({ path: request.url ?? "", authorization: request.headers.authorization, body });
      response.writeHead(status, status === 307 ? { location: "/elsewhere" } : {}).end("x".repeat(10_000));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const url = EndpointUrl.parse(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, "otlp_url");
    const send = createTraceCollector({ url, key: Secret.parse("k-0123456789-abcdefghij", "a test") }, systemClock);
    const outcomes: string[] = [];
    for (status of [200, 307, 400, 401, 429, 503]) outcomes.push(await send("{}", NEVER));
    assert.deepEqual(outcomes, ["taken", "refused", "refused", "refused", "later", "later"]);
    assert.deepEqual(new Set(seen.map(({ path }) => path)), new Set(["/v1/traces"]));
    assert.equal(seen[0]?.authorization, "Bearer k-0123456789-abcdefghij");
    const stop = new AbortController();
    stop.abort();
    await assert.rejects(send("{}", stop.signal), (error) => isRuntimeError(error, "aborted"));
  } finally {
    server.closeAllConnections();
    server.close();
  }
  const gone = EndpointUrl.parse("http://127.0.0.1:9/v1/traces", "otlp_url");
  assert.equal(await createTraceCollector({ url: gone, key: null }, systemClock)("{}", NEVER), "later");
});
