import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { z } from "zod";
import { rawRequest } from "../../src/testing/raw-request.ts";
import { Workshop } from "./troupe-process.ts";

const added = z.object({ kind: z.literal("added"), file: z.string() });
const greeting = JSON.stringify({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {} },
});
const status = JSON.stringify({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "get_status", arguments: {} } });
const ready = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });

test("SE-082 SE-086 a program with a token is answered over its standard streams and over HTTP, by the process itself; the token is nowhere but in its own file", async () => {
  await using shop = new Workshop();
  const stopped = await shop.run(["mcp"], { environment: { TROUPE_MCP_TOKEN: "x".repeat(43) }, input: greeting });
  assert.deepEqual([stopped.code, stopped.out], [1, ""]);
  assert.match(stopped.error, /^troupe: Cannot reach a running process[^\n]*\n$/);
  const running = await shop.start();
  const { file } = added.parse(JSON.parse((await shop.run(["mcp", "add", "helper", "--json"])).out));
  const token = readFileSync(file, "utf8").trim();
  assert.equal(statSync(file).mode & 0o777, 0o600);

  const spoken = await shop.run(["mcp", "--token-file", file], { input: `${greeting}\n${ready}\n\nnot json\n${status}\n` });
  assert.deepEqual([spoken.code, spoken.error], [0, ""]);
  const answers = spoken.out.trim().split("\n");
  assert.equal(answers.length, 3, spoken.out);
  assert.match(answers[0] ?? "", /"protocolVersion":"2025-06-18"/);
  assert.match(answers[1] ?? "", /"code":-32700/);
  assert.match(answers[2] ?? "", /"characters":\["mirelle"\]/);
  assert.ok(!answers[2]?.includes(shop.folder), "nothing of this computer is told");

  const ask = (headers: Record<string, string>, body: string | undefined = status, method = "POST"): ReturnType<typeof rawRequest> =>
    rawRequest(running.console, {
      method,
      path: "/api/mcp",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
  const asked = await ask({ "mcp-protocol-version": "2025-06-18" });
  const timeless = (text: string): string => text.replace(/upMs\\?":\d+/g, "");
  assert.deepEqual([asked.status, timeless(asked.text)], [200, timeless(answers[2] ?? "")]);
  assert.equal((await ask({}, ready)).status, 202);
  assert.equal((await ask({ host: "evil.example" })).status, 403);
  assert.equal((await ask({ origin: "http://evil.example" })).status, 403);
  assert.equal((await ask({ origin: `http://127.0.0.1:${running.room}` })).status, 403);
  assert.equal((await ask({ "content-type": "text/plain" })).status, 415);
  assert.equal((await ask({ authorization: `Bearer ${"A".repeat(43)}` })).status, 401);
  assert.equal((await ask({ "mcp-protocol-version": "1999-01-01" })).status, 400);
  assert.ok([400, 413].includes((await ask({}, JSON.stringify({ pad: "x".repeat(70_000) }))).status));
  const own = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  assert.equal((await rawRequest(running.console, { path: "/api/mcp", headers: own })).status, 405);
  const owners = { method: "POST", path: "/api/operations/approvals", headers: own, body: '{"args":{}}' };
  assert.equal((await rawRequest(running.console, owners)).status, 401, "a client's token opens nothing of the owner's");

  assert.match((await shop.run(["mcp", "list"])).out, /helper\s+no\s+no/);
  assert.equal((await shop.run(["mcp", "remove", "helper"])).code, 0);
  const gone = await shop.run(["mcp"], { environment: { TROUPE_MCP_TOKEN: token }, input: `${status}\n` });
  assert.deepEqual([gone.code, gone.out], [1, ""]);
  assert.equal((await ask({})).status, 401);
  await running.stop();
  for (const name of readdirSync(shop.folder, { recursive: true, encoding: "utf8" })) {
    const path = join(shop.folder, name);
    if (path !== file && statSync(path).isFile()) assert.ok(!readFileSync(path).includes(token.slice(0, 16)), name);
  }
  assert.ok(!`${running.errors}${running.later.join("")}${spoken.error}${gone.error}`.includes(token.slice(0, 16)));
});
