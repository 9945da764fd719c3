import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import type { KillPoint, KillReport, KillScript } from "./kill-run.ts";
import { APART, FRAGMENTS, playKillRun } from "./kill-run.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

/**
 * Walking means n = 1, 2, … until a run outlives its point: `npm test` walks the runs whose lines stand apart, `npm run
 * test:kill` all. Otherwise a few points of each series are drawn. A walk kills the recovery too at every third point, `npm
 * test` at every sixth. The seed is printed so that a failure can be played again (`TROUPE_TEST_SEED`).
 */
const DEPTH = process.env["TROUPE_TEST_DEPTH"];
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));
const SAMPLES = 4;
/** No run has as many commits or sends as this; a series that gets there has a fault. */
const MOST = 600;
const AT_ONCE = 3;

const runtime = await bundleRuntime();
after(() => runtime[Symbol.asyncDispose]());

test("TR-042 a run that nobody kills answers every message once", async (t) => {
  const report = await playKillRun({ runtime, script: APART, readsBack: true, kills: [] }, t.signal);
  assert.equal(report.killed, false);
  assert.deepEqual(report.ends, { answered: 17, silent: 3 });
  assert.equal(report.unknownParts, 0);
});

test("TR-050 TR-042 fragments and a flood that nobody kills: each line ends once, and thoughts are turns", async (t) => {
  const report = await playKillRun({ runtime, script: FRAGMENTS, readsBack: true, kills: [] }, t.signal);
  assert.equal(
    Object.values(report.ends).reduce((sum, count) => sum + count, 0),
    90,
  );
  assert.deepEqual(Object.keys(report.ends).toSorted(), ["answered", "silent"]);
  assert.equal(report.unknownParts, 0);
  assert.ok(report.joined > 20, `only ${report.joined} lines were joined`);
});

interface Series {
  readonly script: KillScript;
  readonly at: KillPoint["at"];
  readonly readsBack: boolean;
}

for (const { title, script } of [
  { title: "lines apart", script: APART },
  { title: "fragments and a flood", script: FRAGMENTS },
]) {
  for (const at of ["commit", "send"] as const) {
    for (const readsBack of [true, false]) {
      test(`TR-042 TR-044 TR-050 ${title}, killed at the n-th ${at}, ${readsBack ? "with" : "without"} read-back: one end state each, no part twice, none out of order`, async (t) => {
        const walks = DEPTH === "kill" || (DEPTH === "all" && script === APART);
        t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
        const series = { script, at, readsBack };
        const reports = walks ? await walk(series, t.signal) : await sample(series, t.signal);
        const killed = reports.filter((report) => report.killed).length;
        assert.ok(killed >= samplesOf(script), "the points were reached");
        t.diagnostic(`${killed} kill points, ${reports.reduce((sum, { unknownParts }) => sum + unknownParts, 0)} parts unknown`);
      });
    }
  }
}

/** Half as many points of the longer runs, so that a check stays short. */
function samplesOf(script: KillScript): number {
  return script === APART ? SAMPLES : SAMPLES / 2;
}

/** n = 1, 2, … until a run ends unkilled. */
async function walk(series: Series, signal: AbortSignal): Promise<readonly KillReport[]> {
  const reports: KillReport[] = [];
  for (let n = 1; n < MOST; n += AT_ONCE) {
    const batch = await Promise.all(Array.from({ length: AT_ONCE }, (_, offset) => play(series, n + offset, signal)));
    reports.push(...batch);
    if (batch.every(({ killed }) => !killed)) return reports;
  }
  return assert.fail("a run never outlived its point");
}

async function sample(series: Series, signal: AbortSignal): Promise<readonly KillReport[]> {
  const next = randomFrom(SEED + (series.at === "send" ? 1 : 0) + (series.readsBack ? 2 : 0) + (series.script === APART ? 0 : 4));
  const reports: KillReport[] = [];
  for (let one = 0; one < samplesOf(series.script); one += 1) reports.push(await play(series, 1 + next(18), signal));
  return reports;
}

/** The first life dies at n; for some n the second one too, while it recovers, at a commit that changes with n; the last is left alone. */
function play({ script, at, readsBack }: Series, n: number, signal: AbortSignal): Promise<KillReport> {
  const when = (n % 2 === 0) === readsBack ? "after" : "before";
  const dies = DEPTH === "all" ? (n + SEED) % 6 === 0 : n % 3 === 0;
  const second: readonly KillPoint[] = dies ? [{ at: "commit", n: 1 + (n % 7), when: n % 2 === 0 ? "before" : "after" }] : [];
  return playKillRun({ runtime, script, readsBack, kills: [{ at, n, when }, ...second] }, signal);
}

/** A small generator with a seed (mulberry32): whole numbers below `limit`. */
function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
