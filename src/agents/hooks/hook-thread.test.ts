import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { silentLog } from "../../foundation/log.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE } from "../../testing/road-fixtures.ts";
import type { HookEvent } from "../../vocabulary/calls/hook-event.ts";
import { HOOK_NAMES } from "../../vocabulary/calls/hook-event.ts";
import { parseMessageId, parseSessionId, parseTurnId } from "../../vocabulary/ids.ts";
import { HookThread } from "./hook-thread.ts";
import { createHooks } from "./hooks.ts";

const NEVER = new AbortController().signal;
const OF = {
  session: parseSessionId("s-0001"),
  character: MIRELLE,
  turn: parseTurnId("t-0001"),
  root: parseMessageId("m-0001"),
  starter: "terminal",
} as const;
const TURN: HookEvent = { ...OF, hook: "before_turn" };
const call = (text: string): HookEvent => ({
  ...OF,
  hook: "before_tool_call",
  iteration: 1,
  call: { id: "c1", name: "look", arguments: JSON.stringify({ text }) },
});

function thread(context: TestContext, text: string, deadlineMs = 1_000): HookThread {
  const made = new HookThread({ name: "watch", events: new Set(HOOK_NAMES), deadlineMs }, text);
  context.after(() => made[Symbol.asyncDispose]());
  return made;
}

test("CH-093 a hook hears frozen copies in a thread of its own, and what it answers and calls is its wish", async (context) => {
  const hook = thread(
    context,
    `let heard = 0;
    export default async (event, act) => {
      heard += 1;
      const before = JSON.stringify(event);
      for (const change of [() => (event.hook = "x"), () => (event.call.name = "x"), () => (act.notify = null)]) {
        try { change(); } catch {}
      }
      if (JSON.stringify(event) !== before) return { block: "changed" };
      await null;
      act.notify("event " + heard);
      act.ask_user("sure?");
      act.stop_turn();
      act.stop_generation();
      if (act.steer) act.steer("be brief");
      return event.hook === "before_tool_call" ? { block: "no " + JSON.parse(event.call.arguments).text } : undefined;
    };`,
  );
  assert.equal(await hook.start(NEVER), null);
  const wish = { ask: "sure?", stopTurn: true, stopGeneration: true, present: null };
  assert.deepEqual(await hook.hear(call("ghosts"), { steers: true }, NEVER), {
    ...wish,
    block: "no ghosts",
    notify: ["event 1"],
    steer: ["be brief"],
  });
  assert.deepEqual(await hook.hear(TURN, { steers: false }, NEVER), { ...wish, block: null, notify: ["event 2"], steer: [] });
});

test("SE-092 a hook is run from the bytes it is given, imports nothing, and has no environment, process or network in reach", async (context) => {
  for (const [text, fault] of [
    [`import fs from "node:fs"; export default () => {};`, "imports"],
    [`import "./beside.js"; export default () => {};`, "imports"],
    [`await import("node:child_process"); export default () => {};`, "imports"],
    [`export default 5;`, "no_function"],
    [`export const hook = () => {};`, "no_function"],
    [`export default (`, "does_not_load"],
    [`throw new Error("x"); export default () => {};`, "does_not_load"],
  ] as const)
    assert.equal(await thread(context, text).start(NEVER), fault, text);
  const late = thread(
    context,
    `export default async (event, act) => {
      act.notify([typeof process, typeof fetch, typeof WebSocket, typeof require, typeof module].join());
      for (const name of ["node:fs", "node:process", "data:text/javascript,export default 1", "file:///etc/passwd"]) {
        try { await import(name); act.notify("reached " + name); } catch {}
      }
      try { new Function("return process")(); act.notify("reached process"); } catch {}
    };`,
  );
  assert.equal(await late.start(NEVER), null);
  assert.deepEqual((await late.hear(TURN, { steers: true }, NEVER)).notify, ["undefined,undefined,undefined,undefined,undefined"]);
});

test("CH-084 CH-096 what a hook throws, or gives that is no answer, is a failure of that event alone", async (context) => {
  const hook = thread(
    context,
    `export default (event) => {
      const text = event.hook === "before_tool_call" ? JSON.parse(event.call.arguments).text : "fine";
      if (text === "throw") throw new Error(text);
      if (text === "reject") return Promise.reject(null);
      if (text === "text") return "no";
      if (text === "list") return [];
      if (text === "function") return { block: () => 1 };
      if (text === "number") return { block: 5 };
      if (text === "field") return { approved: true };
      if (text === "present") return { present: "x" };
      if (text === "long") return { block: "x".repeat(301) };
      if (text === "getter") return { get block() { throw 1; } };
      return null;
    };`,
  );
  for (const text of ["throw", "reject", "text", "list", "function", "number", "field", "present", "long", "getter"])
    await assert.rejects(hook.hear(call(text), { steers: true }, NEVER), /^RuntimeError|Cannot/, text);
  assert.equal((await hook.hear(TURN, { steers: true }, NEVER)).block, null);
});

test("CH-088 CH-084 a hook that never lets go is ended by its deadline, denies that call, and is heard again; too many times, and it denies every call", async (context) => {
  const clock = new ManualClock();
  const hook = thread(
    context,
    `export default (event) => {
      if (event.hook === "before_tool_call" && event.call.arguments.includes("hang")) for (;;);
      return null;
    };`,
  );
  const hooks = createHooks([hook], { clock, log: silentLog, notify: () => {}, asks: () => true, steers: () => true });
  const judged = async (text: string): Promise<readonly string[]> => {
    const heard = hooks.fire(call(text), NEVER);
    if (text === "hang") await clock.advance(1_000);
    return (await heard).votes.map(({ verdict, reason }) => `${verdict} ${reason}`);
  };
  assert.equal(await hook.start(NEVER), null);
  assert.deepEqual(await judged("fine"), []);
  for (let round = 0; round < 8; round += 1) assert.deepEqual(await judged("hang"), ["deny its check of this call failed"]);
  assert.deepEqual(await judged("fine"), ["deny its check of this call failed"], "its threads are used up");
});

test("CH-096 a turn that is stopped while a hook thinks ends at once, and the hook goes on with others", async (context) => {
  const hook = thread(context, `export default (event) => (event.hook === "before_turn" ? new Promise(() => {}) : { block: "no" });`);
  assert.equal(await hook.start(NEVER), null);
  const stop = new AbortController();
  const heard = hook.hear(TURN, { steers: true }, stop.signal);
  stop.abort(new Error("stopped"));
  await assert.rejects(heard, /cancelled/);
  assert.equal((await hook.hear(call("x"), { steers: true }, NEVER)).block, "no");
});
