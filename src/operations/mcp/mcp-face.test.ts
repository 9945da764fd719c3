import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { z } from "zod";
import { silentLog } from "../../foundation/log.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { AuditEntry } from "../../vocabulary/audit.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { MAX_MCP_CLIENTS, McpClients } from "./mcp-clients.ts";
import type { McpCall } from "./mcp-face.ts";
import { McpFace } from "./mcp-face.ts";
import { mcpTool } from "./mcp-tool.ts";

const { signal } = new AbortController();

interface Bench {
  readonly clients: McpClients;
  readonly face: McpFace;
  readonly calls: McpCall[];
  readonly ran: unknown[];
  readonly settings: Map<string, string>;
  readonly audits: AuditEntry[];
  readonly clock: ManualClock;
  ask(token: string, message: unknown): Promise<unknown>;
}

function openBench(): Bench {
  const clock = new ManualClock();
  const settings = new Map<string, string>();
  const [calls, ran, audits]: [McpCall[], unknown[], AuditEntry[]] = [[], [], []];
  const clients = new McpClients({
    clock,
    setting: (key) => settings.get(key) ?? null,
    setSetting: (key, value, act) => {
      settings.set(key, value);
      audits.push(act);
      return Promise.resolve();
    },
  });
  const tool = (name: string, open: boolean): ReturnType<typeof mcpTool> =>
    mcpTool({
      name,
      description: "For tests.",
      arguments: z.strictObject({ text: z.string().max(20) }),
      open: ({ triggers }) => open || triggers,
      run: (args) => {
        ran.push(args);
        return Promise.resolve({ echoed: args.text });
      },
    });
  const face = new McpFace({
    clock,
    log: silentLog,
    version: "1",
    clients,
    tools: [tool("plain", true), tool("listed", false)],
    judge: (call) => {
      calls.push(call);
      return Promise.resolve("allow");
    },
  });
  return {
    clients,
    face,
    calls,
    ran,
    settings,
    audits,
    clock,
    async ask(token, message) {
      const reply = await face.answer(token, typeof message === "string" ? message : JSON.stringify(message), signal);
      const answer: unknown = reply.kind === "answer" ? JSON.parse(reply.text) : reply.kind;
      return answer;
    },
  };
}

const request = (method: string, params?: unknown): object => ({
  jsonrpc: "2.0",
  id: 1,
  method,
  ...(params === undefined ? {} : { params }),
});
const callOf = (name: string, args: unknown): object => request("tools/call", { name, arguments: args });

test("SE-082 a token is kept as its hash, is one client's, counts from add to remove, and its list can be read back only whole", async () => {
  const { clients, settings, audits } = openBench();
  const [ann, ben] = await Promise.all(
    ["ann", "ben"].map((name) => clients.add({ name, triggers: name === "ben", direct: false }, LOCAL_OWNER)),
  );
  assert.ok(ann !== undefined && ben !== undefined);
  const kept = [...settings.values()].join("\n");
  for (const { token } of [ann, ben])
    for (let at = 0; at + 12 <= token.length; at += 1) assert.ok(!kept.includes(token.slice(at, at + 12)));
  assert.deepEqual([clients.knows(ann.token)?.name, clients.knows(ben.token)?.name], ["ann", "ben"]);
  for (const wrong of ["", "ann", ann.token.slice(1), `${ann.token}A`, kept.slice(40, 104)]) assert.equal(clients.knows(wrong), null);
  await assert.rejects(clients.add({ name: "ann", triggers: true, direct: true }, LOCAL_OWNER), { code: "usage" });
  for (const name of ["", "Ann", "a b", "owner\u202e", "x".repeat(32)])
    await assert.rejects(clients.add({ name, triggers: false, direct: false }, LOCAL_OWNER), { code: "usage" });
  await clients.remove("ann", LOCAL_OWNER);
  assert.deepEqual([clients.knows(ann.token), clients.list().map(({ name }) => name)], [null, ["ben"]]);
  await assert.rejects(clients.remove("ann", LOCAL_OWNER), { code: "not_found" });
  assert.deepEqual(
    audits.map(({ act, about }) => `${act} ${about}`),
    ["mcp_add ann", "mcp_add ben", "mcp_remove ann"],
  );
  for (let at = 1; at < MAX_MCP_CLIENTS; at += 1) await clients.add({ name: `c${at}`, triggers: false, direct: false }, LOCAL_OWNER);
  await assert.rejects(clients.add({ name: "more", triggers: false, direct: false }, LOCAL_OWNER), { code: "capacity" });
  assert.ok(Buffer.byteLength([...settings.values()].join("")) <= 4_096);
  settings.set("mcp_clients", kept.slice(0, -1));
  assert.deepEqual([clients.list(), clients.knows(ben.token)], [[], null]);
});

test("SE-082 a tool that was not listed for a client is told of like one that does not exist, and every call is noted under words of ours", async () => {
  const { clients, calls, ran, ask } = openBench();
  const { token } = await clients.add({ name: "ann", triggers: false, direct: false }, LOCAL_OWNER);
  assert.match(JSON.stringify(await ask(token, request("tools/list"))), /"plain"(?!.*"listed")/);
  const [listed, missing] = [await ask(token, callOf("listed", { text: "x" })), await ask(token, callOf("evil\u202e", { text: "x" }))];
  assert.deepEqual(listed, missing);
  assert.deepEqual(await ask(token, callOf("plain", { text: "x", more: 1 })), missing);
  assert.match(JSON.stringify(await ask(token, callOf("plain", { text: "hi" }))), /"structuredContent":{"echoed":"hi"}/);
  assert.deepEqual(
    calls.map(({ tool, known, client }) => `${client.name} ${tool} ${known}`),
    ["ann unknown false", "ann unknown false", "ann unknown false", "ann plain true"],
  );
  assert.equal(ran.length, 1);
  assert.equal(await ask("nobody", request("ping")), "stranger");
});

test("SE-082 a client that asks too fast is told so and does nothing meanwhile; others are not kept waiting by it", async () => {
  const { clients, ran, clock, ask } = openBench();
  const [ann, ben] = [
    await clients.add({ name: "ann", triggers: false, direct: false }, LOCAL_OWNER),
    await clients.add({ name: "ben", triggers: false, direct: false }, LOCAL_OWNER),
  ];
  const asked = await Promise.all(Array.from({ length: 40 }, () => ask(ann.token, callOf("plain", { text: "x" }))));
  assert.equal(asked.filter((answer) => JSON.stringify(answer).includes("-32000")).length, 10);
  assert.equal(ran.length, 30);
  assert.match(JSON.stringify(await ask(ben.token, request("ping"))), /"result":{}/);
  await clock.advance(250);
  assert.match(JSON.stringify(await ask(ann.token, request("ping"))), /"result":{}/);
});

test("SE-082 whatever is sent, the answer is one of ours: deep, long, a batch, wrong versions, keys of prototypes, and nothing runs for it", async () => {
  const { clients, ran, calls, clock, ask } = openBench();
  const { token } = await clients.add({ name: "ann", triggers: true, direct: true }, LOCAL_OWNER);
  const errorOf = async (message: unknown): Promise<number | null> => {
    await clock.advance(250);
    return z.looseObject({ error: z.object({ code: z.number() }) }).safeParse(await ask(token, message)).data?.error.code ?? null;
  };
  assert.equal(await errorOf(`${"[".repeat(30_000)}${"]".repeat(30_000)}`), -32_600);
  assert.equal(await errorOf(`{"jsonrpc":"2.0","id":1,"method":"${"x".repeat(70_000)}"}`), -32_600);
  assert.equal(await errorOf([request("ping"), request("ping")]), -32_600);
  assert.equal(await errorOf({ ...request("ping"), jsonrpc: "1.0" }), -32_600);
  assert.equal(await errorOf({ ...request("ping"), id: null }), -32_600);
  assert.equal(await errorOf('{"jsonrpc":"2.0","id":1,"method":"ping","__proto__":{"admin":true}}'), -32_600);
  assert.equal(
    await errorOf('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"plain","arguments":{"text":"x","__proto__":{}}}}'),
    -32_602,
  );
  for (const name of ["__proto__", "constructor", "toString"]) assert.equal(await errorOf(callOf(name, {})), -32_602);
  for (const method of ["elicitation/create", "sampling/createMessage", "roots/list", "resources/list", "prompts/list", "approve"])
    assert.equal(await errorOf(request(method)), -32_601);
  assert.equal(await errorOf("{"), -32_700);
  assert.equal(await ask(token, { jsonrpc: "2.0", method: "notifications/initialized" }), "nothing");
  assert.equal(await ask(token, { jsonrpc: "2.0", id: 9, result: { action: "accept", approved: true } }), "nothing");
  const seen = calls.length;
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.json({ maxDepth: 6 }),
        fc.string(),
        fc.jsonValue().map((value) => JSON.stringify(callOf("plain", value))),
      ),
      async (text) => {
        await clock.advance(250);
        const answer = await ask(token, text);
        assert.ok(answer === "nothing" || z.looseObject({ jsonrpc: z.literal("2.0") }).safeParse(answer).success);
        assert.ok(!JSON.stringify(answer).includes("echoed") || /"text":/.test(text));
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(calls.length > seen);
  assert.deepEqual(ran, []);
  assert.equal(Reflect.get({}, "admin"), undefined);
});

test("SE-082 a greeting is answered in the client's version where that is spoken, else in the newest, and offers tools alone", async () => {
  const { clients, ask } = openBench();
  const { token } = await clients.add({ name: "ann", triggers: false, direct: false }, LOCAL_OWNER);
  const greet = (protocolVersion: unknown): Promise<unknown> => ask(token, request("initialize", { protocolVersion, capabilities: {} }));
  for (const [asked, told] of [
    ["2025-06-18", "2025-06-18"],
    ["1999-01-01", "2025-11-25"],
    [7, "2025-11-25"],
  ] as const) {
    const answer = z
      .looseObject({ result: z.looseObject({ protocolVersion: z.string(), capabilities: z.unknown() }) })
      .parse(await greet(asked));
    assert.equal(answer.result.protocolVersion, told);
    assert.deepEqual(answer.result.capabilities, { tools: { listChanged: false } });
    assert.ok(!("instructions" in answer.result));
  }
});
