import assert from "node:assert/strict";
import { test } from "node:test";
import { createKeptText } from "./kept-text.ts";
import { scopedText } from "./scoped-text.ts";

test("what is written in one room stands in no other, and the first room needs no name", () => {
  const tab = createKeptText(() => assert.fail("no storage"));
  const [first, garden] = [scopedText(tab, null), scopedText(tab, "garden")];
  first.set("draft", "in the first");
  garden.set("draft", "in the garden");
  assert.deepEqual([tab.get("draft"), first.get("draft"), garden.get("draft")], ["in the first", "in the first", "in the garden"]);
  garden.remove("draft");
  assert.deepEqual([first.get("draft"), garden.get("draft")], ["in the first", null]);
});
