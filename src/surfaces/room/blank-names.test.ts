import assert from "node:assert/strict";
import { test } from "node:test";
import { foldName, parseMemberName } from "./names.ts";
test("SE-087 letters that show nothing make no other name", () => {
  for (const blank of ["\u3164", "\u115f", "\u1160", "\uffa0", "\u2800", "\u{1d159}"]) {
    assert.equal(foldName(`Mirelle${blank}`), foldName("Mirelle"), blank.codePointAt(0)?.toString(16));
    assert.equal(parseMemberName(blank), null);
  }
});
