import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutThinking } from "./thinking.ts";

test("TR-072 thinking is taken out of an answer wherever its block stands", () => {
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["plain words", "plain words", false],
    ["<think>hm</think>Hello", "Hello", true],
    ["<THINK>\nhm\n</Think>\n\nHello", "\n\nHello", true],
    ["<thinking>hm</thinking>Hello", "Hello", true],
    ["One <think>a</think>two <think>b</think>three", "One two three", true],
    ['<think>hm</think>{"spoken_text":"Hi"}', '{"spoken_text":"Hi"}', true],
    ['{"spoken_text":"<think>hm</think>Hi"}', '{"spoken_text":"Hi"}', true],
    // The template of the host opened the block, so only its end is sent.
    ["the user says hi, so</think>Hello", "Hello", true],
    // Thinking that speaks of the tag.
    ["<think>they wrote <think> to me</think>Hello", "Hello", true],
    ["<think>they wrote </think> to me</think>Hello", "Hello", true],
    // Cut off in the middle of thinking: none of it is said.
    ["<think>secret plan", "", true],
    ["Hello <think>secret plan", "Hello ", true],
    // A character may speak of the tag inside JSON; nothing of the answer is lost.
    ['{"spoken_text":"say <think> twice"}', '{"spoken_text":"say <think> twice"}', false],
    ['{"spoken_text":"say </think> twice"}', '{"spoken_text":"say </think> twice"}', false],
    ["a < b and <thin> and <thinks>", "a < b and <thin> and <thinks>", false],
    ["", "", false],
  ];
  for (const [given, text, thought] of cases) assert.deepEqual(withoutThinking(given), { text, thought }, given);
});

test("TR-072 property: no thinking is left, and everything else is", () => {
  const word = fc.stringMatching(/^[a-z {}"\n]{0,12}$/);
  fc.assert(
    fc.property(word, fc.array(fc.tuple(word, word), { maxLength: 6 }), (start, blocks) => {
      const given = start + blocks.map(([thought, said]) => `<think>ZQ${thought}</think>${said}`).join("");
      const said = start + blocks.map(([, words]) => words).join("");
      assert.equal(withoutThinking(given).text, said);
    }),
  );
});

test("TR-072 half a million tags are read in one pass", () => {
  const given = "<think>".repeat(500_000);
  assert.equal(withoutThinking(given).text, "");
  assert.equal(withoutThinking("</think>".repeat(500_000)).text, "");
});
