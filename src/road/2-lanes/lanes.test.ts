import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { TaskGroup } from "../../foundation/task-group.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, PARLOUR, TOBIAS } from "../../testing/road-fixtures.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { LaneFacts } from "./lanes.ts";
import { Lanes } from "./lanes.ts";

interface Item {
  readonly row: LaneFacts;
  readonly name: string;
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lanes whose runs end when the test says so. */
function scripted(limits: Partial<typeof CEILINGS | Record<keyof typeof CEILINGS, number>> = {}): {
  lanes: Lanes<Item>;
  tasks: TaskGroup;
  running: Map<string, { thought: () => void; end: () => void }>;
  started: string[];
} {
  const tasks = new TaskGroup({ clock: new ManualClock(), joinMs: 10, onFailure: (error) => assert.fail(String(error)) });
  const running = new Map<string, { thought: () => void; end: () => void }>();
  const started: string[] = [];
  const lanes = new Lanes<Item>({
    tasks,
    limits: { ...CEILINGS, ...limits },
    run: (item, thought) => {
      started.push(item.name);
      return new Promise<void>((end) => running.set(item.name, { thought, end }));
    },
  });
  return { lanes, tasks, running, started };
}

const person = (name: string) => parsePrincipalId(`room:${name}`);
const item = (who: string, name: string, options: { character?: typeof MIRELLE; direct?: boolean; command?: boolean } = {}): Item => {
  const character = options.character ?? MIRELLE;
  const place = options.direct === true ? directPlace(PARLOUR, character, person(who)) : publicPlace(PARLOUR);
  return { name, row: { character, place, person: person(who), class: options.command === true ? "command" : "talk" } };
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
  const { lanes } = scripted({ queuedPerLane: 2, senders: 2, ingress: 4 });
  lanes.enqueue(item("ann", "a0"));
  for (const name of ["a1", "a2"]) lanes.enqueue(item("ann", name));
  assert.equal(lanes.hasRoom(item("ann", "a3").row), false, "lane");
  lanes.enqueue(item("ben", "b1"));
  assert.equal(lanes.hasRoom(item("cy", "c1").row), false, "people");
  lanes.enqueue(item("ben", "b2"));
  assert.equal(lanes.hasRoom(item("ben", "b3").row), false, "road");
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

test("MC-044 MC-049 any arrival order: each runs once, in its person's order, and nothing is left behind", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ who: fc.constantFrom("ann", "ben", "cy"), direct: fc.boolean(), endFirst: fc.nat(3) }), { maxLength: 40 }),
      async (steps) => {
        const { lanes, running, started } = scripted({ concurrentTurns: 3 });
        for (const [at, step] of steps.entries()) {
          lanes.enqueue(item(step.who, `${step.who}.${step.direct ? "d" : "p"}.${at}`, { direct: step.direct }));
          for (let n = 0; n < step.endFirst; n += 1) endOne(running);
          await settle();
        }
        while (endOne(running)) await settle();
        assert.equal(started.length, steps.length);
        assert.equal(new Set(started).size, steps.length);
        for (const lane of ["ann.d", "ann.p", "ben.d", "ben.p", "cy.d", "cy.p"]) {
          const order = started.filter((name) => name.startsWith(lane)).map((name) => Number(name.split(".")[2]));
          assert.deepEqual(
            order,
            order.toSorted((a, b) => a - b),
          );
        }
        assert.deepEqual(lanes.counts, { waiting: 0, lanes: 0, thinking: 0 });
      },
    ),
    { numRuns: 60 },
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
