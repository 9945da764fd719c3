import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { withoutOthersLines } from "./own-lines.ts";

const speakers = { own: ["Alice", "al"], others: ["p1", "Bob", "p2", "Zoë Q."] };

const TABLE: readonly (readonly [what: string, text: string, speech: string, dropped: number])[] = [
  ["another's line before the own one", "Bob: hi\nAlice: hello", "hello", 1],
  ["another's line behind", "hello\nBob: hi\nand more of Bob", "hello", 2],
  ["the own name in front", "Alice: hello", "hello", 0],
  ["an alias in front", "AL: hello", "hello", 0],
  ["labels for names", "hello\np1: hi", "hello", 1],
  ["marks around the name", "hello\n**Bob:** hi\n**Alice**: bye", "hello\nbye", 1],
  ["a full-width colon", "hello\nBob：hi", "hello", 1],
  ["a name with a dot", "hello\nzoë q.: hi", "hello", 1],
  ["a name that is nobody's here", "Note: the door is open\nhttps://x: y", "Note: the door is open\nhttps://x: y", 0],
  ["a name within a line", "I told Bob: no", "I told Bob: no", 0],
  ["nothing of its own", "Bob: hi", "", 1],
  ["no name at all", "hello\n\nyou", "hello\n\nyou", 0],
];

for (const [what, text, speech, dropped] of TABLE) {
  test(`A49 C15 keeps what the speaker says for itself: ${what}`, () => {
    assert.deepEqual(withoutOthersLines(text, speakers), { speech, dropped });
  });
}

test("A49 a person with the character's name silences nothing of the character", () => {
  assert.deepEqual(withoutOthersLines("Alice: hello", { own: ["Alice"], others: ["p1", "alice", ""] }), { speech: "hello", dropped: 0 });
  assert.deepEqual(withoutOthersLines("hello\n: x", { own: [""], others: [""] }), { speech: "hello\n: x", dropped: 0 });
});

test("A49 no line that begins with another's name is ever kept", () => {
  const line = fc.tuple(fc.constantFrom("Bob: ", "p1: ", "Alice: ", "", "Bob", "* Bob : "), fc.constantFrom("hi", "Bob: x", "a:b", ""));
  let dropped = 0;
  fc.assert(
    fc.property(
      fc.array(
        line.map((parts) => parts.join("")),
        { maxLength: 8 },
      ),
      (lines) => {
        const result = withoutOthersLines(lines.join("\n"), speakers);
        assert.ok(
          !/^(?:\* )?(?:Bob|p1)\s*:/m.test(result.speech.replaceAll("Alice: ", "")) || lines.some((one) => one.startsWith("Alice: Bob:")),
        );
        dropped += result.dropped;
      },
    ),
  );
  assert.ok(dropped > 20);
});
