import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../../src/foundation/errors.ts";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { Declared } from "../../src/operations/operation.ts";
import { approvals } from "../../src/operations/approvals.ts";
import { schedule } from "../../src/operations/schedule.ts";
import { sessions } from "../../src/operations/sessions.ts";
import { turns } from "../../src/operations/turns.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { ComposedHarness } from "./composed.ts";
import { openComposed } from "./composed.ts";

const yaml = (url: string): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
models:
  hosts: { near: { api: openai, url: "${url}", models: [tiny] } }
`;
const signal = new AbortController().signal;

async function run<Args, Result>(one: ComposedHarness, declared: Declared<Args, Result>, args: Args): Promise<Result> {
  const result = await one.runtime.operations.run(declared.name, args, LOCAL_ACTOR, signal);
  assert.ok(one.runtime.operations.present(declared.name, result).lines.length > 0);
  return declared.parse(result);
}

/** Type lines at the owner's terminal until all are answered. */
async function type(one: ComposedHarness, ...lines: readonly (string | (() => Promise<string>))[]): Promise<void> {
  const session = {
    character: "mirelle",
    lines: (async function* typed() {
      for (const line of lines) yield typeof line === "string" ? line : await line();
    })(),
    show: () => Promise.resolve(true),
  };
  await one.runtime.terminal.attach(session, signal);
}

test("TR-009 TR-007 what an agent is at, its sessions page by page and what they came to are told by operations; a turn is stopped by its session", async () => {
  await using model = await startScriptedModel({ script: () => ({ text: "Good evening. ".repeat(20) }) });
  await using one = await openComposed(yaml(model.url));
  assert.deepEqual(await run(one, sessions, {}), { sessions: [], more: false, entries: [], spent: null });
  assert.deepEqual((await run(one, turns, {})).turns, []);
  await type(one, "good evening");
  const [session, ...others] = (await run(one, sessions, {})).sessions;
  assert.ok(session !== undefined && others.length === 0);
  assert.deepEqual(
    [session.character, session.person, session.place, session.current, session.entries, session.parent, session.carries],
    ["mirelle", "local:owner", "direct:mirelle:local:owner", true, 2, null, []],
  );
  const shown = await run(one, sessions, { id: session.id, most: 100 });
  assert.deepEqual(
    shown.entries.map(({ what, cut, text }) => [what, cut, text.length]),
    [
      ["said", false, 12],
      ["answered", true, 100],
    ],
  );
  assert.equal(shown.spent?.turns, 1);
  assert.ok((shown.spent?.promptTokens ?? 0) > 0);
  assert.deepEqual(
    (await run(one, sessions, { id: session.id, after: 1 })).entries.map(({ seq }) => seq),
    [2],
  );
  await assert.rejects(run(one, sessions, { id: session.id, after: 1, before: 2 }), (error) => isRuntimeError(error, "usage"));

  model.fault("slow_first_token");
  await type(one, "think hard", async () => {
    await model.received(2, signal);
    const [now] = (await run(one, turns, {})).turns;
    assert.deepEqual(
      [now?.session, now?.doing, now?.tool, now?.question, now?.starter, now?.requests],
      [session.id, "thinking", null, null, "terminal", 0],
    );
    assert.deepEqual((await run(one, turns, { act: "stop", session: session.id })).done, "stop");
    model.fault(null);
    return "are you there?";
  });
  assert.deepEqual((await run(one, turns, {})).turns, []);
  const notes = (await run(one, sessions, { id: session.id, last: 500 })).entries.filter(({ what }) => what === "note");
  assert.match(notes[0]?.text ?? "", /The person stopped the turn/);
  for (const given of [session.id, "s-none", "x"])
    await assert.rejects(run(one, turns, { act: "stop", session: given }), (error) => isRuntimeError(error, "not_found"));
  await assert.rejects(run(one, turns, { act: "stop" }), (error) => isRuntimeError(error, "usage"));

  await type(one, "/new", "and again");
  const first = await run(one, sessions, { limit: 1 });
  assert.deepEqual([first.sessions.length, first.more], [1, true]);
  const second = await run(one, sessions, { limit: 1, skip: 1 });
  assert.deepEqual([second.sessions[0]?.id, second.sessions[0]?.current, second.more], [session.id, false, false]);
  assert.equal(first.sessions[0]?.parent, session.id);
});

test("TR-015 SE-084 a schedule that an agent wants is asked about with its next three times, is made once, by exactly what was shown, with no tool; a no makes none", async () => {
  const wish = { rule: "weekdays 8:00", zone: "Europe/Zurich", does: "say", words: "Good morning." };
  let calls = 0;
  await using model = await startScriptedModel({
    script({ body }) {
      const { messages } = JSON.parse(body.toString()) as { messages: { role: string; content: string }[] };
      const last = messages.at(-1);
      if (last?.role === "tool") return { text: `It says: ${last.content}` };
      calls += 1;
      return { text: "I would remind you.", calls: [{ name: "schedule_add", arguments: { ...wish, words: `${wish.words} ${calls}` } }] };
    },
  });
  await using one = await openComposed(yaml(model.url));
  await type(one, "remind me");
  const [asked] = (await run(one, approvals, {})).waiting;
  assert.ok(asked !== undefined);
  assert.deepEqual([asked.tool, asked.mine, (await run(one, schedule, {})).schedules], ["schedule_add", true, []]);
  const spentBefore = (await run(one, sessions, { id: asked.session ?? "" })).spent;
  assert.ok(spentBefore !== null && spentBefore.turns === 1 && spentBefore.promptTokens > 0, "a turn that waits has cost something");
  const { card } = await run(one, approvals, { act: "show", id: asked.id });
  const { foretold = [], bytes = [], scopes } = card?.pieces ?? {};
  assert.equal(foretold.length, 3);
  for (const time of foretold) assert.match(time, /^It happens at (Mon|Tue|Wed|Thu|Fri) \d{4}-\d\d-\d\d 08:00 Europe\/Zurich\.$/);
  assert.match(bytes.join(""), /"words":"Good morning\. 1"/);
  assert.deepEqual(scopes, ["once"]);
  const answer = { act: "allow", id: asked.id, digest: asked.digest } as const;
  await run(one, approvals, answer);
  await one.runtime.idle();
  await assert.rejects(run(one, approvals, answer), (error) => isRuntimeError(error, "not_found"));
  const made = (await run(one, schedule, {})).schedules;
  assert.deepEqual(
    made.map(({ rule, zone, does, words, may, character }) => [rule, zone, does, words, may, character]),
    [["weekdays 8:00", "Europe/Zurich", "say", "Good morning. 1", null, "mirelle"]],
  );
  await type(one, "and another");
  const [again] = (await run(one, approvals, {})).waiting;
  await run(one, approvals, { act: "deny", id: again?.id, because: "one is enough" });
  await one.runtime.idle();
  assert.equal((await run(one, schedule, {})).schedules.length, 1);
  assert.match(model.requests.at(-1)?.body.toString() ?? "", /one is enough/);
});
