import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { after, test } from "node:test";
import { TWO_PLATFORMS, messagesOf, playKillRun, scriptOf } from "./kill-run.ts";
import type { KillSeries, Range, Walked } from "./kill-walk.ts";
import { EVERYWHERE, describeWalk, killsOf, nameOf, playPoint, randomFrom, walkKills } from "./kill-walk.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

/**
 * The larger run, on two platforms with ledgers of their own at once. `npm run test:kill` walks every n of every series;
 * `TROUPE_KILL_SERIES` (a part of a series' name), `TROUPE_KILL_FROM` and `TROUPE_KILL_TO` make it a part of that. The other sets
 * draw one point of each kind, from the seed that is printed.
 */
const WALKS = process.env["TROUPE_TEST_DEPTH"] === "kill";
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));
const RANGE: Range = { from: numberIn("TROUPE_KILL_FROM", EVERYWHERE.from), to: numberIn("TROUPE_KILL_TO", EVERYWHERE.to) };
/** Points that are drawn lie below this, in every run. */
const REACHED = 60;

function numberIn(name: string, otherwise: number): number {
  const given = Number(process.env[name] ?? otherwise);
  assert.ok(
    Number.isInteger(given) && given >= EVERYWHERE.from && given <= EVERYWHERE.to,
    `${name} is a number from 1 to ${EVERYWHERE.to}`,
  );
  return given;
}

const runtime = await bundleRuntime();
after(() => runtime[Symbol.asyncDispose]());

const ALL: readonly KillSeries[] = (["commit", "send"] as const).flatMap((at) =>
  (["before", "after"] as const).flatMap((when) => [true, false].map((readsBack) => ({ script: TWO_PLATFORMS, at, when, readsBack }))),
);
const ASKED = ALL.filter((series) => nameOf(series).includes(process.env["TROUPE_KILL_SERIES"] ?? ""));
assert.ok(ASKED.length > 0, `TROUPE_KILL_SERIES is a part of one of: ${ALL.map(nameOf).join("; ")}`);

test("TR-042 200 messages of 20 people on two platforms at once, fragments and floods among them, are each answered once", async (t) => {
  assert.equal(messagesOf(TWO_PLATFORMS), 200);
  assert.equal(new Set(TWO_PLATFORMS.flatMap(scriptOf).map(({ person }) => person)).size, 20);
  const report = await playKillRun({ runtime, script: TWO_PLATFORMS, readsBack: true, kills: [] }, t.signal);
  assert.deepEqual(report.ends, { answered: 175, silent: 25 });
  assert.equal(report.unknownParts, 0);
  assert.ok(report.joined > 40, `only ${report.joined} lines were joined`);
});

if (WALKS) {
  for (const series of ASKED) {
    test(`two platforms, killed ${nameOf(series)}, at every n (TR-042, TR-044): one end state each, no part twice, none out of order, nothing lost`, async (t) => {
      const tell = (line: string): void => void process.stdout.write(`kill: two platforms, ${line}\n`);
      const how = { range: RANGE, secondKills: (n: number): boolean => n % 3 === 0, tell };
      const walked = await walkKills(series, how, (kills) => playPoint(series, kills, { runtime, signal: t.signal }));
      assert.ok(walked.points > 0, "the points were reached");
      t.diagnostic(describeWalk(walked));
    });
  }
} else {
  test("TR-042 TR-044 two platforms, killed at a commit and at a send, before and after: one end state each, no part twice, none out of order, nothing lost", async (t) => {
    t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
    const next = randomFrom(SEED);
    const walked: { -readonly [key in keyof Walked]: number } = { points: 0, deaths: 0, unknownParts: 0, interrupted: 0 };
    for (const series of ALL.filter(({ readsBack, when }) => readsBack === ((when === "before") === (SEED % 2 === 0)))) {
      const n = 1 + next(REACHED);
      const report = await playPoint(series, killsOf(series, n, n % 3 === 0), { runtime, signal: t.signal });
      walked.points += report.killed ? 1 : 0;
      walked.deaths += report.deaths;
      walked.unknownParts += report.unknownParts;
    }
    assert.ok(walked.points > 0, "the points were reached");
    t.diagnostic(describeWalk(walked));
  });
}
