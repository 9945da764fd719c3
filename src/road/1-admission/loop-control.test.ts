import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ManualClock } from "../../testing/manual-clock.ts";
import { PARLOUR } from "../../testing/road-fixtures.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { LoopLine } from "./loop-control.ts";
import { LoopControl, STANDARD_ROUNDS } from "./loop-control.ts";

const PLACE = publicPlace(PARLOUR).id;
const [ANN, BEN, BOT_B, BOT_C] = ["ann", "ben", "bot-b", "bot-c"].map((name) => parsePrincipalId(`discord:${name}`)) as [
  PrincipalId,
  PrincipalId,
  PrincipalId,
  PrincipalId,
];
/** No loop outlives this: eight exchanges for each round, and the line that is refused. */
const BOUND = STANDARD_ROUNDS * 8;

/** A place where each admitted line is answered after `thinkMs`. */
class Scene {
  readonly clock = new ManualClock();
  readonly loops = new LoopControl(this.clock);
  readonly refused: PrincipalId[] = [];
  admitted = 0;
  firsts = 0;

  async say(person: PrincipalId, afterMs: number, line: Partial<LoopLine> = {}): Promise<boolean> {
    await this.clock.advance(afterMs);
    const judged = this.loops.judge(
      { place: PLACE, person, partition: "free", flagged: false, text: words(this.admitted + this.refused.length), names: true, ...line },
      STANDARD_ROUNDS,
    );
    if (judged.kind === "loop") {
      this.refused.push(person);
      this.firsts += judged.first ? 1 : 0;
      return false;
    }
    this.admitted += 1;
    return true;
  }

  async answer(thinkMs = 0): Promise<void> {
    await this.clock.advance(thinkMs);
    this.loops.spoke(PLACE);
  }

  /** A line that is answered if it is admitted. */
  async exchange(person: PrincipalId, afterMs: number, line: Partial<LoopLine> = {}, thinkMs = 0): Promise<boolean> {
    const passed = await this.say(person, afterMs, line);
    if (passed) await this.answer(thinkMs);
    return passed;
  }
}

/** Different words each time, some twenty letters. */
function words(at: number): string {
  return `what of matter ${at.toString(36).repeat(3)} then`;
}

test("TR-023 cases A1 two bots that always mention each other stop after six rounds, with one notice, and a person re-arms them", async () => {
  const scene = new Scene();
  assert.equal(await scene.exchange(ANN, 0, { text: "talk to the bot" }), true);
  for (let round = 0; round < 40; round += 1) await scene.exchange(BOT_B, 3_000, { flagged: true });
  assert.equal(scene.admitted, 1 + STANDARD_ROUNDS);
  assert.equal(scene.firsts, 1, "one notice");
  assert.equal(await scene.exchange(ANN, 3_000, { text: "and now once more" }), true, "a person re-arms");
  for (let round = 0; round < 40; round += 1) await scene.exchange(BOT_B, 3_000, { flagged: true });
  assert.equal(scene.admitted, 2 * (1 + STANDARD_ROUNDS));
  assert.equal(scene.firsts, 2);
});

test("TR-023 a flagged bot never starts a stopped place again, however long it waits", async () => {
  const scene = new Scene();
  for (let round = 0; round < 10; round += 1) await scene.exchange(BOT_B, 3_000, { flagged: true });
  assert.equal(await scene.exchange(BOT_B, 3_600_000, { flagged: true }), false);
  assert.equal(await scene.exchange(BOT_C, 1_000, { flagged: true }), false, "nor another one");
});

test("TR-023 cases A2 without a flag a loop at a machine's pace, to the clock, or in the same words stops within a dozen rounds", async () => {
  for (const [name, afterMs, text] of [
    ["at once", () => 50, words],
    ["to the clock", () => 20_000, words],
    ["in the same words", (at: number) => 4_000 + (at % 5) * 4_000, () => "goodbye, and thank you so much"],
  ] as const) {
    const scene = new Scene();
    for (let round = 0; round < 60; round += 1) if (!(await scene.exchange(BOT_B, afterMs(round), { text: text(round) }, 2_000))) break;
    assert.ok(scene.admitted <= 2 * STANDARD_ROUNDS + 3, `${name}: ${scene.admitted} rounds`);
    assert.equal(scene.firsts, 1, name);
  }
});

test("TR-023 cases A2 two bots that always mention each other stop, at whatever uneven times up to a minute and in whatever words", async () => {
  let longest = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.infiniteStream(fc.integer({ min: 0, max: 60_000 })),
      fc.infiniteStream(fc.string({ minLength: 1, maxLength: 80 })),
      async (times, texts) => {
        const scene = new Scene();
        for (let round = 0; round < 200; round += 1) {
          const afterMs = times.next().value;
          // Who only answers has nothing to answer once the other is silent.
          if (!(await scene.exchange(BOT_B, afterMs, { text: `${texts.next().value} ${round}` }, 1_500))) break;
        }
        longest = Math.max(longest, scene.admitted);
        assert.ok(scene.admitted <= BOUND, `${scene.admitted} rounds`);
      },
    ),
    { seed: 7, numRuns: 150 },
  );
  assert.ok(longest > STANDARD_ROUNDS, "slow ones do get further than the rounds");
});

test("TR-023 cases A3 rings stop like pairs: three flagged bots, three unflagged ones, and one of each", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.boolean(), { minLength: 2, maxLength: 4 }),
      fc.infiniteStream(fc.integer({ min: 200, max: 60_000 })),
      async (flags, times) => {
        const scene = new Scene();
        const ring = flags.map((flagged, at) => ({ person: parsePrincipalId(`discord:ring-${at}`), flagged }));
        let silent = 0;
        for (let round = 0; round < 400 && silent < 30; round += 1) {
          const one = ring[round % ring.length] ?? assert.fail("an empty ring");
          silent = (await scene.exchange(one.person, times.next().value, { flagged: one.flagged }, 500)) ? 0 : silent + 1;
        }
        assert.equal(silent, 30, "it stays silent");
        assert.ok(scene.admitted <= ring.length * (BOUND + STANDARD_ROUNDS), `${scene.admitted} rounds`);
      },
    ),
    { seed: 11, numRuns: 150 },
  );
});

test("TR-023 a ring whose other members speak to each other as well is no talk that writes on by itself", async () => {
  const scene = new Scene();
  for (let round = 0; round < 100; round += 1) {
    await scene.exchange(BOT_B, 9_000 + (round % 7) * 3_000);
    await scene.say(BOT_C, 8_000 + (round % 5) * 2_000);
    await scene.clock.advance(1_000);
    scene.loops.overheard(PLACE);
  }
  assert.ok(scene.admitted <= BOUND, `${scene.admitted} rounds`);
});

/** One step of somebody who chats like people do. */
interface Step {
  readonly letters: number;
  readonly thinkMs: number;
  readonly lettersPerS: number;
  readonly habit: "answer" | "second" | "paste" | "ahead" | "short" | "pause";
}

const STEP: fc.Arbitrary<Step> = fc.record({
  letters: fc.integer({ min: 1, max: 160 }),
  thinkMs: fc.integer({ min: 500, max: 12_000 }),
  lettersPerS: fc.integer({ min: 3, max: 10 }),
  habit: fc.oneof(
    { weight: 60, arbitrary: fc.constant("answer" as const) },
    { weight: 18, arbitrary: fc.constant("second" as const) },
    { weight: 5, arbitrary: fc.constant("paste" as const) },
    { weight: 5, arbitrary: fc.constant("ahead" as const) },
    { weight: 10, arbitrary: fc.constant("short" as const) },
    { weight: 2, arbitrary: fc.constant("pause" as const) },
  ),
});

async function live(scene: Scene, step: Step, at: number, line: { person: PrincipalId; names: boolean }): Promise<boolean> {
  const { person, names } = line;
  const text = step.habit === "short" ? "ok" : `${"x".repeat(step.letters)}${at}`;
  const written = step.thinkMs + (text.length * 1_000) / step.lettersPerS;
  const afterMs = { answer: written, second: written, paste: 3_000, ahead: 150, short: 1_500, pause: 700_000 }[step.habit];
  if (!(await scene.say(person, afterMs, { text, names }))) return false;
  if (step.habit === "second") {
    const more = `${"y".repeat(step.letters)}${at}`;
    if (!(await scene.say(person, 900 + (more.length * 1_000) / step.lettersPerS, { text: more, names }))) return false;
  }
  await scene.answer(1_200);
  return true;
}

test("TR-023 a person who chats fast, but as people do, is never stopped, by name each time or not", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 250, maxLength: 250 }), fc.boolean(), async (steps, names) => {
      const scene = new Scene();
      for (const [at, step] of steps.entries()) assert.ok(await live(scene, step, at, { person: ANN, names }), `stopped at ${at}`);
    }),
    { seed: 5, numRuns: 60, endOnFailure: true },
  );
});

test("TR-023 two people and a bot in one place: neither person is stopped", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(STEP, fc.boolean()), { minLength: 150, maxLength: 150 }), async (steps) => {
      const scene = new Scene();
      for (const [at, [step, first]] of steps.entries()) {
        assert.ok(await live(scene, step, at, { person: first ? ANN : BEN, names: true }), `stopped at ${at}`);
        if (at % 3 === 0) await scene.exchange(BOT_B, 2_000, { flagged: true });
      }
    }),
    { seed: 3, numRuns: 40, endOnFailure: true },
  );
});

test("TR-023 in a line that needs no name nobody is stopped for answering each time", async () => {
  const scene = new Scene();
  for (let round = 0; round < 500; round += 1)
    assert.equal(await scene.exchange(ANN, 9_000 + (round % 11) * 1_700, { names: false }), true);
});

test("TR-023 whoever was taken for a bot loses one line: the next one, which nothing prompted, starts the place again", async () => {
  const scene = new Scene();
  let round = 0;
  while (await scene.exchange(ANN, 9_000 + (round % 11) * 1_700)) round += 1;
  assert.equal(round, BOUND);
  assert.equal(await scene.say(ANN, 6_000), true);
});

test("TR-023 somebody who had no part in a slow loop starts the place again, and what only answers does not", async () => {
  const scene = new Scene();
  let round = 0;
  while (await scene.exchange(BOT_B, 20_000 + (round % 7) * 5_000)) round += 1;
  scene.loops.overheard(PLACE);
  assert.equal(await scene.say(BOT_B, 20_000), false);
  assert.equal(await scene.exchange(BEN, 30_000), true);
});

test("SE-090 a flood of direct lines of free identities makes no public place forget its loop", async () => {
  const scene = new Scene();
  for (let round = 0; round < 10; round += 1) await scene.exchange(BOT_B, 3_000, { flagged: true });
  for (let at = 0; at < 3_000; at += 1) {
    const person = parsePrincipalId(`room:g-${at}`);
    scene.loops.judge(
      { place: `direct:mirelle:${person}` as typeof PLACE, person, partition: "free", flagged: false, text: "hello", names: false },
      STANDARD_ROUNDS,
    );
  }
  assert.equal(await scene.exchange(BOT_B, 3_000, { flagged: true }), false);
});
