import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../testing/manual-clock.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import type { Lifecycle, LifecycleState } from "../vocabulary/lifecycle.ts";
import { noteSurfaces } from "./notices.ts";

test("TR-093 TR-055 a surface that its platform refuses is told to operators once each time, by name and code, and one without a state never", async () => {
  const clock = new ManualClock();
  const told: unknown[] = [];
  let lifecycle: Lifecycle = { state: "online", sinceMs: 1, reason: "", retryAtMs: null, generation: 1 };
  const change = (state: LifecycleState, reason: string, sinceMs: number): void => {
    lifecycle = { ...lifecycle, state, reason, sinceMs };
  };
  const surfaces = [{ name: parseSurfaceName("town"), lifecycle: () => lifecycle }, { name: parseSurfaceName("terminal") }];
  {
    using _watch = noteSurfaces(surfaces, { note: (kind, about) => told.push([kind, about?.ids]) }, clock);
    change("backoff", "closed_1006", 2);
    await clock.advance(30_000);
    assert.deepEqual(told, [], "it tries again by itself");
    change("authentication-blocked", "closed_4014", 3);
    await clock.advance(90_000);
    assert.deepEqual(told, [["surface_blocked", ["town", "closed_4014"]]]);
    change("authentication-blocked", "", 4);
    await clock.advance(30_000);
    assert.deepEqual(told.slice(1), [["surface_blocked", ["town"]]], "another time");
  }
  assert.equal(clock.pending, 0);
});
