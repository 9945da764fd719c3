import assert from "node:assert/strict";
import { test } from "node:test";
import type { BenchAnswer, BenchHook, BenchOptions } from "../testing/agent-bench.ts";
import { AgentBench } from "../testing/agent-bench.ts";
import type { HookAnswer, HookEvent, HookName } from "../vocabulary/calls/hook-event.ts";
import { mintOrigin } from "../vocabulary/origin.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { Question, VoiceOutcome } from "../vocabulary/reply.ts";
import { TextLabel } from "../vocabulary/calls/text-label.ts";

const look: BenchAnswer = { calls: [["look", {}]] };
const inTurn =
  (...answers: readonly BenchAnswer[]): BenchOptions["model"] =>
  (_request, at) =>
    answers[at] ?? "done";

/** A hook that has one wish at one event, the first `times` times. */
function at(name: HookName, wish: Partial<HookAnswer>, times = 1): BenchHook {
  let left = times;
  return ({ hook }) => (hook === name && (left -= 1) >= 0 ? wish : null);
}

function question(outcome: VoiceOutcome): Question {
  assert.ok(outcome.kind === "suspended", outcome.kind);
  return outcome.question;
}

const notes = (bench: AgentBench): readonly string[] => bench.entries().flatMap(({ body }) => (body.kind === "note" ? [body.text] : []));

test("CH-087 cases D42 a session's start is told once a process, and every turn in its order, with whom and what it is of", async () => {
  const heard: HookEvent[] = [];
  using bench = new AgentBench({ model: inTurn(look, "done", "again"), hooks: [(event) => (heard.push(event), null)] });
  await bench.say("look", 1);
  await bench.say("and now?", 2);
  const names = heard.map(({ hook }) => hook);
  assert.deepEqual(names, [
    "session_start",
    "before_turn",
    "before_generation",
    "after_generation",
    "before_tool_call",
    "after_tool_call",
    "before_generation",
    "after_generation",
    "after_turn",
    "session_end",
    "before_turn",
    "before_generation",
    "after_generation",
    "after_turn",
    "session_end",
  ]);
  assert.ok(
    heard.every(
      ({ session, root, starter, author }) => session !== undefined && root !== undefined && starter === "terminal" && author === undefined,
    ),
  );
  bench.restart();
  heard.length = 0;
  await bench.say("still there?", 3);
  assert.equal(heard[0]?.hook, "session_start");
  assert.equal(heard.filter(({ hook }) => hook === "session_start").length, 1);
});

test("CH-089 CH-093 before_generation carries the messages that are sent, as a frozen copy, and before_tool_call carries none", async () => {
  const heard: HookEvent[] = [];
  using bench = new AgentBench({
    model: inTurn(look, "done"),
    hooks: [
      (event) => {
        if (event.hook === "before_generation") assert.throws(() => (event.messages as unknown as string[]).push("x"), TypeError);
        heard.push(event);
        return null;
      },
    ],
  });
  await bench.say("look");
  const [first, second] = heard.flatMap((event) => (event.hook === "before_generation" ? [event.messages] : []));
  assert.deepEqual([first, second], [bench.requests[0]?.messages, bench.requests[1]?.messages]);
  assert.ok(heard.every((event) => event.hook !== "before_tool_call" || !("messages" in event)));
});

test("CH-093 SE-100 words of a hook enter at the next gap, under its own influence: from then on they are somebody else's", async () => {
  using bench = new AgentBench({ model: inTurn(look, "done"), hooks: [at("after_tool_call", { steer: ["Be brief."] })] });
  await bench.say("look");
  assert.deepEqual(bench.requests[1]?.messages.at(-1), { role: "user", text: `[${notes(bench)[0]}]` });
  assert.equal(notes(bench)[0], "A hook (h0) says: Be brief.");
  const labels = bench.judged.map(({ label }) => TextLabel.factsOf(label).influence);
  assert.ok(labels.every((influence) => !influence.some((one) => one === "bundle:h0")));
  const kept = bench.entries().find(({ body }) => body.kind === "note");
  assert.match(kept?.label ?? "", /bundle:h0/);
  assert.match(kept?.label ?? "", new RegExp(LOCAL_OWNER), "and of everything that it heard");
});

test("SE-100 SE-080 what a hook says as it denies a call stands under its own influence; where its words may not enter, they are not in the denial", async () => {
  const deny = (): BenchHook => at("before_tool_call", { block: "not the cellar" });
  using bench = new AgentBench({ model: inTurn(look, "done"), hooks: [deny()] });
  await bench.say("look");
  assert.match(bench.results()[0]?.text ?? "", /not the cellar/);
  assert.match(bench.entries().find(({ body }) => body.kind === "result")?.label ?? "", /bundle:h0/);

  using scheduled = new AgentBench({ starter: "schedule", model: inTurn(look, "done"), hooks: [deny()] });
  await scheduled.say("look");
  assert.equal(scheduled.results()[0]?.status, "denied");
  assert.doesNotMatch(JSON.stringify(scheduled.entries()), /cellar|bundle:h0/);
  assert.doesNotMatch(JSON.stringify(scheduled.requests), /cellar/);
});

test("CH-071 CH-093 after a hook stops the turn nothing of the batch runs, each call has its result, and the model is told who did it", async () => {
  const batch: BenchAnswer = {
    calls: [
      ["look", {}],
      ["change", {}],
    ],
  };
  for (const name of ["before_turn", "before_generation", "after_generation", "before_tool_call"] as const) {
    using bench = new AgentBench({ model: inTurn(batch), hooks: [at(name, { stopTurn: true })] });
    assert.equal((await bench.say("do both")).kind, "stopped", name);
    assert.deepEqual(bench.entered, [], name);
    assert.deepEqual(notes(bench).at(-1), "A hook of the owner stopped the turn (h0).", name);
    assert.ok(bench.results().every(({ status }) => status === "stopped"));
  }
  using bench = new AgentBench({ model: inTurn(batch), hooks: [at("after_tool_call", { stopTurn: true })] });
  assert.equal((await bench.say("do both")).kind, "stopped");
  assert.deepEqual(
    bench.results().map(({ name, status }) => `${name} ${status}`),
    ["look ok", "change stopped"],
  );
});

test("CH-093 CH-096 a hook that would stop a turn that has ended changes nothing", async () => {
  using bench = new AgentBench({
    model: inTurn("done"),
    hooks: [
      at("after_turn", { stopTurn: true, steer: ["x"], ask: "x" }),
      at("session_end", { stopTurn: true, block: "x" } as Partial<HookAnswer>),
    ],
  });
  assert.equal((await bench.say("hello")).kind, "reply");
});

test("CH-088 CH-093 a hook hears an answer while it is written and may stop it: the model is told and asked again, a few times", async () => {
  const texts: string[] = [];
  const hooks: readonly BenchHook[] = [
    (event) => {
      if (event.hook !== "generation_progress") return null;
      texts.push(event.text.slice(0, 4));
      return { stopGeneration: event.text.startsWith("long") };
    },
  ];
  const model =
    (long: number): BenchOptions["model"] =>
    async (request, time) => {
      if (time >= long) return "short";
      request.heard?.({ kind: "begin" });
      request.heard?.({ kind: "text", text: "long".repeat(600) });
      // A host that never ends.
      return await new Promise(() => {});
    };
  using bench = new AgentBench({ model: model(2), hooks });
  const outcome = await bench.say("tell me");
  assert.ok(outcome.kind === "reply" && outcome.reply.speech === "short");
  assert.deepEqual([texts, notes(bench).length], [["long", "long"], 2]);
  assert.match(notes(bench)[0] ?? "", /A hook of the owner stopped that answer \(h0\)/);
  assert.equal(bench.entries().filter(({ body }) => body.kind === "answered").length, 1, "what was stopped is in no history");
  using endless = new AgentBench({ model: model(99), hooks });
  await assert.rejects(endless.say("tell me"), { code: "turn_ceiling" });
  assert.equal(endless.requests.length, 3);
  using before = new AgentBench({ model: inTurn("done"), hooks: [at("before_generation", { stopGeneration: true })] });
  assert.equal((await before.say("tell me")).kind, "reply");
  assert.equal(before.requests.length, 1, "one that is stopped before it begins costs nothing");
});

test("CH-088 nothing is gathered for nobody", async () => {
  using bench = new AgentBench({ model: (request) => (assert.equal(request.heard, undefined), "done") });
  await bench.say("hello");
});

test("CH-090 CH-093 a hook asks its person whether the turn may go on: yes goes on where it stood, no stops, and it is no question_asked", async () => {
  const heard: string[] = [];
  const options = (): BenchOptions => ({
    model: inTurn(look, "done"),
    hooks: [at("after_tool_call", { ask: "That lamp again?" }), ({ hook }) => (heard.push(hook), null)],
  });
  using yes = new AgentBench(options());
  const asked = question(await yes.say("look"));
  assert.equal(asked.text, "Your hook h0 asks: That lamp again? Shall I go on?");
  assert.ok(!heard.includes("question_asked"));
  yes.restart();
  const outcome = await yes.answer(asked, "allow");
  assert.ok(outcome.kind === "reply" && outcome.reply.speech === "done");
  assert.equal(yes.entered.length, 1, "nothing runs twice");
  using no = new AgentBench(options());
  assert.equal((await no.answer(question(await no.say("look")), "deny")).kind, "stopped");
  using off = new AgentBench({ ...options(), hooksAsk: false });
  assert.equal((await off.say("look")).kind, "reply", "CH-079 where hooks may not ask");
});

test("CH-093 a hook that asks without end is a no after three questions of one turn", async () => {
  using bench = new AgentBench({ model: inTurn(look, look, look, look), hooks: [at("before_turn", { ask: "sure?" }, 99)] });
  let outcome = await bench.say("look");
  for (let answered = 0; answered < 3; answered += 1) outcome = await bench.answer(question(outcome), "allow");
  assert.deepEqual([outcome.kind, outcome.kind === "refused" && outcome.reason], ["refused", "turn_ceiling"]);
});

test("CH-093 a hook's question about a call waits for its person like any other", async () => {
  using bench = new AgentBench({ model: inTurn(look, "done"), hooks: [at("before_tool_call", { ask: "Look there?" })] });
  const asked = question(await bench.say("look"));
  assert.deepEqual(bench.judged[0]?.hooks, [{ call: "c2-0", hook: "h0", verdict: "ask", reason: "Look there?" }]);
  assert.deepEqual(bench.entered, []);
  assert.equal((await bench.answer(asked, "allow")).kind, "reply");
  assert.equal(bench.entered.length, 1);
});

test("CH-096 what a hook presents is shown in place of the reply, as its words too, and the session keeps what was said", async () => {
  using bench = new AgentBench({ model: inTurn("The lamp is lit."), hooks: [at("after_turn", { present: "THE LAMP IS LIT." })] });
  const outcome = await bench.say("is it?");
  assert.ok(outcome.kind === "reply");
  assert.deepEqual([outcome.reply.speech, outcome.reply.influence.includes("bundle:h0")], ["THE LAMP IS LIT.", true]);
  assert.ok(outcome.reply.visibleText.includes("The lamp is lit."));
  assert.deepEqual(
    bench.entries().flatMap(({ body }) => (body.kind === "answered" ? [body.text] : [])),
    ["The lamp is lit."],
  );
});

test("CH-094 CH-095 SE-100 of a turn that no operator wrote each event names its author, and of it and of a schedule hooks hear and deny, and put no words in", async () => {
  const guest = mintOrigin({
    principal: parsePrincipalId("discord:12345678901234567"),
    role: "guest",
    assurance: "platform",
    channel: "direct",
  });
  for (const options of [{ origin: guest }, { starter: "schedule" }] as const) {
    const heard: HookEvent[] = [];
    const mays: boolean[] = [];
    using bench = new AgentBench({
      ...options,
      model: inTurn(look, "done"),
      hooks: [
        (event, may) => {
          heard.push(event);
          mays.push(may.steers);
          return {
            steer: ["Run !all"],
            notify: ["somebody is here"],
            ...(event.hook === "before_tool_call" ? { block: "not for you" } : {}),
          };
        },
      ],
    });
    await bench.say("!all");
    const authors = new Set(heard.map(({ author }) => author));
    assert.deepEqual([...authors], ["origin" in options ? "p:discord:12345678901234567" : undefined]);
    if (!("origin" in options))
      assert.ok(
        heard.every((event) => !("author" in event)),
        "an operator's turn has no such key",
      );
    assert.ok(mays.every((may) => !may) && mays.length === heard.length);
    assert.deepEqual([bench.entered, notes(bench)], [[], []]);
    assert.deepEqual(
      bench.results().map(({ status }) => status),
      ["denied"],
    );
    assert.ok(bench.notified.length > 0, "its words to the operator arrive");
  }
});

test("CH-096 hooks that fail at every event leave a turn as it is, but its calls", async () => {
  using bench = new AgentBench({
    model: inTurn(look, "done"),
    hooks: [
      () => {
        throw new TypeError("no");
      },
    ],
  });
  const outcome = await bench.say("look");
  assert.ok(outcome.kind === "reply" && outcome.reply.speech === "done");
  assert.deepEqual([bench.results().map(({ status }) => status), bench.entered], [["denied"], []]);
});
