import assert from "node:assert/strict";
import { test } from "node:test";
import { createRandom } from "./random.ts";
import { messagesOf } from "./room-report.ts";
import type { PeopleGroup } from "./room-script.ts";
import { writeScript } from "./room-script.ts";

const ANN: PeopleGroup = { group: "ann", count: 3, standing: "named", messages: 20, everyMs: 5_000, directShare: 0.5, fragmentShare: 0.5 };
const GUESTS: PeopleGroup = { group: "guest", count: 10, standing: "guest", messages: 5, everyMs: 1_000, arriveMs: 60_000 };

test("a script is in order of time, and one more group changes nobody else's words", () => {
  const alone = writeScript({ seed: 1, platforms: ["a", "b"], people: [ANN] });
  const beside = writeScript({ seed: 1, platforms: ["a", "b"], people: [ANN, GUESTS] });
  const own = (steps: typeof alone): unknown =>
    steps.filter(({ group }) => group === "ann").map(({ atMs, line, again }) => ({ atMs, line, again }));
  assert.deepEqual(own(beside), own(alone));
  for (const steps of [alone, beside]) assert.ok(steps.every(({ atMs }, at) => at === 0 || (steps[at - 1]?.atMs ?? 0) <= atMs));
  assert.ok(beside.every(({ group, atMs, line }) => group !== "guest" || (atMs >= 60_000 && line.free === true)));
  assert.ok(alone.length > 3 * 20, "some thoughts have several lines");
});

test("copies share the delivery of what they copy and are no messages", () => {
  const losses = { duplicateShare: 0.3, lostAckShare: 0.3 };
  const steps = writeScript({ seed: 2, platforms: ["a"], people: [{ ...ANN, editShare: 0.3 }], losses });
  const messages = messagesOf(steps);
  assert.equal(new Set(messages.map(({ line }) => line.delivery)).size, messages.length);
  const copies = steps.filter(({ again }) => again);
  assert.ok(copies.length > 20);
  const known = new Set(messages.map(({ line }) => line.delivery));
  assert.ok(copies.every(({ line }) => known.has(line.delivery)));
});

test("numbers are the same for the same seed, in range, and spread over it", () => {
  const [one, two] = [createRandom(5), createRandom(5)];
  const numbers = Array.from({ length: 2_000 }, () => one.next());
  assert.deepEqual(
    numbers,
    Array.from({ length: 2_000 }, () => two.next()),
  );
  assert.ok(numbers.every((number) => number >= 0 && number < 1));
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  assert.ok(Math.abs(mean - 0.5) < 0.03, String(mean));
  assert.throws(() => one.pick([]), /nothing to pick from/);
});
