import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, PARLOUR, TOBIAS } from "../../testing/road-fixtures.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { Engagement, STANDARD_ENGAGEMENT } from "./engagement.ts";
import type { Partition } from "./partitioned-table.ts";

const PLACE = publicPlace(PARLOUR).id;
const person = (at: number): ReturnType<typeof parsePrincipalId> => parsePrincipalId(`discord:p-${at}`);
const who = (at: number, partition: Partition = "free"): Parameters<Engagement["begin"]>[2] => ({ person: person(at), partition });

test("MC-026 TR-050 a conversation lasts 60 s after the last exchange, and slides", async () => {
  const clock = new ManualClock();
  const talks = new Engagement(clock, () => STANDARD_ENGAGEMENT);
  talks.renew(MIRELLE, PLACE, person(1));
  assert.equal(talks.with(PLACE, person(1)), null, "what somebody says begins nothing");
  talks.begin(MIRELLE, PLACE, who(1));
  await clock.advance(59_999);
  assert.equal(talks.with(PLACE, person(1)), MIRELLE);
  talks.renew(MIRELLE, PLACE, person(1));
  await clock.advance(59_999);
  assert.equal(talks.with(PLACE, person(1)), MIRELLE);
  await clock.advance(1);
  assert.equal(talks.with(PLACE, person(1)), null);
});

test("MC-026 it ends when the person leaves, and for all when the place is out of reach", () => {
  const talks = new Engagement(new ManualClock(), () => STANDARD_ENGAGEMENT);
  for (const at of [1, 2]) talks.begin(MIRELLE, PLACE, who(at));
  talks.end(PLACE, person(1));
  assert.deepEqual([talks.with(PLACE, person(1)), talks.with(PLACE, person(2))], [null, MIRELLE]);
  talks.end(PLACE, null);
  assert.equal(talks.with(PLACE, person(2)), null);
  assert.equal(talks.size, 0);
});

test("SE-090 a fourth person waits; somebody an operator named takes the place of a free identity, and never the other way round", () => {
  const talks = new Engagement(new ManualClock(), () => STANDARD_ENGAGEMENT);
  for (const at of [1, 2, 3, 4]) talks.begin(MIRELLE, PLACE, who(at));
  assert.deepEqual(
    [1, 2, 3, 4].map((at) => talks.with(PLACE, person(at)) !== null),
    [true, true, true, false],
  );
  talks.begin(MIRELLE, PLACE, who(5, "named"));
  assert.deepEqual(
    [1, 2, 3, 5].map((at) => talks.with(PLACE, person(at)) !== null),
    [false, true, true, true],
  );
  for (let at = 10; at < 60; at += 1) talks.begin(MIRELLE, PLACE, who(at));
  assert.equal(talks.with(PLACE, person(5)), MIRELLE);
  talks.begin(TOBIAS, PLACE, who(4));
  assert.equal(talks.with(PLACE, person(4)), TOBIAS, "each character counts by itself");
});

test("MC-026 over any course of answers, lines, departures and time: at most three at once, nobody without an answer, none past the window", async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant("begin" as const), at: fc.nat(6), named: fc.boolean(), tobias: fc.boolean() }),
    fc.record({ kind: fc.constant("renew" as const), at: fc.nat(6) }),
    fc.record({ kind: fc.constant("end" as const), at: fc.nat(6) }),
    fc.record({ kind: fc.constant("time" as const), ms: fc.integer({ min: 1, max: 70_000 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const clock = new ManualClock();
      const talks = new Engagement(clock, () => STANDARD_ENGAGEMENT);
      const touchedMs = new Map<number, number>();
      for (const one of steps) {
        if (one.kind === "time") await clock.advance(one.ms);
        else if (one.kind === "end") {
          talks.end(PLACE, person(one.at));
          touchedMs.delete(one.at);
        } else {
          const was = talks.with(PLACE, person(one.at));
          if (one.kind === "begin") talks.begin(one.tobias ? TOBIAS : MIRELLE, PLACE, who(one.at, one.named ? "named" : "free"));
          else if (was !== null) talks.renew(was, PLACE, person(one.at));
          if (one.kind === "begin" || was !== null) touchedMs.set(one.at, clock.monotonicMs());
        }
        const engaged = Array.from({ length: 7 }, (_, at) => at).filter((at) => talks.with(PLACE, person(at)) !== null);
        assert.ok(engaged.length <= 6, "three for each of the two");
        for (const at of engaged) assert.ok(clock.monotonicMs() - (touchedMs.get(at) ?? Number.NEGATIVE_INFINITY) < 60_000);
        assert.ok(talks.size <= 6);
      }
    }),
    { numRuns: 300 },
  );
});
