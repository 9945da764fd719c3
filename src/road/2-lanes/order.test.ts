import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE, PARLOUR } from "../../testing/road-fixtures.ts";
import type { ScriptedLanes } from "../../testing/scripted-lanes.ts";
import { APART, GATHERED, laneItem, scriptedLanes } from "../../testing/scripted-lanes.ts";
import { publicPlace } from "../../vocabulary/place.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Let turn after turn end until none runs; gives the turns in the order in which they began. */
async function playOut({ started, endOne }: ScriptedLanes): Promise<readonly string[]> {
  for (await settle(); endOne();) await settle();
  return started;
}

/** Keep the place busy, as what an earlier process left does; call what is returned to let it go. */
function busy({ lanes }: ScriptedLanes): () => void {
  let end: () => void = () => {};
  lanes.occupy(MIRELLE, publicPlace(PARLOUR), () => new Promise<void>((resolve) => (end = resolve)));
  return () => end();
}

/** A clock whose timers ring so much off their time, in the order in which they are set. */
class RoughClock extends ManualClock {
  readonly #offMs: ReadonlyMap<number, number>;
  #set = 0;

  constructor(offMs: ReadonlyMap<number, number>) {
    super();
    this.#offMs = offMs;
  }

  override after(ms: number, action: () => void): Disposable {
    return super.after(ms + (this.#offMs.get(this.#set++) ?? 0), action);
  }
}

test("MC-045 cases B61 whoever spoke first is answered first, however many wait and in whichever order the timers of a moment ring", async () => {
  // The first timer rings a little early, as timers do, and the one that is set in its place late.
  const OTHERS = 200;
  for (const offMs of [
    new Map([[0, 30]]),
    new Map([[0, -1]]),
    new Map([
      [0, -1],
      [OTHERS + 3, 30],
    ]),
  ]) {
    const scripted = scriptedLanes({}, GATHERED, new RoughClock(offMs));
    const { lanes, clock } = scripted;
    for (const who of ["ann", "ben", "cy"]) {
      lanes.enqueue(laneItem(who, `${who}'s`));
      await clock.advance(5);
      if (who === "ben") for (let at = 0; at < OTHERS; at += 1) lanes.enqueue(laneItem(`o${at}`, `other ${at}`, { direct: true }));
    }
    await clock.advance(GATHERED.quietMs);
    const turns = await playOut(scripted);
    assert.deepEqual(
      turns.filter((name) => name.endsWith("'s")),
      ["ann's", "ben's", "cy's"],
    );
    assert.equal(turns.length, OTHERS + 3);
  }
});

test("MC-045 TR-042 what an earlier process left, what was said since and what is told late are answered in the order in which they were said", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  const free = busy(scripted);
  // Ann's first line died with the process, so it joins none of hers that waited behind it.
  lanes.enqueueAll([
    laneItem("ann", "2", { position: 2, mark: "died" }),
    laneItem("ann", "3", { position: 3, mark: "kept" }),
    laneItem("ben", "5", { position: 5, mark: "kept" }),
  ]);
  for (const [who, position] of [
    ["cy", 6],
    ["ann", 7],
    ["dee", 8],
    ["eve", 4],
    ["cy", 1],
  ] as const)
    lanes.enqueue(laneItem(who, `${position}`, { position }));
  free();
  assert.deepEqual(await playOut(scripted), ["1", "2", "3", "4", "5", "6", "7", "8"]);
});

test("MC-045 a line that is told late stands before its person's later ones, and is gathered with them", async () => {
  const scripted = scriptedLanes({}, GATHERED);
  const { lanes, clock } = scripted;
  for (const [who, position] of [
    ["ann", 2],
    ["ben", 3],
    ["ann", 1],
    ["ben", 4],
  ] as const)
    lanes.enqueue(laneItem(who, `${position}`, { position }));
  await clock.advance(GATHERED.quietMs);
  assert.deepEqual(await playOut(scripted), ["1+2", "3+4"]);
  assert.equal(clock.pending, 0);
});

test("MC-045 who waits is put in order anew when their first line is withdrawn", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  const free = busy(scripted);
  for (const [who, position] of [
    ["ann", 1],
    ["ben", 2],
    ["ann", 3],
  ] as const)
    lanes.enqueue(laneItem(who, `${position}`, { position }));
  lanes.withdraw(laneItem("ann", "").row, ({ name }) => name === "1");
  free();
  assert.deepEqual(await playOut(scripted), ["2", "3"]);
});

test("MC-045 property: however lines come in, a place answers them in the order of its platform, as far as they are there when a turn begins", async () => {
  const people = fc.constantFrom(..."abcdefgh");
  const line = fc.record({ position: fc.nat(1_000), who: people, runs: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(line, { maxLength: 30, selector: ({ position }) => position }), async (lines) => {
      const scripted = scriptedLanes({}, { ...APART, fragments: 8 });
      const { lanes, started, endOne } = scripted;
      const waiting = new Map<string, number[]>();
      let seen = 0;
      // What ran was, of all that waited, the thought that was begun first.
      const check = (): void => {
        for (const turn of started.slice(seen)) {
          const [who = "", ...positions] = turn.split(/[:+]/);
          const first = Math.min(...[...waiting.values()].flat());
          assert.equal(Number(positions[0]), first);
          assert.equal(waiting.get(who)?.[0], first);
          waiting.set(who, (waiting.get(who) ?? []).slice(turn.split("+").length));
        }
        seen = started.length;
      };
      for (const { position, who, runs } of lines) {
        waiting.set(
          who,
          [...(waiting.get(who) ?? []), position].toSorted((a, b) => a - b),
        );
        lanes.enqueue(laneItem(who, `${who}:${position}`, { position }));
        check();
        if (!runs) continue;
        endOne();
        await settle();
        check();
      }
      for (await settle(); endOne();) {
        await settle();
        check();
      }
      assert.equal(started.flatMap((turn) => turn.split("+")).length, lines.length);
    }),
  );
});

test("MC-046 a person who had three turns while others wait goes behind them, each first in first out", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"]) lanes.enqueue(laneItem("ann", name));
  lanes.enqueue(laneItem("ben", "b1"));
  lanes.enqueue(laneItem("cy", "c1"));
  lanes.enqueue(laneItem("ben", "b2"));
  // The first one ran at once: nobody waited.
  assert.deepEqual(await playOut(scripted), ["a1", "a2", "a3", "a4", "b1", "c1", "b2", "a5", "a6", "a7", "a8", "a9"]);
});

test("MC-046 whoever floods a place waits for those who are there, not for everybody who comes later", async () => {
  const scripted = scriptedLanes();
  const { lanes, started, endOne } = scripted;
  for (let at = 0; at < 60; at += 1) lanes.enqueue(laneItem("ann", `a${at}`, { position: at }));
  for (let at = 0; at < 12; at += 1) {
    lanes.enqueue(laneItem(`p${at}`, `p${at}`, { position: 100 + at }));
    endOne();
    await settle();
  }
  assert.deepEqual(started, ["a0", "a1", "a2", "a3", "p0", "p1", "p2", "a4", "a5", "a6", "p3", "p4", "p5"]);
});

test("SE-090 MC-046 in a place full of free identities a named person waits for one turn, whenever they spoke", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  for (let at = 0; at < 50; at += 1) lanes.enqueue(laneItem(`g${at}`, `g${at}`, { position: at }));
  lanes.enqueue(laneItem("ann", "a1", { named: true, position: 60 }));
  lanes.enqueue(laneItem("ben", "b1", { named: true, position: 61 }));
  const turns = await playOut(scripted);
  assert.deepEqual(turns.slice(0, 6), ["g0", "a1", "g1", "b1", "g2", "g3"]);
});

test("SE-090 MC-046 named people and free identities take turns: neither waits for all of the other, and nobody waits behind who spoke later", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  for (const name of ["a1", "a2", "a3", "a4", "a5", "a6"]) lanes.enqueue(laneItem("ann", name, { named: true }));
  for (const name of ["g1", "g2"]) lanes.enqueue(laneItem("g", name));
  lanes.enqueue(laneItem("ben", "b1", { named: true }));
  assert.deepEqual(await playOut(scripted), ["a1", "a2", "a3", "a4", "g1", "b1", "g2", "a5", "a6"]);
});

test("SE-090 MC-045 once a place is free again, named and free are answered as they spoke", async () => {
  const scripted = scriptedLanes();
  const { lanes } = scripted;
  const free = busy(scripted);
  for (const [position, named] of [true, false, true, false].entries())
    lanes.enqueue(laneItem(`p${position}`, `${position}`, { named, position }));
  lanes.enqueue(laneItem("late", "late", { position: -1 }));
  free();
  assert.deepEqual(await playOut(scripted), ["late", "0", "1", "2", "3"]);
});
