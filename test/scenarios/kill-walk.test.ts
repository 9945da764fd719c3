import assert from "node:assert/strict";
import { test } from "node:test";
import type { KillPoint, KillReport } from "./kill-run.ts";
import { APART } from "./kill-run.ts";
import type { KillSeries } from "./kill-walk.ts";
import { EVERYWHERE, killsOf, walkKills } from "./kill-walk.ts";

const series: KillSeries = { script: APART, at: "commit", when: "both", readsBack: true };
const none = (): boolean => false;

/** A run that has `last` commits, and what was killed where. */
function runs(last: number): { played: KillPoint[]; play: (kills: readonly KillPoint[]) => Promise<KillReport> } {
  const played: KillPoint[] = [];
  return {
    played,
    play(kills) {
      const [first] = kills;
      assert.ok(first);
      played.push(first);
      const killed = first.n <= last;
      return Promise.resolve({ killed, deaths: killed ? kills.length : 0, ends: { answered: 1 }, unknownParts: 1, joined: 0 });
    },
  };
}

test("TR-042 a walk takes every n once, from the first to those that runs outlive, and counts only what was reached", async () => {
  const { played, play } = runs(50);
  const told: string[] = [];
  const walked = await walkKills(series, { range: EVERYWHERE, secondKills: (n) => n % 3 === 0, tell: (line) => told.push(line) }, play);
  const points = played.map(({ n }) => n).toSorted((a, b) => a - b);
  assert.deepEqual(
    points,
    Array.from(points, (_, at) => at + 1),
  );
  assert.ok(points.length >= 54 && points.length <= 56, `it went on to ${points.length}`);
  assert.deepEqual([walked.points, walked.deaths], [50, 50 + 16]);
  assert.match(told.at(-1) ?? "", /commit, with read-back: 50 kill points, 66 lives killed/);
});

test("TR-042 a part of a walk takes exactly its points", async () => {
  const { played, play } = runs(1_000);
  const walked = await walkKills(series, { range: { from: 40, to: 80 }, secondKills: none, tell: () => {} }, play);
  assert.deepEqual(
    played.map(({ n }) => n).toSorted((a, b) => a - b),
    Array.from({ length: 41 }, (_, at) => 40 + at),
  );
  assert.equal(walked.points, 41);
});

test("TR-042 a walk whose runs never outlive their point is a fault, and so is a run in which something does not hold", async () => {
  const how = { range: EVERYWHERE, secondKills: none, tell: (): void => {} };
  await assert.rejects(walkKills(series, how, runs(Infinity).play), /never outlived/);
  await assert.rejects(
    walkKills(series, how, () => Promise.reject(new assert.AssertionError({ message: "a part was said twice" }))),
    /said twice/,
  );
});

test("TR-042 a point comes before and after by turns, or as its series says; a second kill is a commit of the recovery", () => {
  const where = (when: KillSeries["when"], n: number, second: boolean): string[] =>
    killsOf({ ...series, when }, n, second).map((one) => `${one.when} ${one.at} ${one.n}`);
  assert.deepEqual([where("both", 1, false), where("both", 2, false)], [["before commit 1"], ["after commit 2"]]);
  assert.deepEqual([where("after", 1, false), where("before", 2, false)], [["after commit 1"], ["before commit 2"]]);
  assert.deepEqual(where("before", 9, true), ["before commit 9", "after commit 3"]);
});
