import assert from "node:assert/strict";
import { test } from "node:test";
import { TaskGroup } from "../../foundation/task-group.ts";
import { silentLog } from "../../foundation/log.ts";
import { createStageRoutes } from "./stage-routes.ts";
import { Stage } from "./stage.ts";
import type { Viewer } from "./viewer.ts";
import { FakeRoad, FakeVoices, fakeRoomConfig } from "../../testing/fake-room.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
test("SE-090 guests' pages, 25 members with 8 each, leave the operator's console a page", async () => {
  const clock = new ManualClock();
  const road = new FakeRoad();
  using stage = new Stage({
    config: fakeRoomConfig(),
    lines: road.lines,
    outcomes: road.outcomes,
    voices: new FakeVoices(),
    clock,

    optedOut: () => false,
    onPresence: () => {},
  });
  const tasks = new TaskGroup({ clock, joinMs: 1, onFailure: () => {} });
  const serve = createStageRoutes({ stage, clock, log: silentLog, tasks });
  const open = async (viewer: Viewer): Promise<number> => (await serve(new Request("http://127.0.0.1/api/stream"), viewer)).status;
  const guest = (at: number, untilMs: number | null = null): Viewer => ({
    principal: parsePrincipalId(`room:m-${at}`),
    name: `g${at}`,
    role: "guest",
    assurance: "anonymous",
    untilMs,
    operator: null,
    keep: () => Promise.resolve("stays"),
  });
  for (let at = 0; at < 150; at += 1) assert.equal(await open(guest(Math.floor(at / 8))), 200);
  assert.equal(await open(guest(99)), 429, "whoever nobody invited leaves a part to those whom somebody did");
  for (let at = 0; at < 50; at += 1) assert.equal(await open(guest(100 + Math.floor(at / 8), clock.nowMs() + 60_000)), 200);
  assert.equal(await open(guest(200, clock.nowMs() + 60_000)), 429);
  const owner: Viewer = {
    principal: LOCAL_OWNER,
    name: "Owner",
    role: "operator",
    assurance: "local",
    untilMs: null,
    operator: { view: { version: "", pid: 1, startedAtMs: 0, rooms: [] }, model: null },
    keep: () => Promise.resolve("stays"),
  };
  assert.equal(await open(owner), 200);
});
