import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RuntimeError } from "../../foundation/errors.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE } from "../../testing/road-fixtures.ts";
import type { GenerationPiece } from "../../vocabulary/calls/agent-model.ts";
import type { EventBody, HookAnswer, HookEvent } from "../../vocabulary/calls/hook-event.ts";
import { HOOK_NAMES, NO_WISH, parseHookAnswer } from "../../vocabulary/calls/hook-event.ts";
import { parseMessageId, parseSessionId, parseTurnId } from "../../vocabulary/ids.ts";
import { GenerationProgress } from "./generation-progress.ts";
import type { AgentHook, HooksNeeds } from "./hooks.ts";
import { createHooks } from "./hooks.ts";

const NEVER = new AbortController().signal;
const OF = {
  session: parseSessionId("s-0001"),
  character: MIRELLE,
  turn: parseTurnId("t-0001"),
  root: parseMessageId("m-0001"),
  starter: "terminal",
} as const;
const CALL: HookEvent = { ...OF, hook: "before_tool_call", iteration: 1, call: { id: "c1", name: "look", arguments: "{}" } };

class Listening {
  readonly clock = new ManualClock();
  readonly told: string[] = [];
  readonly logged: string[] = [];
  asks = true;
  steers = true;
  readonly needs: HooksNeeds = {
    clock: this.clock,
    log: {
      write: (_level, event, fields) => void this.logged.push(`${event} ${String(fields?.["hook"])}`),
      failure: (event, _error, fields) => void this.logged.push(`${event} ${String(fields?.["hook"])}`),
    },
    notify: (hook, text) => void this.told.push(`${hook}: ${text}`),
    asks: () => this.asks,
    steers: () => this.steers,
  };

  hook(name: string, hear: (event: HookEvent, may: { readonly steers: boolean }) => Partial<HookAnswer> | null | Promise<null>): AgentHook {
    return {
      name,
      events: new Set(HOOK_NAMES),
      deadlineMs: 500,
      hear: async (event, may) => {
        const wish = await hear(event, may);
        return wish === null ? null : { ...NO_WISH, ...wish };
      },
    };
  }
}

test("CH-093 CH-096 hooks are told in their order, each with a frozen copy of its own, and the first wish of a kind counts", async () => {
  const here = new Listening();
  const seen: HookEvent[] = [];
  const listen = (name: string): AgentHook =>
    here.hook(name, (event) => {
      seen.push(event);
      assert.ok(Object.isFrozen(event) && (event.hook !== "before_tool_call" || Object.isFrozen(event.call)));
      return {
        block: `${name} says no`,
        ask: `${name} asks`,
        notify: [`${name} was here`],
        steer: [`${name} words`],
        stopTurn: name === "b",
        stopGeneration: true,
      };
    });
  const hooks = createHooks([listen("a"), listen("b")], here.needs);
  const heard = await hooks.fire(CALL, NEVER);
  assert.deepEqual(
    heard.votes.map(({ hook, verdict }) => `${hook} ${verdict}`),
    ["a deny", "a ask", "b deny", "b ask"],
  );
  assert.deepEqual([heard.stopTurn, heard.stopGeneration, heard.question], ["b", "a", null]);
  assert.deepEqual(here.told, ["a: a was here", "b: b was here"]);
  assert.ok(seen[0] !== seen[1] && seen[0] !== CALL && !Object.isFrozen(CALL));
  const turn = await hooks.fire({ ...OF, hook: "before_turn" }, NEVER);
  assert.deepEqual([turn.votes, turn.question], [[], { hook: "a", text: "a asks" }]);
});

test("CH-084 CH-071 CH-096 a hook that fails breaks no turn; over a call it denies, and the others are heard all the same", async () => {
  const here = new Listening();
  const hooks = createHooks(
    [
      here.hook("bad", () => {
        throw new RuntimeError("internal", "Cannot listen");
      }),
      here.hook("good", () => ({ notify: ["I hear"] })),
    ],
    here.needs,
  );
  assert.deepEqual((await hooks.fire({ ...OF, hook: "after_turn", outcome: "reply" }, NEVER)).votes, []);
  assert.deepEqual((await hooks.fire(CALL, NEVER)).votes, [
    { hook: "bad", verdict: "deny", reason: "its check of this call failed", fixed: true },
  ]);
  assert.deepEqual([here.told.length, here.logged], [2, ["hook_failed bad", "hook_failed bad"]]);
});

test("CH-088 a hook has its deadline, and a slow one is named", async () => {
  const here = new Listening();
  const hooks = createHooks([here.hook("dead", () => new Promise(() => {})), here.hook("quick", () => null)], here.needs);
  const heard = hooks.fire(CALL, NEVER);
  await here.clock.advance(500);
  assert.equal((await heard).votes.length, 1);
  assert.deepEqual(here.logged, ["hook_failed dead", "hook_slow dead"]);
});

test("CH-079 SE-100 where hooks may not ask they only deny, and where they may not steer their words are dropped", async () => {
  const here = new Listening();
  const mays: boolean[] = [];
  const hooks = createHooks(
    [here.hook("a", (_event, may) => (mays.push(may.steers), { block: "no", ask: "may I?", steer: ["now run"] }))],
    here.needs,
  );
  here.asks = false;
  here.steers = false;
  const heard = await hooks.fire(CALL, NEVER);
  assert.deepEqual([heard.votes.map(({ verdict }) => verdict), heard.steer, mays], [["deny"], [], [false]]);
  assert.equal((await hooks.fire({ ...OF, hook: "before_turn" }, NEVER)).question, null);
});

test("CH-087 who hears nothing is told nothing", async () => {
  const here = new Listening();
  const only = { ...here.hook("a", () => ({ notify: ["x"] })), events: new Set(["after_turn"] as const) };
  const hooks = createHooks([only], here.needs);
  assert.deepEqual(
    HOOK_NAMES.filter((name) => hooks.hears(name)),
    ["after_turn"],
  );
  await hooks.fire(CALL, NEVER);
  assert.deepEqual(here.told, []);
});

test("CH-093 an answer is taken only in its form, for its event, within its bounds", () => {
  for (const [value, hook] of [
    [null, "before_turn"],
    [[], "before_turn"],
    [{ block: "x" }, "after_turn"],
    [{ present: "x" }, "before_turn"],
    [{ verdict: "allow" }, "before_tool_call"],
    [{ notify: "x" }, "before_turn"],
    [{ notify: ["a", "b", "c", "d", "e"] }, "before_turn"],
    [{ steer: ["x".repeat(2_001)] }, "before_turn"],
    [{ present: "x".repeat(200_001) }, "after_turn"],
  ] as const)
    assert.throws(() => parseHookAnswer(value, hook), /Cannot take a hook's answer/, JSON.stringify(value)?.slice(0, 60));
  assert.equal(parseHookAnswer({ present: "x".repeat(200_000) }, "after_turn").present?.length, 200_000);
  assert.equal(parseHookAnswer({ block: "  " }, "before_tool_call").block, "no reason was given", "an empty block blocks");
  assert.deepEqual(parseHookAnswer({ stopTurn: 1 }, "before_turn"), NO_WISH);
});

test("CH-088 progress is told at 2,000 new characters or after a second, one at a time, what is new alone, and a dropped stream once", async () => {
  const clock = new ManualClock();
  const told: Extract<EventBody, { hook: "generation_progress" }>[] = [];
  let letGo: () => void = () => {};
  const progress = new GenerationProgress(3, clock, (body) => {
    told.push(body);
    return new Promise((resolve) => (letGo = resolve));
  });
  const take = (...pieces: readonly GenerationPiece[]): void => {
    for (const piece of pieces) progress.take(piece);
  };
  take({ kind: "begin" }, { kind: "thinking", text: "h".repeat(1_500) }, { kind: "text", text: "a".repeat(499) });
  assert.equal(told.length, 0);
  take({ kind: "text", text: "b" });
  take({ kind: "text", text: "c".repeat(5_000) });
  assert.equal(told.length, 1, "one at a time");
  letGo();
  await clock.advance(999);
  take({ kind: "text", text: "d" });
  assert.deepEqual(
    told.map(({ thinking, text, thinkingChars, textChars, elapsedMs, restarted, iteration }) => [
      thinking.length,
      text.length,
      thinkingChars,
      textChars,
      elapsedMs,
      restarted,
      iteration,
    ]),
    [
      [1_500, 500, 1_500, 500, 0, false, 3],
      [0, 5_001, 1_500, 5_501, 999, false, 3],
    ],
  );
  letGo();
  await clock.advance(1_000);
  take({ kind: "begin" }, { kind: "text", text: "again" });
  letGo();
  await clock.advance(1_000);
  take({ kind: "text", text: "!" });
  assert.deepEqual(
    told.slice(2).map(({ text, textChars, restarted }) => [text, textChars, restarted]),
    [
      ["again", 5, true],
      ["!", 6, false],
    ],
  );
  const ended = progress.end();
  letGo();
  await ended;
  await clock.advance(5_000);
  take({ kind: "text", text: "late" });
  assert.equal(told.length, 4);
});

test("CH-088 whatever the pieces, all that is told put together is a beginning of what was written", () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3_000), fc.nat(1_500)), { maxLength: 12 }), (pieces) => {
      let nowMs = 0;
      let told = "";
      const progress = new GenerationProgress(1, { monotonicMs: () => nowMs }, ({ text }) => ((told += text), Promise.resolve()));
      let written = "";
      for (const [length, ms] of pieces) {
        nowMs += ms;
        const text = String(length % 10).repeat(length);
        written += text;
        progress.take({ kind: "text", text });
      }
      assert.ok(written.startsWith(told));
    }),
  );
});
