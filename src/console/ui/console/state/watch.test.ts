import assert from "node:assert/strict";
import { test } from "node:test";
import { TaskGroup } from "../../../../foundation/task-group.ts";
import { ManualClock } from "../../../../testing/manual-clock.ts";
import type { Told } from "./operations-client.ts";
import { Watch } from "./watch.ts";

interface Bench extends AsyncDisposable {
  readonly clock: ManualClock;
  readonly watch: Watch<number>;
  /** What the next questions are answered; without any the number of the question. */
  readonly answers: Told<number>[];
  readonly asked: () => number;
  awake: boolean;
}

function openBench(): Bench {
  const clock = new ManualClock(1_000);
  const tasks = new TaskGroup({ clock, joinMs: 1_000, onFailure: () => assert.fail("a task failed") });
  const answers: Told<number>[] = [];
  let asked = 0;
  const bench: Bench = {
    clock,
    answers,
    awake: true,
    asked: () => asked,
    watch: new Watch<number>({
      clock,
      tasks,
      isAwake: () => bench.awake,
      read: () => {
        asked += 1;
        return Promise.resolve(answers.shift() ?? { kind: "done", value: asked });
      },
    }),
    [Symbol.asyncDispose]: () => tasks.close(),
  };
  return bench;
}

const FAILED = { kind: "failed", code: "unreachable", message: "No answer came." } as const;

test("a watch asks at once and again after its time, as often as the most curious wants it, and not while nobody looks", async () => {
  await using bench = openBench();
  const { clock, watch, asked } = bench;
  assert.equal(watch.seen.value.value, null);
  const slow = watch.look(10_000);
  await clock.advance(0);
  assert.deepEqual([asked(), watch.seen.value.value], [1, 1]);
  const quick = watch.look(1_000);
  await clock.advance(0);
  assert.equal(asked(), 2, "whoever begins to look is told what is so now");
  await clock.advance(3_000);
  assert.equal(asked(), 5);
  quick[Symbol.dispose]();
  await clock.advance(1_000);
  await clock.advance(9_000);
  assert.equal(asked(), 6);
  slow[Symbol.dispose]();
  await clock.advance(100_000);
  assert.deepEqual([asked(), watch.seen.value.value], [6, 6], "what was told stays");
  using _again = watch.look(1_000);
  await clock.advance(0);
  assert.equal(asked(), 7);
});

test("what fails leaves the last answer standing, says since when, and is over with the next that comes", async () => {
  await using bench = openBench();
  const { clock, watch, answers } = bench;
  using _look = watch.look(1_000);
  await clock.advance(0);
  answers.push(FAILED, FAILED);
  await clock.advance(1_000);
  await clock.advance(1_000);
  assert.deepEqual(watch.seen.value, {
    value: 1,
    atMs: 1_000,
    trouble: { code: "unreachable", message: "No answer came.", sinceMs: 2_000 },
  });
  await clock.advance(1_000);
  assert.deepEqual(watch.seen.value, { value: 4, atMs: 4_000, trouble: null });
});

test("nothing is asked while nobody could see it, and asking for it does not wait for the time", async () => {
  await using bench = openBench();
  const { clock, watch, asked } = bench;
  bench.awake = false;
  using _look = watch.look(1_000);
  await clock.advance(5_000);
  assert.equal(asked(), 0);
  bench.awake = true;
  watch.ask();
  await clock.advance(0);
  assert.equal(asked(), 1);
});

test("an end in the middle of a question leaves nothing behind", async () => {
  const bench = openBench();
  const look = bench.watch.look(1_000);
  look[Symbol.dispose]();
  await bench[Symbol.asyncDispose]();
  assert.equal(bench.clock.pending, 0);
});
