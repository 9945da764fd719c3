import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../testing/manual-clock.ts";
import { linkSignals, orAbort, withDeadline } from "./cancellation.ts";
import { systemClock } from "./clock.ts";
import { RuntimeError, codeOf, isRuntimeError } from "./errors.ts";
import { keyedId, randomIds } from "./ids.ts";
import { RateLimiter } from "./rate-limiter.ts";
import { Semaphore } from "./semaphore.ts";
import { TaskGroup } from "./task-group.ts";

const never = (signal: AbortSignal): Promise<void> => orAbort(new Promise<void>(() => {}), signal);

test("MC-096 a task group joins what it aborts and starts nothing afterwards", async () => {
  const failures: unknown[] = [];
  const group = new TaskGroup({ clock: new ManualClock(), joinMs: 100, onFailure: (error) => failures.push(error) });
  let ended = false;
  group.start(async (signal) => {
    try {
      await never(signal);
    } finally {
      ended = true;
    }
  });
  assert.equal(group.size, 1);
  await group.close();
  assert.deepEqual([ended, group.size, failures.length], [true, 0, 0]);
  assert.throws(
    () => group.start(() => Promise.resolve()),
    (error) => isRuntimeError(error, "closed"),
  );
  await group.close();
});

test("MC-094 a task that does not end in time is join_timeout, not a wait for ever", async () => {
  const clock = new ManualClock();
  const group = new TaskGroup({ clock, joinMs: 100, onFailure: () => {} });
  let release: () => void = () => {};
  group.start(() => new Promise<void>((resolve) => (release = resolve)));
  const closing = assert.rejects(group.close(), (error) => isRuntimeError(error, "join_timeout"));
  await clock.advance(100);
  await closing;
  release();
});

test("a task that fails is reported once and hinders no other", async () => {
  const failures: unknown[] = [];
  const group = new TaskGroup({ clock: new ManualClock(), joinMs: 100, onFailure: (error) => failures.push(codeOf(error)) });
  let other = false;
  group.start(() => Promise.reject(new RuntimeError("internal", "Cannot go on: a test")));
  group.start(() => {
    other = true;
    return Promise.resolve();
  });
  await group.idle();
  assert.deepEqual([failures, other], [["internal"], true]);
});

test("MC-078 a semaphore serves in order, refuses past its bound, and lets go of who gave up", async () => {
  const semaphore = new Semaphore(1, 2);
  const [stay, leave] = [new AbortController(), new AbortController()];
  const first = await semaphore.acquire(stay.signal);
  const order: string[] = [];
  const second = semaphore.acquire(leave.signal);
  const third = semaphore.acquire(stay.signal).then((held) => {
    order.push("third");
    return held;
  });
  await assert.rejects(semaphore.acquire(stay.signal), (error) => isRuntimeError(error, "capacity"));
  leave.abort(new RuntimeError("aborted", "Cannot wait: gone"));
  await assert.rejects(second, (error) => isRuntimeError(error, "aborted"));
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  assert.deepEqual(order, ["third"]);
  using _free = await semaphore.acquire(stay.signal);
});

test("a rate limiter never gives more than its burst and its rate, whatever the arrivals", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(400), { minLength: 1, maxLength: 60 }), fc.integer({ min: 1, max: 5 }), async (gaps, burst) => {
      const clock = new ManualClock();
      const limiter = new RateLimiter(clock, { burst, everyMs: 100 });
      let taken = 0;
      for (const gap of gaps) {
        await clock.advance(gap);
        if (limiter.tryTake()) taken += 1;
        assert.ok(taken <= burst + clock.monotonicMs() / 100);
      }
    }),
    { numRuns: 40 },
  );
});

test("who waits for a rate limiter is served in order and keeps the rate", async () => {
  const clock = new ManualClock();
  const limiter = new RateLimiter(clock, { burst: 1, everyMs: 100 });
  const times: number[] = [];
  const signal = new AbortController().signal;
  const all = Promise.all([0, 1, 2, 3].map(() => limiter.take(signal).then(() => times.push(clock.monotonicMs()))));
  await clock.advance(1_000);
  await all;
  assert.deepEqual(times, [0, 100, 200, 300]);
});

test("MC-053 a deadline aborts with its code, and a disposed one lets go of clock and parent", async () => {
  const clock = new ManualClock();
  const parent = new AbortController();
  {
    using deadline = withDeadline(clock, 50, parent.signal);
    await clock.advance(50);
    assert.equal(codeOf(deadline.signal.reason), "deadline");
  }
  {
    using _unused = withDeadline(clock, 50, parent.signal);
  }
  assert.equal(clock.pending, 0);
  using linked = linkSignals(parent.signal);
  parent.abort(new RuntimeError("closed", "Cannot go on: closed"));
  assert.equal(codeOf(linked.signal.reason), "closed");
  await assert.rejects(orAbort(new Promise(() => {}), linked.signal), (error) => isRuntimeError(error, "closed"));
});

test("the system's clock sleeps, wakes on abort, and its timers can be let go", async () => {
  const stop = new AbortController();
  await systemClock.sleep(1, stop.signal);
  const long = systemClock.sleep(60_000, stop.signal);
  stop.abort(new RuntimeError("aborted", "Cannot sleep on: woken"));
  await assert.rejects(long, (error) => isRuntimeError(error, "aborted"));
  await assert.rejects(systemClock.sleep(1, stop.signal), (error) => isRuntimeError(error, "aborted"));
  let fired = false;
  systemClock.after(0, () => (fired = true))[Symbol.dispose]();
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(fired, false);
});

test("TR-033 a keyed id depends on key and data, and on nothing else", () => {
  const [key, other] = [new Uint8Array(32).fill(1), new Uint8Array(32).fill(2)];
  assert.equal(keyedId(key, "x"), keyedId(key, "x"));
  assert.notEqual(keyedId(key, "x"), keyedId(other, "x"));
  assert.notEqual(keyedId(key, "x"), keyedId(key, "y"));
  assert.match(keyedId(key, "x"), /^[0-9a-z]{12}$/);
  const ids = new Set(Array.from({ length: 10_000 }, () => randomIds.next("m")));
  assert.equal(ids.size, 10_000);
});
