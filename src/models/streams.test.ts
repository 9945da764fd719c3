import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { isRuntimeError } from "../foundation/errors.ts";
import type { ScriptedApi, Spoken } from "../testing/scripted-speech.ts";
import { SPEECH } from "../testing/scripted-speech.ts";
import type { AgentRequest, GenerationPiece } from "../vocabulary/calls/agent-model.ts";
import type { HostResult } from "./answer-builder.ts";
import { AnswerBuilder, MAX_CALLS } from "./answer-builder.ts";
import { WIRES } from "./host-model.ts";
import { LineCutter } from "./line-cutter.ts";
import { MAX_EVENT_CHARACTERS, readResponse } from "./response-reader.ts";

const never = new AbortController().signal;
const MAX_BYTES = 8_388_608;
const APIS: readonly ScriptedApi[] = ["openai", "ollama", "anthropic"];

/** A response whose bytes come in pieces that end at `cuts`, wherever in a character that is. */
function responseOf(text: string, cuts: readonly number[], type: string): Response {
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].toSorted((a, b) => a - b);
  const pieces = [0, ...ends].map((from, at) => bytes.subarray(from, ends[at] ?? bytes.length));
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = pieces.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
  });
  return new Response(body, { headers: { "content-type": type } });
}

async function readBy(api: ScriptedApi, response: Response, heard?: AgentRequest["heard"]): Promise<HostResult> {
  const answer = new AnswerBuilder(() => 0, heard);
  await readResponse(response, { maxBytes: MAX_BYTES, reader: WIRES[api].reader(answer) }, never);
  return answer.result(true);
}

const word = fc.string({ unit: "grapheme", maxLength: 60 }).map((text) => text.replaceAll(/[<\0]/g, "").toWellFormed());
const spoken: fc.Arbitrary<Spoken> = fc.record({
  model: fc.constant("m"),
  text: word.map((text) => `a${text}z`),
  reasoning: word,
  calls: fc.array(fc.record({ name: fc.constantFrom("look", "say"), arguments: fc.dictionary(word, fc.oneof(word, fc.nat())) }), {
    maxLength: 3,
  }),
  finish: fc.constantFrom("stop", "length"),
  usage: fc.record({
    prompt: fc.integer({ min: 1, max: 99_999 }),
    completion: fc.nat({ max: 9_999 }),
    cacheRead: fc.constant(0),
    cacheWrite: fc.constant(0),
  }),
  loadMs: fc.constant(0),
});
const cuts = fc.array(fc.nat({ max: 9_000 }), { maxLength: 40 });

test("MC-080 property: text, calls, finish and counts are the same on each interface, streamed or whole, however the network cuts", async () => {
  await fc.assert(
    fc.asyncProperty(spoken, cuts, fc.constantFrom(...APIS), async (said, byBytes, api) => {
      const speech = SPEECH[api];
      const streamed = await readBy(api, responseOf([...speech.pieces(said)].join(""), byBytes, speech.streamType));
      const whole = await readBy(api, responseOf(speech.whole(said), byBytes, "application/json"));
      for (const result of [streamed, whole]) {
        assert.ok(result.kind === "answer");
        assert.deepEqual([result.text, result.thought, result.finish], [said.text, said.reasoning !== "", said.finish]);
        assert.deepEqual([result.usage?.promptTokens, result.usage?.completionTokens], [said.usage?.prompt, said.usage?.completion]);
        assert.deepEqual(
          result.calls.map(({ name, arguments: text }) => [name, JSON.parse(text)]),
          said.calls.map(({ name, arguments: given }) => [name, JSON.parse(JSON.stringify(given))]),
        );
      }
    }),
    { numRuns: 300 },
  );
});

test("CH-088 property: the pieces that are told while an answer comes are, put together, its words and its thinking, on each interface", async () => {
  await fc.assert(
    fc.asyncProperty(spoken, cuts, fc.constantFrom(...APIS), async (said, byBytes, api) => {
      const told = { text: "", thinking: "" };
      const heard = (piece: GenerationPiece): void => void (piece.kind === "begin" || (told[piece.kind] += piece.text));
      await readBy(api, responseOf([...SPEECH[api].pieces(said)].join(""), byBytes, SPEECH[api].streamType), heard);
      assert.deepEqual([told.text, told.thinking.length > 0], [said.text, said.reasoning !== ""]);
    }),
    { numRuns: 100 },
  );
});

test("MC-090 property: whatever a server sends, reading ends in an answer or in one of our reasons", async () => {
  const line = fc.oneof(
    fc.json(),
    fc.string(),
    fc.constantFrom('{"message":1,"done":true}', '{"type":"message_delta","usage":[]}', '{"choices":[null]}', "[DONE]"),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), fc.constantFrom(...APIS), fc.boolean(), async (lines, api, whole) => {
      const text = whole ? lines.join("") : lines.map((one) => SPEECH[api].event(one)).join("");
      try {
        const result = await readBy(api, responseOf(text, [], whole ? "application/json" : SPEECH[api].streamType));
        assert.ok(["answer", "window", "unusable"].includes(result.kind));
      } catch (error) {
        assert.ok(isRuntimeError(error) && error.code.startsWith("model_") && error.cause === undefined, String(error));
      }
    }),
    { numRuns: 500 },
  );
});

test("MC-075 property: lines come out as they went in, however the pieces end", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string().map((text) => text.replaceAll(/[\r\n]/g, " "))),
      fc.constantFrom("\n", "\r\n"),
      cuts,
      (lines, newline, ends) => {
        const text = lines.join(newline);
        const cutter = new LineCutter(MAX_EVENT_CHARACTERS);
        const at = [...new Set(ends.map((end) => end % (text.length + 1)))].toSorted((a, b) => a - b);
        const pieces = [0, ...at].map((from, index) => text.slice(from, at[index] ?? text.length));
        const out = [...pieces.flatMap((piece) => [...cutter.cut(piece)]), cutter.rest()];
        assert.deepEqual(out, lines.length === 0 ? [""] : lines);
      },
    ),
  );
});

test("MC-075 a line of JSON is kept up to its bound and refused past it, without growing by the square of its length", async () => {
  const lineOf = (length: number): string => `{"message":{"content":"${"x".repeat(length)}"},"done":false}\n`;
  const pieces = Array.from({ length: 80 }, (_, at) => at * 65_536);
  const frame = lineOf(0).length - 1;
  const seen: number[] = [];
  const reader = { event: (data: string) => (seen.push(data.length), "more" as const), body: () => assert.fail("no body was sent") };
  const read = (length: number): Promise<"read" | "cut"> =>
    readResponse(responseOf(lineOf(length), pieces, "application/x-ndjson"), { maxBytes: MAX_BYTES, reader }, never);
  assert.equal(await read(MAX_EVENT_CHARACTERS - frame), "read");
  assert.deepEqual(seen, [MAX_EVENT_CHARACTERS]);
  await assert.rejects(read(MAX_EVENT_CHARACTERS - frame + 1), (error) => isRuntimeError(error, "model_too_large"));
});

test("MC-075 nothing after the line that ends an answer is read", async () => {
  const speech = SPEECH.ollama;
  const end = [...speech.pieces({ model: "m", text: "Yes.", reasoning: "", calls: [], finish: "stop", usage: null, loadMs: 0 })].join("");
  const result = await readBy("ollama", responseOf(`${end}no json at all\n`, [], speech.streamType));
  assert.ok(result.kind === "answer" && result.text === "Yes.");
});

test("MC-071 an answer that asks for more calls than one may is refused", async () => {
  for (const api of APIS) {
    const calls = Array.from({ length: MAX_CALLS + 1 }, () => ({ name: "look", arguments: {} }));
    const said = { model: "m", text: "", reasoning: "", calls, finish: "stop", usage: null, loadMs: 0 };
    const stream = [...SPEECH[api].pieces(said)].join("");
    await assert.rejects(readBy(api, responseOf(stream, [], SPEECH[api].streamType)), (error) => isRuntimeError(error, "model_too_large"));
  }
});
