import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import { AnswerBuilder } from "./answer-builder.ts";
import type { HostResult } from "./answer-builder.ts";
import { openAiWire } from "./openai-wire.ts";
import { MAX_EVENT_CHARACTERS, MAX_WHOLE_BODY_BYTES, readResponse } from "./response-reader.ts";

const never = new AbortController().signal;
const MAX_BYTES = 8_388_608;

/** A response whose bytes come in pieces that end at `cuts`. */
function responseOf(text: string, cuts: readonly number[], type: string = "text/event-stream"): Response {
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const pieces = [0, ...ends].map((from, at) => bytes.subarray(from, ends[at] ?? bytes.length));
  return new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else if (piece.length > 0) controller.enqueue(piece);
        else controller.enqueue(new Uint8Array(0));
      },
    }),
    { headers: { "content-type": type } },
  );
}

function sse(deltas: readonly string[], newline: string): string {
  const event = (body: object): string => `: keep-alive${newline}event: message${newline}data: ${JSON.stringify(body)}${newline}${newline}`;
  const texts = deltas.map((content) => event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }));
  const finish = event({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
  const usage = event({ choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } });
  return `\uFEFF${texts.join("")}${finish}${usage}data: [DONE]${newline}${newline}`;
}

/** Cut a text at code units anywhere, also between the two halves of one character. */
function splitAt(text: string, cuts: readonly number[]): string[] {
  const ends = [...new Set(cuts.map((cut) => cut % (text.length + 1)))].toSorted((a, b) => a - b);
  return [0, ...ends].map((from, at) => text.slice(from, ends[at] ?? text.length));
}

async function answerOf(response: Response): Promise<HostResult> {
  const answer = new AnswerBuilder(() => 0);
  assert.equal(await readResponse(response, { maxBytes: MAX_BYTES, reader: openAiWire.reader(answer) }, never), "read");
  return answer.result(false);
}

const cuts = fc.array(fc.nat({ max: 5_000 }), { maxLength: 40 });
const visible = fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }).map((text) => `a${text.replaceAll(/[<\0]/g, "")}z`);
const newlines = fc.constantFrom("\n", "\r\n", "\r");

test("MC-080 property: a stream gives the same text however the network cuts it", async () => {
  await fc.assert(
    fc.asyncProperty(visible, cuts, cuts, newlines, async (text, byDelta, byBytes, newline) => {
      const answer = await answerOf(responseOf(sse(splitAt(text, byDelta), newline), byBytes));
      const usage = { promptTokens: 7, completionTokens: 3, cacheReadTokens: 0, cacheWriteTokens: 0 };
      const rest = { calls: [], firstTokenMs: 0, loadMs: null, finish: "stop", thought: false };
      assert.deepEqual(answer, { kind: "answer", text, usage, ...rest });
    }),
    { numRuns: 300 },
  );
});

test("TR-072 property: thinking is taken out however model and network cut it", async () => {
  await fc.assert(
    fc.asyncProperty(visible, visible, cuts, cuts, async (thought, text, byDelta, byBytes) => {
      const answer = await answerOf(responseOf(sse(splitAt(`<think>${thought}</think>\n${text}`, byDelta), "\n"), byBytes));
      assert.equal(answer.kind === "answer" ? answer.text : answer.kind, text);
    }),
    { numRuns: 300 },
  );
});

test("MC-075 property: a body over the bound ends at the bound, whatever its pieces", async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3_000 }), cuts, async (maxBytes, byBytes) => {
      const response = responseOf(`: ${"x".repeat(maxBytes)}`, byBytes);
      const reader = openAiWire.reader(new AnswerBuilder(() => 0));
      await assert.rejects(readResponse(response, { maxBytes, reader }, never), (error) => isRuntimeError(error, "model_too_large"));
    }),
  );
});

test("MC-075 a line is kept up to its bound and refused past it", async () => {
  const lineOf = (length: number): string => `data: ${"x".repeat(length)}\n\n`;
  const seen: number[] = [];
  const reader = { event: (data: string) => (seen.push(data.length), "more" as const), body: () => assert.fail("no body was sent") };
  // Pieces of 64 KiB, so that the line has to be put together.
  const pieces = Array.from({ length: 80 }, (_, at) => at * 65_536);
  assert.equal(await readResponse(responseOf(lineOf(MAX_EVENT_CHARACTERS - 100), pieces), { maxBytes: MAX_BYTES, reader }, never), "read");
  assert.deepEqual(seen, [MAX_EVENT_CHARACTERS - 100]);
  const over = readResponse(responseOf(lineOf(MAX_EVENT_CHARACTERS * 4), pieces), { maxBytes: MAX_BYTES, reader }, never);
  await assert.rejects(over, (error) => isRuntimeError(error, "model_too_large") && error.message.includes("line"));
});

test("MC-075 nothing after the reader's `done` is read", async () => {
  let events = 0;
  const reader = { event: () => ((events += 1), "done" as const), body: () => assert.fail("no body was sent") };
  assert.equal(await readResponse(responseOf("data: 1\n\ndata: 2\n\ndata: 3\n\n", []), { maxBytes: MAX_BYTES, reader }, never), "read");
  assert.equal(events, 1);
});

test("MC-075 a whole body is kept up to its own, smaller bound", async () => {
  let characters = 0;
  const reader = { event: () => assert.fail("no event was sent"), body: (text: string) => void (characters = text.length) };
  const bodyOf = (length: number): Response => responseOf("x".repeat(length), [100_000], "application/json; charset=utf-8");
  assert.equal(await readResponse(bodyOf(MAX_WHOLE_BODY_BYTES), { maxBytes: MAX_BYTES, reader }, never), "read");
  assert.equal(characters, MAX_WHOLE_BODY_BYTES);
  const over = readResponse(bodyOf(MAX_WHOLE_BODY_BYTES + 1), { maxBytes: MAX_BYTES, reader }, never);
  await assert.rejects(over, (error) => isRuntimeError(error, "model_too_large"));
});
