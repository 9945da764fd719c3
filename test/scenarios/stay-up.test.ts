import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { LOCAL_ACTOR } from "../../src/operations/local-actor.ts";
import type { Runtime } from "../../src/operations/runtime-face.ts";
import { rawRequest } from "../../src/testing/raw-request.ts";
import { leanSpeech, startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { TerminalOutput } from "../../src/vocabulary/terminal-session.ts";
import { createRuntimeDoor } from "../../src/wiring/door.ts";

const NEVER = new AbortController().signal;
const KEY = "sk-test-0123456789-abcdefghij";
const TRACE_KEY = "tk-test-0123456789-abcdefghij";
const CANARY = "the ledger lies under the third stair";
const REPLY = "I have heard of no ledger.";

interface House extends AsyncDisposable {
  readonly folder: string;
  readonly runtime: Runtime;
  /** Bodies that the collector took. */
  readonly spans: string[];
  readonly standardError: string[];
}

/** A whole runtime through its own door, with a log file, and a collector on a real socket. */
async function openHouse(model: string): Promise<House> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-stay-up-"));
  const spans: string[] = [];
  const collector = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      assert.equal(request.headers.authorization, `Bearer ${TRACE_KEY}`);
      spans.push(body);
      response.writeHead(200).end("{}");
    });
  });
  collector.listen(0, "127.0.0.1");
  await once(collector, "listening");
  const { port } = collector.address() as AddressInfo;
  writeFileSync(
    join(folder, "troupe.yaml"),
    `characters: { mirelle: { name: Mirelle, description: "Keeps the inn." } }
surfaces: { inn: { kind: room, port: 0, character: mirelle } }
console: { port: 0 }
models:
  hosts: { local: { api: openai, url: "${model}", key_env: MODEL_KEY, models: { tiny: {} } } }
log: { level: debug, file: troupe.log, max_kib: 16, keep: 1 }
traces: { otlp_url: "http://127.0.0.1:${port}/v1/traces", key_env: TRACE_KEY }
`,
  );
  const standardError: string[] = [];
  const door = createRuntimeDoor({
    version: "0.1.0",
    cwd: folder,
    environment: { MODEL_KEY: KEY, TRACE_KEY },
    temporaryDirectory: tmpdir(),
    writeLog: (line) => standardError.push(line),
  });
  const runtime = await door.open({ config: null, state: null }, NEVER);
  return {
    folder,
    runtime,
    spans,
    standardError,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      collector.closeAllConnections();
      collector.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Say something at the terminal and wait for the answer. */
async function talk(runtime: Runtime, text: string): Promise<string> {
  const { promise: answered, resolve } = Promise.withResolvers<string>();
  await runtime.terminal.attach(
    {
      character: null,
      lines: (async function* () {
        yield text;
        await answered;
      })(),
      show(output: TerminalOutput) {
        if (output.kind === "said" && output.last) resolve(output.lines.join("\n"));
        if (output.kind === "notice") resolve(output.text);
        return Promise.resolve(true);
      },
    },
    NEVER,
  );
  return await answered;
}

test("TR-095 while it runs: health is one word, the log is a private file, spans hold ids and numbers and nobody's words", async () => {
  await using model = await startScriptedModel({ script: () => leanSpeech(REPLY) });
  let spans: readonly string[] = [];
  {
    await using house = await openHouse(model.url);
    assert.match(await talk(house.runtime, CANARY), /no ledger/);
    model.fault("status_401");
    await talk(house.runtime, `${CANARY} again`);
    const { port } = new URL(house.runtime.addresses.console);
    const health = await rawRequest(Number(port), { path: "/healthz" });
    assert.deepEqual([health.status, health.text], [200, '{"ok":true}']);

    const status = (await house.runtime.operations.run("status", {}, LOCAL_ACTOR, NEVER)) as { log: object; traces: object };
    assert.deepEqual(status.log, { dropped: 0, rotations: 0 });
    // On a slow machine some have been sent by now.
    assert.partialDeepStrictEqual(status.traces, { dropped: 0 });
    const log = join(house.folder, ".troupe", "troupe.log");
    assert.equal(statSync(log).mode & 0o777, 0o600);
    assert.ok(
      readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .every((line) => typeof JSON.parse(line) === "object"),
    );
    assert.ok(!readFileSync(log, "utf8").includes("ledger"));
    assert.deepEqual(house.standardError, [], "what is in the file is nowhere else");
    spans = house.spans;
  }
  // What waited went out with the orderly end.
  const all = spans.join("\n");
  assert.ok(all.includes('"gen_ai.operation.name"') && all.includes("invoke_agent mirelle") && all.includes('"chat tiny"'));
  assert.ok(all.includes("model_rejected"), "a failed call shows by its code");
  for (const secret of ["ledger", "stair", "local:owner", KEY, TRACE_KEY, model.url, "Mirelle", "backend-canary"])
    assert.ok(!all.includes(secret), secret);
});

test("TR-085 a log file that cannot be opened is a start that fails with one clear line, and nothing stays open", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-stay-up-"));
  try {
    writeFileSync(join(folder, "troupe.yaml"), "characters: { a: {} }\nconsole: { port: 0 }\nlog: { file: /dev/null/troupe.log }\n");
    const door = createRuntimeDoor({ version: "0.1.0", cwd: folder, environment: {}, temporaryDirectory: tmpdir(), writeLog: () => {} });
    await assert.rejects(
      door.open({ config: null, state: null }, NEVER),
      /^RuntimeError: Cannot open the log file \/dev\/null\/troupe\.log: .*correct log\.file$/,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
