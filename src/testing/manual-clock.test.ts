import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "./manual-clock.ts";

test("a leap of time fires what fell due once, late and in order; what is due behind it keeps waiting", async () => {
  const clock = new ManualClock(1_000);
  const fired: string[] = [];
  const repeat = (): void => {
    fired.push(`repeat at ${clock.monotonicMs()}`);
    clock.after(100, repeat);
  };
  clock.after(100, repeat);
  clock.after(300, () => fired.push("later"));
  clock.after(50, () => fired.push("first"));
  const gone = clock.after(60, () => fired.push("gone"));
  gone[Symbol.dispose]();
  clock.after(10_000, () => fired.push("far"));
  await clock.leap(1_000);
  assert.deepEqual(fired, ["first", "repeat at 1000", "later"]);
  assert.deepEqual([clock.nowMs(), clock.nextDueMs], [2_000, 100]);
});

test("what a timer disposes in a leap does not fire in it", async () => {
  const clock = new ManualClock();
  const fired: string[] = [];
  const second = { timer: clock.after(20, () => fired.push("second")) };
  clock.after(10, () => second.timer[Symbol.dispose]());
  await clock.leap(100);
  assert.deepEqual(fired, []);
});
