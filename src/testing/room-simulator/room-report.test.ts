import assert from "node:assert/strict";
import { test } from "node:test";
import type { MessageFate } from "./room-report.ts";
import { countWords, orderViolations, partsTwice, percentile, reportPeople } from "./room-report.ts";
import type { TakenPart } from "./simulated-platform.ts";

function part(turn: string, index: number, place: string = "public:harbour"): TakenPart {
  return { part: `${turn}.${index}`, turn, index, count: 3, character: "mirelle", place, body: "x", action: "", atMs: 0 };
}

function fate(delivery: string, person: string, turn: string | null, answeredAfterMs: number | null = 100): MessageFate {
  const place = { platform: "harbour", direct: false, remembered: null };
  return { delivery, person, group: "g", saidAtMs: 0, fate: "answered", reason: "", turn, answeredAfterMs, ...place };
}

test("parts that come twice are named, once for each repeat", () => {
  assert.deepEqual(partsTwice([part("a", 0), part("a", 1), part("a", 0), part("a", 0)]), ["a.0", "a.0"]);
  assert.deepEqual(partsTwice([part("a", 0), part("a", 1)]), []);
});

test("TR-008 a turn between another's parts, and parts that go backwards, are violations; other places do not count", () => {
  assert.deepEqual(orderViolations([part("a", 0), part("b", 0, "direct:x"), part("a", 1)], []), []);
  assert.equal(orderViolations([part("a", 0), part("b", 0), part("a", 1)], []).length, 1);
  assert.equal(orderViolations([part("a", 1), part("a", 0)], []).length, 1);
});

test("MC-044 an answer that overtakes an earlier message of the same person in the same place is a violation", () => {
  const messages = [fate("1", "ann", "a"), fate("2", "ann", "b"), fate("3", "ben", "c")];
  assert.deepEqual(orderViolations([part("c", 0), part("a", 0), part("b", 0)], messages), []);
  assert.equal(orderViolations([part("b", 0), part("a", 0)], messages).length, 1);
});

test("a person's latencies are those of what was answered", () => {
  const [ann, ben] = reportPeople([
    fate("1", "ann", "a", 100),
    fate("2", "ann", "b", 300),
    fate("3", "ann", null, null),
    fate("4", "ben", null, null),
  ]);
  assert.deepEqual([ann?.said, ann?.answered, ann?.p50Ms, ann?.p95Ms], [3, 2, 100, 300]);
  assert.deepEqual([ben?.answered, ben?.p95Ms], [0, null]);
  assert.equal(percentile([], 0.5), null);
  assert.deepEqual(countWords(["a", "b", "a"]), { a: 2, b: 1 });
});
