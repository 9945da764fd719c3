import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TaskGroup } from "../../foundation/task-group.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, PARLOUR, TOBIAS } from "../../testing/road-fixtures.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { Limits } from "../../vocabulary/limits.ts";
import type { Timing } from "../../surfaces/surface.ts";
import type { LaneFacts } from "./lanes.ts";
import { Lanes } from "./lanes.ts";

interface Item {
  readonly row: LaneFacts;
  readonly name: string;
  readonly text: string;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const APART: Timing = { quietMs: 0, holdMs: 0, fragments: 1 };
const ROOM: Timing = { quietMs: 900, holdMs: 4_000, fragments: 8 };

interface Scripted {
  readonly lanes: Lanes<Item>;
  readonly clock: ManualClock;
  readonly running: Map<string, { thought: () => void; end: () => void }>;
  /** Names of the lines of each turn, joined by `+`, in the order in which turns began. */
  readonly started: string[];
}

/** Lanes whose runs end when the test says so. */
function scripted(limits: Partial<Limits> = {}, timing: Timing = APART, clock: ManualClock = new ManualClock()): Scripted {
  const tasks = new TaskGroup({ clock, joinMs: 10, onFailure: (error) => assert.fail(String(error)) });
  const running = new Map<string, { thought: () => void; end: () => void }>();
  const started: string[] = [];
  const lanes = new Lanes<Item>({
    tasks,
    clock,
    limits: { ...CEILINGS, ...limits },
    fragments: { timing: () => timing, mayJoin: () => true, bytes: (one) => Buffer.byteLength(one.text) },
    isNamed: ({ role }) => role === "trusted",
    run: (items, thought) => {
      const name = items.map((one) => one.name).join("+");
      started.push(name);
      return new Promise<void>((end) => running.set(name, { thought, end }));
    },
  });
  return { lanes, clock, running, started };
}

const person = (name: string) => parsePrincipalId(`room:${name}`);
const item = (
  who: string,
  name: string,
  options: { character?: typeof MIRELLE; direct?: boolean; command?: boolean; named?: boolean; text?: string } = {},
): Item => {
  const character = options.character ?? MIRELLE;
  const place = options.direct === true ? directPlace(PARLOUR, character, person(who)) : publicPlace(PARLOUR);
  const role = options.named === true ? "trusted" : "guest";
  return {
    name,
    text: options.text ?? name,
    row: { character, place, person: person(who), class: options.command === true ? "command" : "talk", role },
  };
};

test("TR-008 MC-047 one turn of a character and place runs at a time, until it has spoken", async () => {
  const { lanes, running, started } = scripted();
  lanes.enqueue(item("ann", "a1"));
  lanes.enqueue(item("ben", "b1"));
  lanes.enqueue(item("ann", "d1", { direct: true }));
  lanes.enqueue(item("ann", "t1", { character: TOBIAS }));
  assert.deepEqual(started, ["a1", "d1", "t1"]);
  running.get("a1")?.thought();
  await settle();
  assert.deepEqual(started, ["a1", "d1", "t1"], "thinking ended, speaking did not");
  running.get("a1")?.end();
  await settle();
  assert.deepEqual(started, ["a1", "d1", "t1", "b1"]);
});

/** A clock whose first timer rings late, as timers of nearly the same moment do. */
class LateClock extends ManualClock {
  #lateMs = 30;

  override after(ms: number, action: () => void): Disposable {
    const timer = super.after(ms + this.#lateMs, action);
    this.#lateMs = 0;
    return timer;
  }
}

test("MC-045 cases B61 whoever spoke first is answered first, in whichever order the timers of a moment ring", async () => {
  const { lanes, clock, running, started } = scripted({}, ROOM, new LateClock());
  for (const who of ["ann", "ben", "cy"]) {
    lanes.enqueue(item(who, `${who}'s`));
    await clock.advance(5);
  }
  await clock.advance(ROOM.quietMs);
  for (const who of ["ann", "ben", "cy"]) {
    await settle();
    running.get(`${who}'s`)?.end();
  }
  await settle();
  assert.deepEqual(started, ["ann's", "ben's", "cy's"]);
});

test("MC-046 the people of a place take turns, each first in first out", async () => {
  const { lanes, running, started } = scripted();
  for (const name of ["a1", "a2", "a3"]) lanes.enqueue(item("ann", name));
  lanes.enqueue(item("ben", "b1"));
  lanes.enqueue(item("cy", "c1"));
  for (const name of ["a1", "a2", "b1", "c1"]) {
    await settle();
    running.get(name)?.end();
  }
  await settle();
  assert.deepEqual(started, ["a1", "a2", "b1", "c1", "a3"]);
});

test("MC-048 at most so many think at once, and a slow one gives its place back before it speaks", async () => {
  const { lanes, running, started } = scripted({ concurrentTurns: 2 });
  for (const who of ["ann", "ben", "cy"]) lanes.enqueue(item(who, who, { direct: true }));
  assert.deepEqual(started, ["ann", "ben"]);
  running.get("ann")?.thought();
  assert.deepEqual(started, ["ann", "ben", "cy"]);
  assert.equal(lanes.counts.thinking, 2);
});

test("MC-050 MC-051 a full lane, too many people and a full road refuse the newest", () => {
  const named = { named: true };
  const { lanes } = scripted({ queuedPerLane: 2, senders: 2, ingress: 4 });
  lanes.enqueue(item("ann", "a0", named));
  for (const name of ["a1", "a2"]) lanes.enqueue(item("ann", name, named));
  assert.equal(lanes.hasRoom(item("ann", "a3", named).row), false, "lane");
  lanes.enqueue(item("ben", "b1", named));
  assert.equal(lanes.hasRoom(item("cy", "c1", named).row), false, "people");
  lanes.enqueue(item("ben", "b2", named));
  assert.equal(lanes.hasRoom(item("ben", "b3", named).row), false, "road");
});

test("SE-090 free identities fill half of each table and refuse only each other", () => {
  const { lanes } = scripted({ senders: 4, ingress: 8 });
  lanes.enqueue(item("g0", "busy"));
  for (const who of ["g1", "g2"]) lanes.enqueue(item(who, who));
  assert.equal(lanes.hasRoom(item("g3", "g3").row), false, "people");
  assert.equal(lanes.hasRoom(item("ann", "a1", { named: true }).row), true);
  for (const name of ["x", "y"]) lanes.enqueue(item("g1", name));
  assert.equal(lanes.hasRoom(item("g1", "z").row), false, "road");
  lanes.enqueue(item("ann", "a1", { named: true }));
  assert.equal(lanes.hasRoom(item("ann", "a2", { named: true }).row), true);
});

test("SE-090 MC-046 in a place full of free identities a named person waits for one turn", async () => {
  const { lanes, running, started } = scripted();
  for (let at = 0; at < 50; at += 1) lanes.enqueue(item(`g${at}`, `g${at}`));
  lanes.enqueue(item("ann", "a1", { named: true }));
  for (const name of ["g0", "a1", "g1"]) {
    await settle();
    running.get(name)?.end();
  }
  await settle();
  assert.deepEqual(started, ["g0", "a1", "g1", "g2"]);
});

test("SE-090 MC-046 named people and free identities alternate: neither waits for all of the other", async () => {
  const { lanes, running, started } = scripted();
  for (const name of ["a1", "a2", "a3"]) lanes.enqueue(item("ann", name, { named: true }));
  for (const name of ["g1", "g2"]) lanes.enqueue(item("g", name));
  for (let turn = 0; turn < 5; turn += 1) {
    endOne(running);
    await settle();
  }
  assert.deepEqual(started, ["a1", "g1", "a2", "g2", "a3"]);
});

test("SE-090 free identities hold at most seven of eight places to think, so a named person finds one at once", () => {
  const { lanes, running, started } = scripted({ concurrentTurns: 8 });
  for (let at = 0; at < 20; at += 1) lanes.enqueue(item(`g${at}`, `g${at}`, { direct: true }));
  assert.equal(started.length, 7);
  lanes.enqueue(item("ann", "a1", { named: true, direct: true }));
  assert.equal(started.at(-1), "a1");
  running.get("g0")?.thought();
  assert.equal(started.at(-1), "g7");
});

test("MC-045 TR-050 cases A70 three short lines are one turn, 900 ms after the last", async () => {
  const { lanes, clock, started } = scripted({}, ROOM);
  for (const name of ["a1", "a2", "a3"]) {
    lanes.enqueue(item("ann", name));
    await clock.advance(800);
  }
  await clock.advance(99);
  assert.deepEqual(started, []);
  await clock.advance(1);
  assert.deepEqual(started, ["a1+a2+a3"]);
  assert.equal(clock.pending, 0);
});

test("TR-050 a thought is held 4 s at most", async () => {
  const { lanes, clock, started } = scripted({}, ROOM);
  for (let at = 0; at < 6; at += 1) {
    lanes.enqueue(item("ann", `a${at}`));
    await clock.advance(800);
  }
  assert.deepEqual(started, ["a0+a1+a2+a3+a4"]);
});

test("TR-050 a thought has at most 8 lines and 4 KiB; what is more begins the next", async () => {
  const eight = scripted({}, ROOM);
  for (let at = 0; at < 9; at += 1) eight.lanes.enqueue(item("ann", `a${at}`));
  assert.deepEqual(eight.started, ["a0+a1+a2+a3+a4+a5+a6+a7"], "it can take no more, so nobody waits for more");
  eight.running.get(eight.started[0] ?? "")?.end();
  await eight.clock.advance(900);
  assert.deepEqual(eight.started.slice(1), ["a8"]);
  const large = scripted({}, ROOM);
  for (const [name, bytes] of [
    ["a0", 2_000],
    ["a1", 2_095],
    ["a2", 1],
  ] as const)
    large.lanes.enqueue(item("ann", name, { text: "x".repeat(bytes) }));
  assert.deepEqual(large.started, ["a0+a1"], "4,096 bytes with the line break, and not one more");
  const long = scripted({}, ROOM);
  long.lanes.enqueue(item("ann", "a0", { text: "x".repeat(9_000) }));
  long.lanes.enqueue(item("ann", "a1"));
  assert.deepEqual(long.started, ["a0"], "one line may be longer, alone");
});

test("TR-014 cases A23 lines of two people, and public and direct ones, never join", async () => {
  const { lanes, clock, started, running } = scripted({}, ROOM);
  lanes.enqueue(item("ann", "a1"));
  lanes.enqueue(item("ben", "b1"));
  lanes.enqueue(item("ann", "d1", { direct: true }));
  lanes.enqueue(item("ann", "a2"));
  lanes.enqueue(item("ben", "b2"));
  await clock.advance(900);
  running.get("a1+a2")?.end();
  await clock.advance(0);
  assert.deepEqual(started.toSorted(), ["a1+a2", "b1+b2", "d1"]);
});

test("TR-050 lines that come while a turn runs are gathered when their turn comes, and still held while their person writes", async () => {
  const { lanes, clock, started, running } = scripted({}, ROOM);
  lanes.enqueue(item("ann", "a1"));
  await clock.advance(900);
  for (const name of ["a2", "a3"]) {
    lanes.enqueue(item("ann", name));
    await clock.advance(1_000);
  }
  running.get("a1")?.end();
  await settle();
  assert.deepEqual(started, ["a1", "a2+a3"]);
  for (const name of ["a4", "a5"]) {
    await clock.advance(500);
    lanes.enqueue(item("ann", name));
  }
  running.get("a2+a3")?.end();
  await clock.advance(899);
  assert.deepEqual(started, ["a1", "a2+a3"], "its turn has come, and its person may still be writing");
  await clock.advance(1);
  assert.deepEqual(started, ["a1", "a2+a3", "a4+a5"]);
  lanes.enqueue(item("ann", "a6"));
  await clock.advance(1_500);
  lanes.enqueue(item("ann", "a7"));
  running.get("a4+a5")?.end();
  await settle();
  assert.equal(started.length, 3, "a6 was whole, and its person has gone on writing");
  await clock.advance(900);
  assert.equal(started.at(-1), "a6+a7");
});

test("TR-050 a command is held by nothing", () => {
  const { lanes, started } = scripted({}, ROOM);
  lanes.enqueue(item("ann", "c1", { command: true }));
  assert.deepEqual(started, ["c1"]);
});

test("TR-050 a line that is withdrawn leaves the thought, and an empty lane holds no timer", async () => {
  const { lanes, clock, started } = scripted({}, ROOM);
  const lines = ["a1", "a2", "a3"].map((name) => item("ann", name));
  for (const line of lines) lanes.enqueue(line);
  assert.equal(
    lanes.withdraw(item("ann", "").row, (one) => one.name === "a2"),
    lines[1],
  );
  assert.equal(
    lanes.withdraw(item("ann", "").row, (one) => one.name === "a2"),
    null,
  );
  await clock.advance(900);
  assert.deepEqual(started, ["a1+a3"]);
  lanes.enqueue(item("ben", "b1"));
  assert.equal(clock.pending, 1);
  lanes.withdraw(item("ben", "").row, () => true);
  assert.equal(clock.pending, 0);
  assert.deepEqual(lanes.counts, { waiting: 0, lanes: 0, thinking: 1 });
});

test("TR-044 what an earlier process left runs once all of it is there", () => {
  const { lanes, started } = scripted({}, { ...ROOM, quietMs: 0 });
  lanes.enqueueAll(["a1", "a2", "a3"].map((name) => item("ann", name)));
  assert.deepEqual(started, ["a1+a2+a3"]);
});

test("TR-007 a command runs beside the lane", () => {
  const { lanes, started } = scripted();
  lanes.enqueue(item("ann", "a1"));
  lanes.enqueue(item("ann", "c1", { command: true }));
  assert.deepEqual(started, ["a1", "c1"]);
});

test("TR-042 leftovers hold their place until they are out", async () => {
  const { lanes, started } = scripted();
  let out: () => void = () => {};
  lanes.occupy(MIRELLE, publicPlace(PARLOUR), () => new Promise<void>((resolve) => (out = resolve)));
  lanes.enqueue(item("ann", "a1"));
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
    fc.asyncProperty(fc.array(arrival, { maxLength: 40 }), fc.constantFrom(APART, ROOM, { ...ROOM, quietMs: 0 }), async (steps, timing) => {
      const { lanes, clock, running, started } = scripted({ concurrentTurns: 3 }, timing);
      const withdrawn = new Set<string>();
      const laneOf = (name: string): string => name.split("+")[0]?.split(".").slice(0, 2).join(".") ?? "";
      for (const [at, { who, direct, afterMs, bytes, ends, withdraws }] of steps.entries()) {
        const line = item(who, `${who}.${direct ? "d" : "p"}.${at}`, { direct, named: who === "cy", text: "x".repeat(bytes) });
        lanes.enqueue(line);
        if (withdraws && lanes.withdraw(line.row, (one) => one === line) !== null) withdrawn.add(line.name);
        for (let n = 0; n < ends; n += 1) endOne(running);
        await clock.advance(afterMs);
        const busy = [...running.keys()].map(laneOf);
        assert.equal(new Set(busy).size, busy.length, "two turns of a lane");
        assert.ok(busy.filter((lane) => lane.endsWith(".p")).length <= 1, "two turns of a place");
      }
      for (let quiet = 0; quiet < 2;) {
        await clock.advance(4_000);
        quiet = endOne(running) ? 0 : quiet + 1;
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
    }),
    { numRuns: 80 },
  );
});

function endOne(running: Map<string, { end: () => void }>): boolean {
  for (const [name, run] of running) {
    running.delete(name);
    run.end();
    return true;
  }
  return false;
}
