import assert from "node:assert/strict";
import { after, test } from "node:test";
import fc from "fast-check";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { BenchAnswer } from "../testing/agent-bench.ts";
import { AgentBench } from "../testing/agent-bench.ts";
import type { AgentRequest } from "../vocabulary/calls/agent-model.ts";
import { openDirectStore } from "../testing/store-writer.ts";
import { parseCharacterId } from "../vocabulary/ids.ts";
import type { Question, VoiceOutcome } from "../vocabulary/reply.ts";
import type { SessionEntry } from "../vocabulary/calls/session.ts";

/** A row runs at most so often (TR-042). */
const MAX_STARTS = 2;
const FIRST: BenchAnswer = {
  text: "I look, paint, and look again.",
  calls: [
    ["look", { n: 1 }],
    ["change", { n: 2 }],
    ["look", { n: 3 }],
  ],
};
const SECOND: BenchAnswer = {
  calls: [
    ["change", { n: 4 }],
    ["change", { n: 5 }],
  ],
};

/** Says the same to the same history, as a model would whose process did not die. */
function model({ messages }: AgentRequest): BenchAnswer {
  const lastLine = messages.findLastIndex((one) => one.role === "user" && !one.text.startsWith("["));
  const answers = messages.slice(lastLine).filter(({ role }) => role === "assistant").length;
  if (messages[lastLine]?.text !== "paint it") return "hello";
  return [FIRST, SECOND][answers] ?? "It is painted.";
}

/** Every run is on a line of its own, over one store. */
const store = openDirectStore();
after(() => store[Symbol.dispose]());
let played = 0;

interface Played {
  readonly bench: AgentBench;
  readonly outcomes: readonly VoiceOutcome["kind"][];
  readonly steps: readonly string[];
  readonly deaths: readonly { readonly step: string; readonly kept: readonly SessionEntry[] }[];
}

/**
 * Play a turn as the road does, dying at the given steps: whoever died starts again, at most twice a row; a question is answered.
 * Afterwards the person says one more line.
 */
async function play(kills: readonly number[], answer: "allow" | "deny" = "allow"): Promise<Played> {
  const steps: string[] = [];
  const deaths: { step: string; kept: readonly SessionEntry[] }[] = [];
  const outcomes: VoiceOutcome["kind"][] = [];
  let dead = false;
  const die = (): never => {
    throw new RuntimeError("closed", "Cannot go on: the process is gone");
  };
  const bench = new AgentBench({
    model,
    verdicts: { change: "ask" },
    shared: { store, character: parseCharacterId(`one${(played += 1)}`) },
    at(step) {
      if (dead) die();
      steps.push(step);
      if (!kills.includes(steps.length)) return;
      dead = true;
      die();
    },
  });
  const row = async (run: () => Promise<VoiceOutcome>): Promise<VoiceOutcome | null> => {
    for (let start = 0; start < MAX_STARTS; start += 1) {
      try {
        return await run();
      } catch (error) {
        if (!dead || !isRuntimeError(error)) throw error;
        deaths.push({ step: steps.at(-1) ?? "", kept: bench.entries() });
        dead = false;
        bench.restart();
      }
    }
    return null;
  };
  let outcome = await row(() => bench.say("paint it"));
  while (outcome?.kind === "suspended") {
    const asked: Question = outcome.question;
    outcomes.push("suspended");
    outcome = await row(() => bench.answer(asked, answer));
  }
  if (outcome !== null) outcomes.push(outcome.kind);
  await row(() => bench.say("hello", 2));
  return { bench, outcomes, steps, deaths };
}

/** What must hold of every run, wherever it died. */
function check({ bench, deaths }: Played, answer: "allow" | "deny"): void {
  const entries = bench.entries();
  for (const { kept } of deaths) assert.deepEqual(entries.slice(0, kept.length), kept, "what was in the history stays as it was");
  const entered = bench.entered.map(({ call }) => call);
  assert.equal(new Set(entered).size, entered.length, "nothing ran twice");
  for (const { tool, approved } of bench.entered) if (tool === "change") assert.ok(approved, "nothing ran unapproved");
  if (answer === "deny") assert.ok(!bench.entered.some(({ tool }) => tool === "change"));
  const calls = entries.flatMap(({ body }) => (body.kind === "answered" ? body.calls : []));
  const results = Map.groupBy(bench.results(), ({ call }) => call);
  for (const { id } of calls) {
    const final = (results.get(id) ?? []).filter(({ status }) => status !== "waiting");
    assert.equal(final.length, 1, "every call has one result");
    if (final[0]?.status === "ok") assert.ok(entered.includes(id), "and one that says it ran did");
  }
  for (const [root, own] of Map.groupBy(entries, (entry) => entry.root)) {
    const count = (has: (body: (typeof own)[number]["body"]) => boolean): number => own.filter(({ body }) => has(body)).length;
    assert.equal(
      count(({ kind }) => kind === "said"),
      1,
      `the line ${root} is said once`,
    );
    assert.ok(count((body) => body.kind === "answered" && body.calls.length === 0) <= 1, "nothing is asked again that was answered");
  }
  const begun = entries.flatMap(({ body }) => (body.kind === "begun" ? [body.call] : []));
  for (const call of entered) assert.ok(begun.includes(call), "whatever ran is in the history");
}

test("TR-044 TR-007 killed at every step between card and answer, answer and run, run and result, a turn stands where it stood: nothing runs twice, nothing unapproved", async () => {
  const whole = await play([]);
  assert.deepEqual(whole.outcomes, ["suspended", "suspended", "suspended", "reply"]);
  assert.equal(whole.bench.entered.length, 5);
  check(whole, "allow");
  const ends = new Map<string, string>();
  for (let step = 1; step <= whole.steps.length; step += 1) {
    const run = await play([step]);
    check(run, "allow");
    const name = whole.steps[step - 1] ?? "";
    const last = run.outcomes.at(-1) ?? "none";
    const running = /^(?:after begun|(?:before|after) body|before result)$/.test(name.replace(/ (?:look|change)$/, ""));
    ends.set(name, `${ends.get(name) ?? ""} ${last}`.trim());
    if (!running) assert.equal(last, "reply", `killed ${name}, step ${step}`);
    // A call that only reads was cut off and may be made again; of one that changes something nobody can tell.
    const unknown = run.bench.results().filter(({ status }) => status === "unknown");
    assert.equal(last === "interrupted", unknown.length > 0, name);
    if (running && /change/.test(name)) assert.equal(last, "interrupted", name);
  }
  assert.equal(ends.get("before body change"), "interrupted interrupted interrupted");
  assert.equal(ends.get("after body look"), "reply reply");
});

test("TR-007 killed between answer and run, a call is not run, the model is told so without doubt, and may ask for it anew", async () => {
  const whole = await play([]);
  const step = whole.steps.indexOf("after use") + 1;
  assert.ok(step > 0);
  const { bench } = await play([step]);
  const lost = bench.results().filter(({ text }) => text.includes("call it again to ask anew"));
  assert.deepEqual(
    lost.map(({ status }) => status),
    ["interrupted"],
  );
  assert.ok(!bench.entered.some(({ call }) => call === lost[0]?.call));
});

test("TR-044 property: killed at any two steps, and asked by somebody who allows or denies, the same holds", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 110 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom("allow" as const, "deny" as const),
      async (kills, answer) => {
        check(await play(kills, answer), answer);
      },
    ),
    { numRuns: 60 },
  );
});
