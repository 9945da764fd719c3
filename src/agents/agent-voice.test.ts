import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RuntimeError } from "../foundation/errors.ts";
import { AgentBench, BENCH_LINE } from "../testing/agent-bench.ts";
import type { BenchAnswer, BenchOptions } from "../testing/agent-bench.ts";
import { MIRELLE } from "../testing/road-fixtures.ts";
import type { AgentMessage } from "../vocabulary/calls/agent-model.ts";
import { parseMessageId, parseSessionId } from "../vocabulary/ids.ts";
import { mintOrigin } from "../vocabulary/origin.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import type { VoiceOutcome } from "../vocabulary/reply.ts";
import type { EntryBody } from "../vocabulary/calls/session.ts";
import { TextLabel } from "../vocabulary/calls/text-label.ts";
import { isStrayCall } from "./loop/stray-call.ts";
import { outputText } from "./loop/output-text.ts";
import { messagesOf, newestMessages } from "./session/messages.ts";

const look: BenchAnswer = { calls: [["look", {}]] };
const change: BenchAnswer = { calls: [["change", { to: "blue" }]] };
const inTurn =
  (...answers: readonly BenchAnswer[]): BenchOptions["model"] =>
  (_request, at) =>
    answers[at] ?? "done";

function spoken(outcome: VoiceOutcome): string {
  assert.ok(outcome.kind === "reply", outcome.kind);
  return outcome.reply.speech;
}

function question(outcome: VoiceOutcome) {
  assert.ok(outcome.kind === "suspended", outcome.kind);
  return outcome.question;
}

const kinds = (bench: AgentBench): readonly string[] => bench.entries().map(({ body }) => body.kind);
const statuses = (bench: AgentBench): readonly string[] => bench.results().map(({ status }) => status);

test("MC-039 a turn is prepared, gated, executed and recorded: what begins is in the history before it runs, what came of it before the model is asked again", async () => {
  const steps: string[] = [];
  using bench = new AgentBench({ model: inTurn(look, "The lamp is lit."), at: (step) => steps.push(step) });
  assert.equal(spoken(await bench.say("is the lamp lit?")), "The lamp is lit.");
  assert.deepEqual(
    steps.filter((step) => !step.startsWith("after") || step.includes("body")),
    [
      "before open",
      "before said",
      "before model",
      "before answered",
      "before judge",
      "before begun",
      "before body look",
      "after body look",
      "before result",
      "before model",
      "before answered",
    ],
  );
  assert.deepEqual(kinds(bench), ["said", "answered", "begun", "result", "answered"]);
  assert.deepEqual(bench.requests[1]?.messages.at(-1), { role: "tool", call: "c2-0", name: "look", text: "look done", failed: false });
});

test("CH-070 cases D37 the calls of one answer are judged as one batch, and a denied one keeps no other from running", async () => {
  const three: BenchAnswer = {
    text: "Let me see.",
    calls: [
      ["look", {}],
      ["nothing_known", {}],
      ["change", {}],
    ],
  };
  using bench = new AgentBench({ model: inTurn(three) });
  await bench.say("do three things");
  assert.deepEqual(
    bench.judged.map(({ calls, words }) => [calls.map(({ name }) => name), words]),
    [[["look", "nothing_known", "change"], "Let me see."]],
  );
  assert.deepEqual(statuses(bench), ["ok", "denied", "ok"]);
  assert.deepEqual(
    bench.entered.map(({ tool }) => tool),
    ["look", "change"],
  );
  assert.equal(
    new Set(bench.judged.flatMap(({ calls }) => calls.map(({ id }) => id))).size,
    3,
    "ids that the model repeats are made distinct",
  );
});

for (const [name, text] of [
  ["marks of a template", '<tool_call>{"name":"change","arguments":{}}</tool_call>'],
  ["JSON", '{"name": "change", "arguments": {"to": "blue"}}'],
  ["JSON in a fence", '```json\n[{"name": "change", "parameters": {}}]\n```'],
  ["a function in JSON", '{"type":"function","function":{"name":"change","arguments":"{}"}}'],
  ["call syntax", 'change(to="blue")'],
] as const)
  test(`CH-070 a call that came as text is recognised and never run nor said: ${name}`, async () => {
    using bench = new AgentBench({ model: inTurn(text, text, text, text) });
    const outcome = await bench.say("make it blue");
    assert.deepEqual([outcome.kind, outcome.kind === "refused" && outcome.reason], ["refused", "model_format"]);
    assert.deepEqual([bench.entered, bench.judged, bench.requests.length], [[], [], 3]);
    using second = new AgentBench({ model: inTurn(text, "It is blue.") });
    assert.equal(spoken(await second.say("make it blue")), "It is blue.", "told once, it may answer in words");
  });

test("CH-070 words about tools are words", () => {
  const tools = new Set(["change", "look"]);
  for (const text of [
    "I could change that (look at it first).",
    "{ not json",
    '{"name":"Mirelle","age":3}',
    "look, the lamp!",
    "",
    '["change"]',
  ])
    assert.equal(isStrayCall(text, tools), false, text);
});

test("CH-070 a call that is made over and over is refused, and ends the turn at last", async () => {
  using bench = new AgentBench({ model: () => ({ calls: [["look", { b: 1, a: [2] }]] }) });
  const outcome = await bench.say("look");
  assert.deepEqual([outcome.kind, outcome.kind === "refused" && outcome.reason], ["refused", "turn_ceiling"]);
  assert.deepEqual(statuses(bench), ["ok", "ok", "ok", "denied", "denied", "denied"]);
  assert.equal(bench.entered.length, 3);
});

test("MC-079 a turn that nobody watches ends hard at 32 requests", async () => {
  using bench = new AgentBench({ model: (_request, at) => ({ calls: [["look", { at }]] }), starter: "surface" });
  const outcome = await bench.say("go on for ever");
  assert.deepEqual([outcome.kind, outcome.kind === "refused" && outcome.reason, bench.requests.length], ["refused", "turn_ceiling", 32]);
  using wide = new AgentBench({
    model: (_request, at) => ({ calls: Array.from({ length: 70 }, (_, n) => ["look", { at, n }] as const) }),
    starter: "surface",
  });
  await wide.say("many at once");
  assert.equal(wide.entered.length, 64 * 4, "64 calls of an answer, 256 in all");
});

test("TR-057 a turn that somebody watches asks whether to go on after 100 requests, and goes on or stops by the answer", async () => {
  const model: BenchOptions["model"] = (_request, at) => (at < 150 ? { calls: [["look", { at }]] } : "At last.");
  using bench = new AgentBench({ model });
  const asked = question(await bench.say("take your time"));
  assert.equal(bench.requests.length, 100);
  assert.equal(spoken(await bench.answer(asked, "allow")), "At last.");
  assert.equal(bench.requests.length, 151);
  assert.equal(spoken(await bench.answer(asked, "allow")), "At last.", "another start of the same row");
  const words = bench.entries().flatMap(({ body }) => (body.kind === "note" ? [body.text] : []));
  assert.deepEqual(words, ["The person says: go on."]);
  using other = new AgentBench({ model });
  assert.equal((await other.answer(question(await other.say("take your time")), "deny; it is late")).kind, "stopped");
  assert.deepEqual(other.entries().at(-1)?.body, { kind: "note", text: 'The person stopped the turn. They said: "it is late"' });
  assert.equal(other.requests.length, 100);
});

test("TR-007 a call that needs a person suspends the turn: nothing behind it runs, and the answer lets it go on where it stood", async () => {
  const batch: BenchAnswer = {
    text: "I'll paint it.",
    calls: [
      ["look", {}],
      ["change", {}],
      ["look", { again: 1 }],
    ],
  };
  using bench = new AgentBench({ model: inTurn(batch, "Painted."), verdicts: { change: "ask" } });
  const asked = question(await bench.say("paint it"));
  assert.deepEqual(
    bench.entered.map(({ tool }) => tool),
    ["look"],
  );
  bench.restart();
  assert.equal(spoken(await bench.answer(asked, "allow")), "Painted.");
  assert.deepEqual(
    bench.entered.map(({ tool, approved }) => [tool, approved]),
    [
      ["look", false],
      ["change", true],
      ["look", false],
    ],
  );
  assert.deepEqual(statuses(bench), ["ok", "ok", "ok"]);
  assert.deepEqual(
    bench.judged.map(({ calls }) => calls.length),
    [3, 1],
    "what was behind it is judged anew",
  );
});

test("CH-078 a denied call gets the reason as its result, and the turn goes on; an answer that cannot be read denies", async () => {
  using bench = new AgentBench({ model: inTurn(change, "Then not."), verdicts: { change: "ask" } });
  assert.equal(spoken(await bench.answer(question(await bench.say("paint it")), "deny")), "Then not.");
  assert.deepEqual([statuses(bench), bench.entered], [["denied"], []]);
  using other = new AgentBench({ model: inTurn(change, "Then not."), verdicts: { change: "ask" } });
  assert.equal(spoken(await other.answer(question(await other.say("paint it")), "garbled")), "Then not.");
  assert.deepEqual(statuses(other), ["denied"]);
  assert.equal(other.entered.length, 0);
});

test("TR-007 the line goes on while a question is open: the call waits in its place, and what becomes of it is told behind what was said since", async () => {
  using bench = new AgentBench({ model: inTurn(change, "Of course.", "Painted."), verdicts: { change: "ask" } });
  const asked = question(await bench.say("paint it"));
  bench.asks = true;
  assert.equal(spoken(await bench.say("while I think: hello", 2)), "Of course.");
  bench.asks = false;
  assert.equal(spoken(await bench.answer(asked, "allow")), "Painted.");
  assert.deepEqual(statuses(bench), ["waiting", "ok"]);
  const roles = bench.requests[2]?.messages.map(({ role }) => role);
  assert.deepEqual(roles, ["user", "assistant", "tool", "user", "assistant", "user"]);
  assert.match(bench.requests[2]?.messages.at(-1)?.text ?? "", /^\[The call c2-0 of change that waited for an answer: change done\]$/);
});

test("cases D47 whatever ended a turn, the next one finds a result for every call of it, kept once", async () => {
  using bench = new AgentBench({ model: inTurn(change, "Hello.", "Again."), verdicts: { change: "ask" } });
  question(await bench.say("paint it"));
  bench.restart();
  assert.equal(spoken(await bench.say("never mind", 2)), "Hello.");
  assert.equal(spoken(await bench.say("hello", 3)), "Again.");
  assert.deepEqual(statuses(bench), ["interrupted"]);
});

test("TR-057 what a model is sent begins with the same bytes turn after turn and start after start", async () => {
  using bench = new AgentBench({ model: (_request, at) => (at % 2 === 0 ? { calls: [["look", { at }]] } : `answer ${at}`) });
  for (let message = 1; message < 6; message += 1) {
    await bench.say(`question ${message}`, message);
    if (message % 2 === 0) bench.restart();
  }
  const bytes = bench.requests.map(({ system, tools, messages }) => JSON.stringify([system, tools, ...messages]).slice(0, -1));
  for (const [at, sent] of bytes.entries())
    if (at > 0) assert.ok(sent.startsWith(bytes[at - 1] ?? "?"), `request ${at} goes on from the one before`);
});

test("TR-057 a turn of a chat surface sends the newest 256 messages at most, a window that is smaller less, and the history stays whole", async () => {
  const model: BenchOptions["model"] = ({ messages }, at) => {
    assert.ok(messages.length <= 256);
    return at < 170 && at % 2 === 0 ? { calls: [["look", { at }]] } : "yes";
  };
  using bench = new AgentBench({ model, starter: "surface" });
  for (let message = 1; message <= 90; message += 1) await bench.say(`line ${message}`, message);
  const last = bench.requests.at(-1)?.messages ?? [];
  assert.match(last[0]?.text ?? "", /left out/);
  assert.ok(last.length > 128);
  assert.ok(bench.entries().length > 256);
  using small = new AgentBench({
    model: inTurn("fine"),
    needs: {
      model: () => ({
        name: "small",
        converse: (request) =>
          request.messages.length > 8
            ? Promise.resolve({ kind: "window", promptTokens: null, windowTokens: null })
            : Promise.resolve({ ...SAID, text: String(request.messages.length) }),
      }),
    },
  });
  for (let message = 1; message < 9; message += 1) assert.ok(Number(spoken(await small.say(`line ${message}`, message))) <= 8);
});

const SAID = {
  kind: "answer",
  text: "",
  calls: [],
  usage: { promptTokens: 1, completionTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
  costMicros: null,
  by: "small",
  firstTokenMs: 1,
  loadMs: null,
  finish: "stop",
  thought: false,
  skipped: [],
} as const;

test("TR-007 cases D45 stop ends a turn whatever it does: while the model answers, and while a tool runs that hears nothing", async () => {
  const never = new Promise<string>(() => {});
  using thinking = new AgentBench({ model: () => never });
  const first = thinking.say("think");
  await turnOfLoop();
  thinking.live.of(MIRELLE, BENCH_LINE.id)?.stop();
  assert.equal((await first).kind, "stopped");
  for (const [tool, status] of [
    ["look", "stopped"],
    ["change", "unknown"],
  ] as const) {
    using bench = new AgentBench({
      model: inTurn({
        calls: [
          [tool, {}],
          ["look", { later: 1 }],
        ],
      }),
      body: () => never,
    });
    const running = bench.say("do it");
    await turnOfLoop();
    assert.equal(bench.live.stopAll(), 1);
    assert.equal((await running).kind, "stopped");
    assert.deepEqual(statuses(bench), [status, "stopped"]);
    assert.equal(bench.live.of(MIRELLE, BENCH_LINE.id), null);
  }
  using waiting = new AgentBench({ model: inTurn(change), verdicts: { change: "ask" } });
  assert.equal((await waiting.answer(question(await waiting.say("paint it")), "stop")).kind, "stopped");
  assert.deepEqual([statuses(waiting), waiting.entered], [["stopped"], []]);
});

test("TR-007 a steered line is taken at the next gap and joins what calls are judged by; a cut one takes the answer that is being given away", async () => {
  const stranger = mintOrigin({ principal: LOCAL_OWNER, role: "operator", assurance: "relayed", channel: "direct" });
  const steer = (bench: AgentBench, how: "steer" | "cut", text: string): Promise<boolean> =>
    bench.live.of(MIRELLE, BENCH_LINE.id)?.[how]({ text, by: parseMessageId("m-steer1"), origin: stranger }) ?? Promise.resolve(false);
  const taken: Promise<boolean>[] = [];
  using bench = new AgentBench({
    model: inTurn(look, { calls: [["change", {}]] }),
    body: () => {
      if (taken.length === 0) taken.push(steer(bench, "steer", "in blue, please"));
      return Promise.resolve("seen");
    },
  });
  await bench.say("paint it");
  assert.deepEqual(await Promise.all(taken), [true]);
  assert.deepEqual(bench.requests[1]?.messages.at(-1), { role: "user", text: "in blue, please" });
  assert.deepEqual(
    bench.judged.map(({ lines }) => lines.length),
    [0, 1],
  );
  const cut: Promise<boolean>[] = [];
  using second = new AgentBench({
    model: (_request, at) => {
      if (at > 0) return "Blue it is.";
      cut.push(steer(second, "cut", "blue!"));
      return new Promise<string>(() => {});
    },
    needs: {},
  });
  const cutting = second.say("paint it");
  assert.equal(spoken(await cutting), "Blue it is.");
  assert.deepEqual(await Promise.all(cut), [true]);
  assert.equal(await steer(second, "steer", "too late"), false);
});

test("TR-057 running time is bounded, waiting for a person is not counted", async () => {
  const model: BenchOptions["model"] = (_request, at) => (at === 0 ? change : new Promise<string>(() => {}));
  using bench = new AgentBench({ model, verdicts: { change: "ask" }, starter: "surface", body: async () => "x" });
  const asked = question(await bench.say("paint it"));
  await bench.clock.advance(3_600_000);
  const running = bench.answer(asked, "allow");
  const failed = assert.rejects(running, { code: "deadline" });
  await turnOfLoop();
  await bench.clock.advance(599_000);
  assert.equal(bench.requests.length, 2, "still running");
  await bench.clock.advance(2_000);
  await failed;
  assert.deepEqual(bench.entries().at(-1)?.body, { kind: "note", text: "The turn ended without an answer: deadline." });
});

test("TR-014 calls are judged by the join of everything in the prompt, tool output and steered lines among it", async () => {
  using bench = new AgentBench({ model: inTurn(look, change) });
  const outcome = await bench.say("look, then change");
  const influences = bench.judged.map(({ label }) => TextLabel.factsOf(label).influence);
  assert.deepEqual(influences, [[LOCAL_OWNER], [LOCAL_OWNER, "tool:look"]]);
  assert.ok(outcome.kind === "reply");
  assert.deepEqual(outcome.reply.influence, [LOCAL_OWNER, "tool:change", "tool:look"]);
  bench.restart();
  await bench.say("and now?", 2);
  assert.deepEqual(TextLabel.factsOf(bench.judged.at(-1)?.label ?? assert.fail()).influence, [LOCAL_OWNER, "tool:look"]);
});

test("SE-083 words that not every reader of the line may have are not said there", async () => {
  using bench = new AgentBench({ model: inTurn("The secret.") });
  bench.store.run({ verb: "openSession", row: { id: SESSION, character: MIRELLE, place: BENCH_LINE.id, person: LOCAL_OWNER, atMs: 0 } });
  const narrow = {
    body: { kind: "note", text: "from elsewhere" },
    root: null,
    label: JSON.stringify({ influence: [], readers: ["person:room:ann"] }),
  } as const;
  bench.store.run({ verb: "appendEntries", row: { session: SESSION, after: 0, entries: [narrow], atMs: 0, charges: [] } });
  const outcome = await bench.say("tell me");
  assert.deepEqual([outcome.kind, outcome.kind === "refused" && outcome.reason], ["refused", "forbidden"]);
});

const SESSION = parseSessionId("s-bench1");

test("CH-089 CH-090 CH-091 CH-092 CH-096 hooks hear a turn in order, frozen and without breaking it, and one that blocks denies the call", async () => {
  const heard: string[] = [];
  using bench = new AgentBench({
    model: inTurn(
      {
        calls: [
          ["look", {}],
          ["change", {}],
        ],
      },
      change,
      "done",
    ),
    verdicts: { change: "ask" },
    hooks: [
      (event) => {
        assert.throws(() => Reflect.defineProperty(event, "hook", { value: "x" }) || assert.fail("frozen"));
        heard.push(event.hook === "after_tool_call" ? `${event.hook} ${event.call.name} ${event.status} ${event.denied}` : event.hook);
        return null;
      },
      (event) => {
        if (event.hook === "before_generation") throw new RuntimeError("internal", "Cannot listen");
        return event.hook === "before_tool_call" && event.call.name === "look" ? { block: "not now" } : null;
      },
    ],
  });
  const asked = question(await bench.say("do it"));
  assert.deepEqual(heard, [
    "session_start",
    "before_turn",
    "before_generation",
    "after_generation",
    "before_tool_call",
    "before_tool_call",
    "after_tool_call look denied hook",
    "question_asked",
    "after_turn",
    "session_end",
  ]);
  assert.deepEqual(bench.entered, []);
  heard.length = 0;
  await bench.answer(asked, "deny");
  assert.ok(heard.includes("after_tool_call change denied denied"));
  using failing = new AgentBench({
    model: inTurn(look, "done"),
    hooks: [
      (event) => {
        if (event.hook === "before_tool_call") throw new RuntimeError("internal", "Cannot listen");
        return null;
      },
    ],
  });
  await failing.say("look");
  assert.deepEqual([statuses(failing), failing.entered], [["denied"], []]);
});

test("cases D46 a result of any length reaches the model in 10,000 characters, its beginning and its end", () => {
  const text = outputText(`${"a".repeat(2_500_000)}\0${"b".repeat(2_500_000)}`);
  assert.ok(text.length <= 10_000 && text.startsWith("aaa") && text.endsWith("bbb"));
  assert.match(text, /\d+ characters are left out/);
  assert.equal(outputText(""), "(no output)");
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 30_000 }),
      (one) => outputText(one).isWellFormed() && outputText(one).length <= 10_000,
    ),
  );
});

const message = fc.oneof(
  fc.record({ kind: fc.constant("said" as const), text: fc.string(), by: fc.constant(parseMessageId("m-000001")) }),
  fc.nat(3).map((calls) => ({ kind: "batch" as const, calls })),
);

test("TR-057 property: a request is never over its bound, never has a result without its call, and moves its beginning seldom", () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 120 }), fc.integer({ min: 8, max: 64 }), (steps, most) => {
      const bodies = steps.flatMap((step, at): EntryBody[] => {
        if (step.kind === "said") return [step];
        const calls = Array.from({ length: step.calls }, (_, n) => ({ id: `c${at}-${n}`, name: "look", arguments: "{}" }));
        const results = calls.map(({ id, name }): EntryBody => ({ kind: "result", call: id, name, text: "x", status: "ok" }));
        return [{ kind: "answered", text: "", calls }, ...results];
      });
      const all = messagesOf(bodies.map((body) => ({ body })));
      const sent = newestMessages(all, most);
      assert.ok(sent.length <= most);
      const asked = new Set<string>();
      for (const one of sent) {
        if (one.role === "assistant") for (const { id } of one.calls) asked.add(id);
        if (one.role === "tool") assert.ok(asked.has(one.call));
      }
      const isWhole = (one: AgentMessage): boolean =>
        one.role !== "assistant" || one.calls.every(({ id }) => sent.some((other) => other.role === "tool" && other.call === id));
      assert.ok(sent.every(isWhole), "no call without its result");
    }),
  );
});

/** Let everything run that waits for nothing. */
async function turnOfLoop(): Promise<void> {
  for (let round = 0; round < 40; round += 1) await Promise.resolve();
}

test("TR-007 a turn tells what it is at, since when: its model, a judgment, a call by its name; and nothing once it is over", async () => {
  const seen: string[] = [];
  const look = (): void => {
    const [now] = bench.live.now();
    seen.push(now === undefined ? "nothing" : `${now.doing.kind} ${now.doing.kind === "calling" ? now.doing.tool : ""} ${now.requests}`);
  };
  using bench: AgentBench = new AgentBench({
    model: async (_request, at) => {
      await bench.clock.advance(1_000);
      look();
      assert.equal(bench.live.now()[0]?.sinceMs, bench.clock.nowMs() - 1_000);
      return at === 0 ? { calls: [["change", { to: "blue" }]] } : "done";
    },
    body: () => (look(), Promise.resolve("ok")),
    at: (step) => step === "before judge" && look(),
  });
  await bench.say("make it blue");
  assert.deepEqual(seen, ["thinking  0", "judging  1", "calling change 1", "thinking  1"]);
  assert.deepEqual(bench.live.now(), []);
});

test("TR-007 the turn of one session can be stopped by its id, and no other", async () => {
  let session = "";
  using bench: AgentBench = new AgentBench({
    model() {
      session = bench.live.now()[0]?.session ?? "";
      assert.equal(bench.live.stop(parseSessionId("s-000000")), false);
      assert.equal(bench.live.stop(parseSessionId(session)), true);
      return new Promise(() => {});
    },
  });
  assert.equal((await bench.say("think hard")).kind, "stopped");
  assert.equal(bench.live.stop(parseSessionId(session)), false);
});
