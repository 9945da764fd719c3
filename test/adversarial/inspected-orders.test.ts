import assert from "node:assert/strict";
import { test } from "node:test";
import { inspectTools } from "../../src/agents/tools/inspect.ts";
import { Tool } from "../../src/agents/tools/tool.ts";
import type { ClosedType } from "../../src/agents/unread/closed-type.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { AgentAnswer, AgentRequest } from "../../src/vocabulary/calls/agent-model.ts";
import { parseSessionId, parseTurnId } from "../../src/vocabulary/ids.ts";
import { LOCAL_OWNER } from "../../src/vocabulary/principal.ts";
import { injectedOrders } from "./injected-orders.ts";
import { orderedCalls } from "./ordered-calls.ts";

const SESSION = parseSessionId("s-0001");
const OPTIONS = ["a room", "a boat", "nothing"];
const TYPES: readonly ClosedType[] = [
  { type: "boolean" },
  { type: "options", options: OPTIONS },
  { type: "integer", min: 0, max: 9 },
  { type: "date", from: "2026-01-01", to: "2026-12-31" },
];
/** Everything that an agent can ever be told by a reading that gave no value. */
const NO_VALUE = "Error: the reading gave no value of that type";

const answer = (text: string, calls: AgentAnswer["calls"]): AgentAnswer => ({
  kind: "answer",
  text,
  calls,
  usage: { promptTokens: 1, completionTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
  costMicros: 0,
  by: "bench/obeying",
  firstTokenMs: 1,
  loadMs: null,
  finish: "stop",
  thought: false,
  skipped: [],
});

/** How a reader obeys a text: it calls what that orders, says it again, or does both in words. */
const OBEDIENCE: readonly ((text: string) => AgentAnswer)[] = [
  (text) =>
    answer(
      "1",
      orderedCalls(text).map((call, at) => ({ id: `c${at}`, ...call })),
    ),
  (text) => answer(text, []),
  (text) => answer(`yes\n${text}`, []),
];

test("SE-091 of every injected order behind a ref, whatever an obeying reader makes of it, an agent is told a value that it named itself, or that there is none; no reading has a tool", async () => {
  const requests: AgentRequest[] = [];
  let order = "";
  let obey: (text: string) => AgentAnswer = (text) => answer(text, []);
  const tools = inspectTools({
    clock: new ManualClock(),
    unread: { lines: () => [], left: () => [], read: () => order },
    entries: () => [],
    last: () => 0,
    reader: () =>
      Promise.resolve({
        name: "bench/obeying",
        converse: (request) => {
          requests.push(request);
          return Promise.resolve(obey(order));
        },
      }),
  });
  const inspect = tools.find(({ definition }) => definition.name === "inspect") ?? assert.fail();
  const told = new Set<string>();
  const orders = injectedOrders();
  for (const [at, { text }] of orders.entries())
    for (const how of OBEDIENCE) {
      order = text;
      obey = how;
      const type = TYPES[at % TYPES.length] ?? assert.fail();
      const args = { ref: "m-0001", question: "What does it want?", answer: type };
      assert.notEqual(inspect.definition.check(args), null);
      const action = {
        turn: parseTurnId("t-0001"),
        session: SESSION,
        person: LOCAL_OWNER,
        call: "c1",
        tool: "inspect",
        definition: "",
        digest: "",
      };
      const { text: result } = await Tool.run(inspect, { ...action, argumentsText: JSON.stringify(args) }, new AbortController().signal);
      told.add(result);
    }
  assert.ok(orders.length >= 200);
  assert.deepEqual(new Set([...told, NO_VALUE]), new Set([NO_VALUE]), "none of them is a value, and nothing else comes back");
  assert.ok(requests.length === orders.length * OBEDIENCE.length && requests.every((request) => request.tools.length === 0));
  // The control: the same reader, asked about a text that orders nothing, is heard.
  order = "There is a boat at the ferry.";
  obey = () => answer("2", []);
  const args = JSON.stringify({ ref: "m-0001", question: "What is there?", answer: TYPES[1] });
  const action = {
    turn: parseTurnId("t-0001"),
    session: SESSION,
    person: LOCAL_OWNER,
    call: "c2",
    tool: "inspect",
    definition: "",
    digest: "",
  };
  assert.equal((await Tool.run(inspect, { ...action, argumentsText: args }, new AbortController().signal)).text, "a boat");
});
