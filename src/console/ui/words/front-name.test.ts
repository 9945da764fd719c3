import assert from "node:assert/strict";
import { test } from "node:test";
import { frontName } from "./front-name.ts";

const CHARACTERS = ["Mirelle", "Tobias", "Ann", "Ann Lee", "Zoë"].map((name) => ({ id: name.toLowerCase(), name, understudy: false }));

test("TR-020 a name at the front of a line chooses who should answer, and one further on nobody", () => {
  for (const [text, expected] of [
    ["Tobias, are you there?", "tobias"],
    ["  @tobias: hello", "tobias"],
    ["MIRELLE!", "mirelle"],
    ["Mirelle", "mirelle"],
    ["Ann Lee, good evening", "ann lee"],
    ["Ann, good evening", "ann"],
    ["zoe\u0308 …", "zoë"],
    ["What did Tobias tell you?", null],
    ["Tobiasson, hello", null],
    ["Anna, hello", null],
    ["", null],
    ["@", null],
  ] as const)
    assert.equal(frontName(text, CHARACTERS), expected, text);
});
