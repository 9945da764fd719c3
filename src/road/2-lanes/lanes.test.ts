import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { APART, GATHERED, laneItem, scriptedLanes } from "../../testing/scripted-lanes.ts";
import { MIRELLE, PARLOUR, TOBIAS } from "../../testing/road-fixtures.ts";
import { publicPlace } from "../../vocabulary/place.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("TR-008 MC-047 one turn of a character and place runs at a time, until it has spoken", async () => {
  const { lanes, running, started } = scriptedLanes();
  lanes.enqueue(laneItem("ann", "a1"));
  lanes.enqueue(laneItem("ben", "b1"));
  lanes.enqueue(laneItem("ann", "d1", { direct: true }));
  lanes.enqueue(laneItem("ann", "t1", { character: TOBIAS }));
  assert.deepEqual(started, ["a1", "d1", "t1"]);
  running.get("a1")?.thought();
  await settle();
  assert.deepEqual(started, ["a1", "d1", "t1"], "thinking ended, speaking did not");
  running.get("a1")?.end();
  await settle();
  assert.deepEqual(started, ["a1", "d1", "t1", "b1"]);
});

test("MC-048 at most so many think at once, and a slow one gives its place back before it speaks", async () => {
  const { lanes, running, started } = scriptedLanes({ concurrentTurns: 2 });
  for (const who of ["ann", "ben", "cy"]) lanes.enqueue(laneItem(who, who, { direct: true }));
  assert.deepEqual(started, ["ann", "ben"]);
  running.get("ann")?.thought();
  assert.deepEqual(started, ["ann", "ben", "cy"]);
  assert.equal(lanes.counts.thinking, 2);
});

test("MC-050 MC-051 a full lane, too many people and a full road refuse the newest", () => {
  const named = { named: true };
  const { lanes } = scriptedLanes({ queuedPerLane: 2, senders: 2, ingress: 4 });
  lanes.enqueue(laneItem("ann", "a0", named));
  for (const name of ["a1", "a2"]) lanes.enqueue(laneItem("ann", name, named));
  assert.equal(lanes.hasRoom(laneItem("ann", "a3", named).row), false, "lane");
  lanes.enqueue(laneItem("ben", "b1", named));
  assert.equal(lanes.hasRoom(laneItem("cy", "c1", named).row), false, "people");
  lanes.enqueue(laneItem("ben", "b2", named));
  assert.equal(lanes.hasRoom(laneItem("ben", "b3", named).row), false, "road");
});

test("SE-090 free identities fill half of each table and refuse only each other", () => {
  const { lanes } = scriptedLanes({ senders: 4, ingress: 8 });
  lanes.enqueue(laneItem("g0", "busy"));
  for (const who of ["g1", "g2"]) lanes.enqueue(laneItem(who, who));
  assert.equal(lanes.hasRoom(laneItem("g3", "g3").row), false, "people");
  assert.equal(lanes.hasRoom(laneItem("ann", "a1", { named: true }).row), true);
  for (const name of ["x", "y"]) lanes.enqueue(laneItem("g1", name));
  assert.equal(lanes.hasRoom(laneItem("g1", "z").row), false, "road");
  lanes.enqueue(laneItem("ann", "a1", { named: true }));
  assert.equal(lanes.hasRoom(laneItem("ann", "a2", { named: true }).row), true);
});

test("SE-090 free identities hold at most seven of eight places to think, so a named person finds one at once", () => {
  const { lanes, running, started } = scriptedLanes({ concurrentTurns: 8 });
  for (let at = 0; at < 20; at += 1) lanes.enqueue(laneItem(`g${at}`, `g${at}`, { direct: true }));
  assert.equal(started.length, 7);
  lanes.enqueue(laneItem("ann", "a1", { named: true, direct: true }));
  assert.equal(started.at(-1), "a1");
  running.get("g0")?.thought();
  assert.equal(started.at(-1), "g7");
});

test("MC-045 TR-050 cases A70 three short lines are one turn, 900 ms after the last", async () => {
  const { lanes, clock, started } = scriptedLanes({}, GATHERED);
  for (const name of ["a1", "a2", "a3"]) {
    lanes.enqueue(laneItem("ann", name));
    await clock.advance(800);
  }
  await clock.advance(99);
  assert.deepEqual(started, []);
  await clock.advance(1);
  assert.deepEqual(started, ["a1+a2+a3"]);
  assert.equal(clock.pending, 0);
});

test("TR-050 a thought is held 4 s at most", async () => {
  const { lanes, clock, started } = scriptedLanes({}, GATHERED);
  for (let at = 0; at < 6; at += 1) {
    lanes.enqueue(laneItem("ann", `a${at}`));
    await clock.advance(800);
  }
  assert.deepEqual(started, ["a0+a1+a2+a3+a4"]);
});

test("TR-050 a thought has at most 8 lines and 4 KiB; what is more begins the next", async () => {
  const eight = scriptedLanes({}, GATHERED);
  for (let at = 0; at < 9; at += 1) eight.lanes.enqueue(laneItem("ann", `a${at}`));
  assert.deepEqual(eight.started, ["a0+a1+a2+a3+a4+a5+a6+a7"], "it can take no more, so nobody waits for more");
  eight.running.get(eight.started[0] ?? "")?.end();
  await eight.clock.advance(900);
  assert.deepEqual(eight.started.slice(1), ["a8"]);
  const large = scriptedLanes({}, GATHERED);
  for (const [name, bytes] of [
    ["a0", 2_000],
    ["a1", 2_095],
    ["a2", 1],
  ] as const)
    large.lanes.enqueue(laneItem("ann", name, { text: "x".repeat(bytes) }));
  assert.deepEqual(large.started, ["a0+a1"], "4,096 bytes with the line break, and not one more");
  const long = scriptedLanes({}, GATHERED);
  long.lanes.enqueue(laneItem("ann", "a0", { text: "x".repeat(9_000) }));
  long.lanes.enqueue(laneItem("ann", "a1"));
  assert.deepEqual(long.started, ["a0"], "one line may be longer, alone");
});

test("TR-014 cases A23 lines of two people, and public and direct ones, never join", async () => {
  const { lanes, clock, started, running } = scriptedLanes({}, GATHERED);
  lanes.enqueue(laneItem("ann", "a1"));
  lanes.enqueue(laneItem("ben", "b1"));
  lanes.enqueue(laneItem("ann", "d1", { direct: true }));
  lanes.enqueue(laneItem("ann", "a2"));
  lanes.enqueue(laneItem("ben", "b2"));
  await clock.advance(900);
  running.get("a1+a2")?.end();
  await clock.advance(0);
  assert.deepEqual(started.toSorted(), ["a1+a2", "b1+b2", "d1"]);
});

test("TR-050 lines that come while a turn runs are gathered when their turn comes, and still held while their person writes", async () => {
  const { lanes, clock, started, running } = scriptedLanes({}, GATHERED);
  lanes.enqueue(laneItem("ann", "a1"));
  await clock.advance(900);
  for (const name of ["a2", "a3"]) {
    lanes.enqueue(laneItem("ann", name));
    await clock.advance(1_000);
  }
  running.get("a1")?.end();
  await settle();
  assert.deepEqual(started, ["a1", "a2+a3"]);
  for (const name of ["a4", "a5"]) {
    await clock.advance(500);
    lanes.enqueue(laneItem("ann", name));
  }
  running.get("a2+a3")?.end();
  await clock.advance(899);
  assert.deepEqual(started, ["a1", "a2+a3"], "its turn has come, and its person may still be writing");
  await clock.advance(1);
  assert.deepEqual(started, ["a1", "a2+a3", "a4+a5"]);
  lanes.enqueue(laneItem("ann", "a6"));
  await clock.advance(1_500);
  lanes.enqueue(laneItem("ann", "a7"));
  running.get("a4+a5")?.end();
  await settle();
  assert.equal(started.length, 3, "a6 was whole, and its person has gone on writing");
  await clock.advance(900);
  assert.equal(started.at(-1), "a6+a7");
});

test("TR-050 a command is held by nothing", () => {
  const { lanes, started } = scriptedLanes({}, GATHERED);
  lanes.enqueue(laneItem("ann", "c1", { command: true }));
  assert.deepEqual(started, ["c1"]);
});

test("TR-050 a line that is withdrawn leaves the thought, and an empty lane holds no timer", async () => {
  const { lanes, clock, started } = scriptedLanes({}, GATHERED);
  const lines = ["a1", "a2", "a3"].map((name) => laneItem("ann", name));
  for (const line of lines) lanes.enqueue(line);
  assert.equal(
    lanes.withdraw(laneItem("ann", "").row, (one) => one.name === "a2"),
    lines[1],
  );
  assert.equal(
    lanes.withdraw(laneItem("ann", "").row, (one) => one.name === "a2"),
    null,
  );
  await clock.advance(900);
  assert.deepEqual(started, ["a1+a3"]);
  lanes.enqueue(laneItem("ben", "b1"));
  assert.equal(clock.pending, 1);
  lanes.withdraw(laneItem("ben", "").row, () => true);
  assert.equal(clock.pending, 0);
  assert.deepEqual(lanes.counts, { waiting: 0, lanes: 0, thinking: 1 });
});

test("TR-044 what an earlier process left runs once all of it is there", () => {
  const { lanes, started } = scriptedLanes({}, { ...GATHERED, quietMs: 0 });
  lanes.enqueueAll(["a1", "a2", "a3"].map((name) => laneItem("ann", name)));
  assert.deepEqual(started, ["a1+a2+a3"]);
});

test("TR-007 a command runs beside the lane", () => {
  const { lanes, started } = scriptedLanes();
  lanes.enqueue(laneItem("ann", "a1"));
  lanes.enqueue(laneItem("ann", "c1", { command: true }));
  assert.deepEqual(started, ["a1", "c1"]);
});

test("TR-042 leftovers hold their place until they are out", async () => {
  const { lanes, started } = scriptedLanes();
  let out: () => void = () => {};
  lanes.occupy(MIRELLE, publicPlace(PARLOUR), () => new Promise<void>((resolve) => (out = resolve)));
  lanes.enqueue(laneItem("ann", "a1"));
  await settle();
  assert.deepEqual(started, []);
  out();
  await settle();
  assert.deepEqual(started, ["a1"]);
});

const arrival = fc.record({
  who: fc.constantFrom("ann", "ben", "cy"),
  direct: fc.boolean(),
  afterMs: fc.constantFrom(0, 1, 300, 899, 900, 901, 5_000),
  bytes: fc.constantFrom(1, 600, 4_096),
  ends: fc.nat(3),
  withdraws: fc.nat(9).map((n) => n === 0),
});

test("MC-044 MC-045 MC-049 cases A58 any arrival order and slow turns: each line in one turn, in its person's order, one turn a lane, none left behind", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { maxLength: 40 }),
      fc.constantFrom(APART, GATHERED, { ...GATHERED, quietMs: 0 }),
      async (steps, timing) => {
        const { lanes, clock, running, started, endOne } = scriptedLanes({ concurrentTurns: 3 }, timing);
        const withdrawn = new Set<string>();
        const laneOf = (name: string): string => name.split("+")[0]?.split(".").slice(0, 2).join(".") ?? "";
        for (const [at, { who, direct, afterMs, bytes, ends, withdraws }] of steps.entries()) {
          const line = laneItem(who, `${who}.${direct ? "d" : "p"}.${at}`, { direct, named: who === "cy", text: "x".repeat(bytes) });
          lanes.enqueue(line);
          if (withdraws && lanes.withdraw(line.row, (one) => one === line) !== null) withdrawn.add(line.name);
          for (let n = 0; n < ends; n += 1) endOne();
          await clock.advance(afterMs);
          const busy = [...running.keys()].map(laneOf);
          assert.equal(new Set(busy).size, busy.length, "two turns of a lane");
          assert.ok(busy.filter((lane) => lane.endsWith(".p")).length <= 1, "two turns of a place");
        }
        for (let quiet = 0; quiet < 2;) {
          await clock.advance(4_000);
          quiet = endOne() ? 0 : quiet + 1;
        }
        const lines = started.flatMap((turn) => turn.split("+"));
        assert.equal(lines.length + withdrawn.size, steps.length);
        assert.equal(new Set([...lines, ...withdrawn]).size, steps.length);
        for (const turn of started) assert.equal(new Set(turn.split("+").map(laneOf)).size, 1, "lines of two lanes in one turn");
        for (const lane of ["ann.d", "ann.p", "ben.d", "ben.p", "cy.d", "cy.p"]) {
          const order = lines.filter((name) => name.startsWith(lane)).map((name) => Number(name.split(".")[2]));
          assert.deepEqual(
            order,
            order.toSorted((a, b) => a - b),
          );
        }
        assert.deepEqual(lanes.counts, { waiting: 0, lanes: 0, thinking: 0 });
        assert.equal(clock.pending, 0, "nothing is left of an idle lane");
      },
    ),
    { numRuns: 80 },
  );
});
