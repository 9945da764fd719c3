import assert from "node:assert/strict";
import { test } from "node:test";
import { playRoomInProcess, simulateRoom } from "../../src/testing/index.ts";
import type { PeopleGroup, RoomOptions, RoomReport } from "../../src/testing/index.ts";

const REGULARS: PeopleGroup = {
  group: "regular",
  count: 6,
  standing: "named",
  messages: 8,
  everyMs: 40_000,
  directShare: 0.5,
  fragmentShare: 0.3,
};
const BUSY: RoomOptions = {
  seed: 7,
  people: [
    { ...REGULARS, editShare: 0.1, ambientShare: 0.2 },
    { group: "guest", count: 20, standing: "guest", messages: 5, everyMs: 30_000, ambientShare: 0.3 },
    { group: "newcomer", count: 4, standing: "guest", messages: 3, everyMs: 20_000, arriveMs: 120_000, directShare: 1 },
  ],
  bots: [{ ring: 1, marked: false, afterMs: 1_500, maxRounds: 40 }],
  platforms: ["harbour", "quay"],
  losses: { duplicateShare: 0.1, lostAckShare: 0.1 },
  model: { latencyMs: [800, 4_000], errorShare: 0.02, hangShare: 0.01, words: 60 },
  sends: { refuseShare: 0.01, silentShare: 0.01 },
  profile: { limits: { maxBytes: 120 }, timing: { quietMs: 900, holdMs: 4_000, fragments: 8 } },
  restartsAtMs: [60_000, 150_000],
};

/** What must hold of any run, whatever it is made of. */
function checkRun(report: RoomReport): void {
  assert.deepEqual(report.partsTwice, []);
  assert.deepEqual(report.orderViolations, []);
  for (const { delivery, fate, reason } of report.messages) {
    assert.ok(fate !== "lost" && fate !== "open", `${delivery} is ${fate}`);
    assert.ok(fate !== "suppressed" || reason !== "", `${delivery} was suppressed without a reason`);
  }
}

test("TR-042 a room of people, bots, losses, edits, failures and restarts: each message has one end, no part comes twice or out of order", async (context) => {
  const report = await simulateRoom(BUSY, context.signal);
  checkRun(report);
  assert.equal(report.restarts, 2);
  assert.ok(report.deliveries > report.messages.length, "some were delivered again");
  assert.ok((report.fates["answered"] ?? 0) > 40, JSON.stringify(report.fates));
  assert.ok((report.fates["suppressed"] ?? 0) > 0);
  assert.ok(report.parts > (report.fates["answered"] ?? 0), "long answers have several parts");
  assert.ok(report.modelCalls > 0 && report.spendMicros > 0);
});

test("the same seed plays the same people, another one plays others", async (context) => {
  const calm: RoomOptions = { seed: 3, people: [{ ...REGULARS, messages: 3 }], model: { latencyMs: [500, 1_000] } };
  const [first, second] = [await simulateRoom(calm, context.signal), await simulateRoom(calm, context.signal)];
  const told = ({ messages }: RoomReport): unknown =>
    messages.map(({ delivery, platform, saidAtMs, fate }) => ({ delivery, platform, saidAtMs, fate }));
  assert.deepEqual(told(first), told(second));
  assert.deepEqual(first.people, second.people);
  const other = await simulateRoom({ ...calm, seed: 4 }, context.signal);
  assert.notDeepEqual(told(other), told(first));
  checkRun(first);
});

test("TR-050 the lines of a thought share a turn when they are gathered, and are turns of their own when not", async (context) => {
  const people = [{ ...REGULARS, messages: 4, directShare: 1, fragmentShare: 1 }];
  const model = { latencyMs: [500, 1_000] as const };
  const gathered = await simulateRoom(
    { seed: 5, people, model, profile: { timing: { quietMs: 900, holdMs: 4_000, fragments: 8 } } },
    context.signal,
  );
  const apart = await simulateRoom({ seed: 5, people, model }, context.signal);
  const turns = ({ messages }: RoomReport): number => new Set(messages.map(({ turn }) => turn).filter((turn) => turn !== null)).size;
  assert.equal(turns(gathered), 6 * 4);
  assert.ok(turns(apart) > turns(gathered));
  checkRun(gathered);
  checkRun(apart);
});

test("TR-042 the same room against a process that is killed twice: every line is acknowledged, no part comes twice", async (context) => {
  const report = await playRoomInProcess(
    {
      seed: 9,
      people: [{ ...REGULARS, ambientShare: 0.1 }],
      platforms: ["harbour", "quay"],
      killsAfterParts: [5, 9],
      duplicateEvery: 7,
      maxBytes: 60,
      timing: { quietMs: 40, holdMs: 160, fragments: 8 },
    },
    AbortSignal.any([context.signal, AbortSignal.timeout(60_000)]),
  );
  assert.equal(report.kills, 2);
  assert.equal(
    Object.values(report.acknowledged).reduce((sum, count) => sum + count, 0),
    report.messages,
  );
  assert.ok(report.parts > 14);
  assert.deepEqual([report.partsTwice, report.orderViolations], [[], []]);
});
