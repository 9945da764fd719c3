import assert from "node:assert/strict";
import type { KillPoint, KillReport, KillRun, KillScript } from "./kill-run.ts";
import { playKillRun } from "./kill-run.ts";

/** Runs that differ in where they are killed. */
export interface KillPlan {
  readonly at: KillPoint["at"];
  /** Whether the kill comes before or after the n-th of them; with `both` it changes from n to n. */
  readonly when: KillPoint["when"] | "both";
  readonly readsBack: boolean;
}

/** Runs of one script on scripted platforms. */
export interface KillSeries extends KillPlan {
  readonly script: KillScript;
}

/** What a walk found; every run in it kept what it must. */
export interface Walked {
  /** Kill points that were reached. */
  readonly points: number;
  /** Lives that were killed: some runs are killed twice. */
  readonly deaths: number;
  readonly unknownParts: number;
  readonly interrupted: number;
}

/** No run has as many commits or sends as this; a walk that gets there has a fault. */
const MOST = 2_000;
/** So many runs in a row that outlive their point are the end of a walk: how many commits a run has depends on how they are gathered. */
const OUTLIVED = 4;
const AT_ONCE = 3;

/** A part of a walk, first and last point included. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The whole walk. */
export const EVERYWHERE: Range = { from: 1, to: MOST };

/**
 * Play n = from, from + 1, … until runs outlive their point or `to` is reached, a few at once. `tell` hears of progress.
 * @throws AssertionError for a run in which something does not hold, with the point that repeats it.
 */
export async function walkKills(
  series: KillPlan,
  { range, secondKills, tell }: { range: Range; secondKills: (n: number) => boolean; tell: (line: string) => void },
  play: (kills: readonly KillPoint[]) => Promise<KillReport>,
): Promise<Walked> {
  const reports: KillReport[] = [];
  const outlived = new Set<number>();
  let next = range.from;
  const isOver = (): boolean => next > range.to || outlived.size >= OUTLIVED;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (!isOver()) {
        const n = next;
        next += 1;
        const report = await play(killsOf(series, n, secondKills(n)));
        reports.push(report);
        if (!report.killed) outlived.add(n);
        if (reports.length % 20 === 0)
          tell(`${nameOf(series)}: ${reports.length} runs, ${sum(reports, ({ deaths }) => deaths)} kills, at n = ${n}`);
      }
    }),
  );
  assert.ok(next <= MOST || range.to < MOST, "a run never outlived its point");
  const walked: Walked = {
    points: reports.filter(({ killed }) => killed).length,
    deaths: sum(reports, ({ deaths }) => deaths),
    unknownParts: sum(reports, ({ unknownParts }) => unknownParts),
    interrupted: sum(reports, ({ ends }) => ends["interrupted"] ?? 0),
  };
  tell(`${nameOf(series)}: ${describeWalk(walked)}`);
  return walked;
}

/** Play one point of a series. */
export async function playPoint(
  series: KillSeries,
  kills: readonly KillPoint[],
  how: { runtime: KillRun["runtime"]; signal: AbortSignal },
): Promise<KillReport> {
  const { script, readsBack } = series;
  try {
    return await playKillRun({ runtime: how.runtime, script, readsBack, kills }, how.signal);
  } catch (error) {
    const where = kills.map(({ at, n, when }) => `${when} ${at} ${n}`).join(", then ");
    throw new assert.AssertionError({
      message: `killed ${where}, ${readsBack ? "with" : "without"} read-back: ${error instanceof Error ? error.message : "failed"}`,
      actual: error,
      operator: "playPoint",
    });
  }
}

/** The first life dies at n; a second one, if it is to, while it recovers, at a commit that changes with n. */
export function killsOf(series: KillPlan, n: number, second: boolean): readonly KillPoint[] {
  const alternating = (n % 2 === 0) === series.readsBack ? "after" : "before";
  const first: KillPoint = { at: series.at, n, when: series.when === "both" ? alternating : series.when };
  return second ? [first, { at: "commit", n: 1 + (n % 7), when: n % 2 === 0 ? "before" : "after" }] : [first];
}

/** The series in a few words. */
export function nameOf({ at, when, readsBack }: KillPlan): string {
  return `${when === "both" ? "" : `${when} `}${at}, ${readsBack ? "with" : "without"} read-back`;
}

/** What a walk found, in a line. */
export function describeWalk({ points, deaths, unknownParts, interrupted }: Walked): string {
  return `${points} kill points, ${deaths} lives killed, ${unknownParts} parts unknown, ${interrupted} messages interrupted`;
}

function sum(reports: readonly KillReport[], of: (report: KillReport) => number): number {
  return reports.reduce((total, report) => total + of(report), 0);
}

/** A small generator with a seed (mulberry32): whole numbers below `limit`. */
export function randomFrom(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
