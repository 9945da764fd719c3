import assert from "node:assert/strict";
import { test } from "node:test";
import { parseTypedAnswer } from "./typed-answer.ts";

test("SE-084 an answer with its number is read off a whole line, and nothing else is one", () => {
  assert.deepEqual(parseTypedAnswer("allow 7"), { number: 7, answer: "allow", scope: "once" });
  assert.deepEqual(parseTypedAnswer("  Allow #12 session. "), { number: 12, answer: "allow", scope: "session" });
  assert.deepEqual(parseTypedAnswer("deny 3!"), { number: 3, answer: "deny", scope: "once" });
  assert.deepEqual(parseTypedAnswer("Deny #3 ; not that one; the\n other "), {
    number: 3,
    answer: "deny",
    scope: "once",
    reason: "not that one; the other",
  });
  assert.deepEqual(parseTypedAnswer("deny 3;  "), { number: 3, answer: "deny", scope: "once" }, "without words it is a bare one");
  assert.equal(parseTypedAnswer(`deny 3; ${"x".repeat(9_000)}`)?.reason?.length, 500);
  assert.deepEqual(parseTypedAnswer("allow 7 k7qm-2xhp"), { number: 7, answer: "allow", scope: "once", code: "K7QM2XHP" });
  const none = [
    "allow 7 K7QM2XH",
    "allow 7 K7QM2XH0",
    "deny 7 K7QM2XHP",
    "allow 7 K7QM2XHP; but only once",
    "allow",
    "7",
    "allow seven",
    "allow 7 forever",
    "deny 7 session",
    "allow 7; but only the first",
    "please deny 7; why not",
    "allow 7 8",
    "please allow 7",
    "allow 7\nallow 8",
    "allow -7",
    "allow 0",
    "allow 1234567890",
    "> allow 7",
    `allow 7${" ".repeat(80)}`,
  ];
  for (const text of none) assert.equal(parseTypedAnswer(text), null, text);
});
