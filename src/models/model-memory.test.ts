import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../foundation/clock.ts";
import { isRuntimeError } from "../foundation/errors.ts";
import { hostAt, modelConfig } from "../testing/model-host.ts";
import { FLOOD_BYTES } from "../testing/scripted-model-faults.ts";
import { startScriptedModel } from "../testing/scripted-model.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import type { AgentRequest } from "../vocabulary/calls/agent-model.ts";
import { createHostModel } from "./host-model.ts";

const MEBIBYTE = 1_048_576;
const FLOODS = ["huge_json", "endless_line", "endless_comments", "endless_tokens"] as const;

// In a file, so in a process, of its own: nothing that ran before has made the memory large already.
test("MC-075 floods of 200 MiB are cut off near the bound, all of them in less than 64 MiB of memory", async (t) => {
  await using server = await startScriptedModel();
  const model = createHostModel({ id: "tiny", host: hostAt(server.url), model: modelConfig(), maxBytes: CEILINGS.bodyBytes }, systemClock);
  const question: AgentRequest = { system: "s", messages: [{ role: "user", text: "p" }], tools: [], maxOutputTokens: 10, format: "plain" };
  const ask = () => model.ask(question, new AbortController().signal);
  await ask();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 1);
  for (const fault of FLOODS) {
    const sentBefore = server.bytesSent;
    server.fault(fault);
    await assert.rejects(ask(), (error) => isRuntimeError(error, "model_too_large"));
    await server.idle(AbortSignal.timeout(5_000));
    const sent = server.bytesSent - sentBefore;
    // The bound, what the buffers of two sockets hold, and no more.
    assert.ok(sent < 32 * MEBIBYTE, `${fault}: ${sent} bytes were sent of ${FLOOD_BYTES}`);
    assert.ok(sent > MEBIBYTE, `${fault} was no flood: ${sent} bytes`);
    t.diagnostic(`${fault}: ${(sent / MEBIBYTE).toFixed(1)} MiB left the server`);
  }
  clearInterval(watch);
  peak = Math.max(peak, process.memoryUsage.rss());
  t.diagnostic(`memory grew by ${((peak - before) / MEBIBYTE).toFixed(1)} MiB over ${(before / MEBIBYTE).toFixed(0)}`);
  assert.ok(peak - before < 64 * MEBIBYTE, `memory grew by ${peak - before} bytes`);
});
