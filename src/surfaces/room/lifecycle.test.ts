import assert from "node:assert/strict";
import { test } from "node:test";
import { randomIds } from "../../foundation/ids.ts";
import { silentLog } from "../../foundation/log.ts";
import { FakeRoad, FakeRoomStore, FakeVoices, fakeRoomConfig } from "../../testing/fake-room.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { openRoom } from "./room.ts";

test("MC-098 a room tells how it stands: stopped, connecting while it has only its port, online, shutting down, and since when", async () => {
  const clock = new ManualClock(1_000);
  const road = new FakeRoad();
  const { signal } = new AbortController();
  const floor = { clock, ids: randomIds, log: silentLog };
  const needs = {
    config: fakeRoomConfig(),
    store: new FakeRoomStore(),
    lines: road.lines,
    outcomes: road.outcomes,
    voices: new FakeVoices(),
  };
  const room = openRoom({ ...needs, floor }, signal);
  const told = (): readonly unknown[] => {
    const lifecycle = room.lifecycle?.();
    return [lifecycle?.state, lifecycle?.sinceMs, lifecycle?.generation];
  };
  assert.deepEqual(told(), ["stopped", 1_000, 0]);
  await clock.advance(1_000);
  await room.takePort(signal);
  assert.deepEqual(told(), ["connecting", 2_000, 0]);
  await clock.advance(1_000);
  await room.open(road, signal);
  assert.deepEqual(told(), ["online", 3_000, 1]);
  await room[Symbol.asyncDispose]();
  assert.equal(told()[0], "shutting-down");
});
