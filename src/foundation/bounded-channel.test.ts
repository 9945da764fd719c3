import assert from "node:assert/strict";
import { test } from "node:test";
import { BoundedChannel } from "./bounded-channel.ts";
import { isRuntimeError } from "./errors.ts";

async function all<Value>(channel: BoundedChannel<Value>): Promise<readonly Value[]> {
  const values: Value[] = [];
  for await (const value of channel) values.push(value);
  return values;
}

test("MC-081 a channel keeps order, refuses past its capacity, and ends after what waited was read", async () => {
  const channel = new BoundedChannel<number>(2);
  assert.deepEqual([channel.trySend(1), channel.trySend(2), channel.trySend(3)], [true, true, false]);
  channel.close();
  assert.equal(channel.trySend(4), false);
  assert.deepEqual(await all(channel), [1, 2]);
});

test("MC-081 a waiting reader gets what comes later, and disposal ends it and drops the rest", async () => {
  const channel = new BoundedChannel<number>(2);
  const reading = all(channel);
  await new Promise<void>((resolve) => setImmediate(resolve));
  channel.trySend(1);
  await new Promise<void>((resolve) => setImmediate(resolve));
  channel.trySend(2);
  channel[Symbol.dispose]();
  assert.deepEqual(await reading, [1]);
});

test("MC-081 refuses a second reader and a capacity below one", async () => {
  const channel = new BoundedChannel<number>(1);
  channel.close();
  await all(channel);
  await assert.rejects(all(channel), (error) => isRuntimeError(error, "invalid_argument"));
  assert.throws(
    () => new BoundedChannel<number>(0),
    (error) => isRuntimeError(error, "invalid_argument"),
  );
});
