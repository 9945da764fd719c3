import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { findStale, findUnkept, findUnpromised, idsOf, parsePromises, readTitles, renderContract, titlesIn } from "../../tools/contract.ts";

const promises = parsePromises(readFileSync("docs/contract-ids.yaml", "utf8"));

test("every id that a test names is promised, and docs/contract.md is fresh", () => {
  const titles = readTitles();
  assert.ok(titles.length > 50 && promises.tested.size > 40);
  assert.deepEqual(findStale(promises, titles), []);
});

test("the ids of a title are those at its start", () => {
  assert.deepEqual(idsOf("MC-074 refuses a redirect"), ["MC-074"]);
  assert.deepEqual(idsOf("MC-074 TR-072, SE-093: refuses"), ["MC-074", "TR-072", "SE-093"]);
  assert.deepEqual(idsOf("refuses what MC-074 forbids"), []);
  assert.deepEqual(idsOf("MC-74 no id"), []);
});

test("titles are found in every form of a test's call", () => {
  const text =
    'test("MC-001 a", () => {}); t.test("MC-002 b", f); describe("MC-003 c", () => { it(`MC-004 ${x} d`, f); }); other("MC-005 e");';
  assert.deepEqual(
    titlesIn("x.test.ts", text).map(({ title }) => title),
    ["MC-001 a", "MC-002 b", "MC-003 c", "MC-004 … d"],
  );
});

test("a promise without a passing test, a title that did not run and an unlisted id are each reported", () => {
  const made = parsePromises("tested:\n  MC-001: a\n  MC-002: b\ndocumentary:\n  MC-009: because\n");
  const titles = [
    { file: "x.test.ts", title: "MC-001 a" },
    { file: "x.test.ts", title: "MC-001 for … people" },
    { file: "x.test.ts", title: "MC-003 c" },
  ];
  assert.deepEqual(findUnkept(made, titles.slice(0, 2), ["suite > MC-001 a", "MC-001 for two people", "MC-002 b"]), []);
  assert.match(findUnkept(made, [], ["MC-001 a"]).join(), /MC-002 is promised/);
  assert.match(findUnkept(made, titles.slice(0, 2), ["MC-001 a", "MC-002 b"]).join(), /for … people" did not run/);
  assert.match(findUnpromised(made, titles).join(), /tests MC-003/);
  assert.match(renderContract(made, titles), /\| MC-002 \| b \| none yet \|/);
});

test("what is no id or has no words is refused", () => {
  assert.throws(() => parsePromises("tested:\n  MC-1: a\n"), /no id/);
  assert.throws(() => parsePromises("tested:\n  MC-001: ''\n"), /no text/);
});
