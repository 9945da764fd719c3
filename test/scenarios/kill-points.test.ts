import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import type { TestContext } from "node:test";
import { APART, FRAGMENTS, playKillRun } from "./kill-run.ts";
import type { KillSeries, Walked } from "./kill-walk.ts";
import { EVERYWHERE, describeWalk, killsOf, playPoint, randomFrom, walkKills } from "./kill-walk.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

/**
 * Walking means n = 1, 2, … until runs outlive their point: `npm test` walks the runs whose lines stand apart, `npm run test:kill`
 * all. Otherwise a few points of each series are drawn. A walk kills the recovery too at every third point, `npm test` at every
 * sixth. The seed is printed so that a failure can be played again (`TROUPE_TEST_SEED`).
 */
const DEPTH = process.env["TROUPE_TEST_DEPTH"];
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));
const SAMPLES = 4;

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
  assert.deepEqual(report.ends, { answered: 78, silent: 12 });
  assert.equal(report.unknownParts, 0);
  assert.ok(report.joined > 20, `only ${report.joined} lines were joined`);
});

for (const { title, script } of [
  { title: "lines apart", script: APART },
  { title: "fragments and a flood", script: FRAGMENTS },
]) {
  for (const at of ["commit", "send"] as const) {
    for (const readsBack of [true, false]) {
      test(`TR-042 TR-044 TR-050 ${title}, killed at the n-th ${at}, ${readsBack ? "with" : "without"} read-back: one end state each, no part twice, none out of order`, async (t) => {
        t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
        const series: KillSeries = { script, at, when: "both", readsBack };
        const walks = DEPTH === "kill" || (DEPTH === "all" && script === APART);
        const walked = walks ? await walk(series, t) : await sample(series, t);
        assert.ok(walked.points >= samplesOf(series), "the points were reached");
        t.diagnostic(describeWalk(walked));
      });
    }
  }
}

/** Half as many points of the longer runs, so that a check stays short. */
function samplesOf({ script }: KillSeries): number {
  return script === APART ? SAMPLES : SAMPLES / 2;
}

function walk(series: KillSeries, { signal }: TestContext): Promise<Walked> {
  const secondKills = (n: number): boolean => (DEPTH === "all" ? (n + SEED) % 6 === 0 : n % 3 === 0);
  const tell = (line: string): void => void process.stdout.write(`kill: ${line}\n`);
  return walkKills(series, { range: EVERYWHERE, secondKills, tell }, (kills) => playPoint(series, kills, { runtime, signal }));
}

async function sample(series: KillSeries, { signal }: TestContext): Promise<Walked> {
  const { at, readsBack, script } = series;
  const next = randomFrom(SEED + (at === "send" ? 1 : 0) + (readsBack ? 2 : 0) + (script === APART ? 0 : 4));
  const walked = { points: 0, deaths: 0, unknownParts: 0, interrupted: 0 };
  for (let one = 0; one < samplesOf(series); one += 1) {
    const n = 1 + next(18);
    const report = await playPoint(series, killsOf(series, n, n % 3 === 0), { runtime, signal });
    walked.points += report.killed ? 1 : 0;
    walked.deaths += report.deaths;
    walked.unknownParts += report.unknownParts;
  }
  return walked;
}
