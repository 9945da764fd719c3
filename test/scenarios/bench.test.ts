import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { measure } from "../../bench/child.ts";
import { FIGURES } from "../../bench/figures.ts";
import type { Report } from "../../bench/report.ts";
import { blockOf, fillBlock } from "../../bench/report.ts";
import { median, percentile } from "../../bench/statistics.ts";

const KEYS = [
  "closed_loop_msgs_per_s",
  "db_bytes_per_message",
  "event_loop_ms_p99",
  "fsync_ms_p99",
  "heap_mb_10k_idle_people",
  "idle_discord_rss_mb",
  "idle_rss_mb",
  "install_mb",
  "install_packages",
  "open_loop_added_ms_p50",
  "open_loop_added_ms_p99",
  "ready_ms",
  "recovery_ms_100k",
  "suppressed_per_s",
  "wal_mb_max",
];
const never = new AbortController().signal;

function freshFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "troupe-bench-test-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

test("the bench runs a measurement and writes exactly its keys", async () => {
  using folder = freshFolder();
  const file = join(folder.path, "figures.json");
  const args = ["bench/bench.ts", "--quick", "--source", "--only", "suppressed", "--json", file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 });
  const figures = JSON.parse(readFileSync(file, "utf8")) as Record<string, number | null>;
  assert.deepEqual(Object.keys(figures).toSorted(), KEYS);
  const { suppressed_per_s: suppressed, ...rest } = figures;
  assert.ok(typeof suppressed === "number" && suppressed > 0, String(suppressed));
  assert.deepEqual(new Set(Object.values(rest)), new Set([null]));
  assert.match(stdout, /\| ambient lines judged and noted \| [\d,]+ lines\/s \| ≥ 20,000 [✔✖] \|/);
  assert.match(stdout, /load average \d/);
});

test("a measurement that does not end is ended with what it started, and one that fails says why", async () => {
  using folder = freshFolder();
  const script = join(folder.path, "waits.ts");
  writeFileSync(
    script,
    `import { spawn } from "node:child_process"; import { writeFileSync } from "node:fs"; import { tmpdir } from "node:os";
     writeFileSync(${JSON.stringify(join(folder.path, "where"))}, tmpdir());
     spawn(process.execPath, ["-e", "setTimeout(() => {}, 60000)"], { stdio: "inherit" });
     setInterval(() => {}, 1000);`,
  );
  const fromMs = performance.now();
  assert.deepEqual(await measure([script], 1_500, never), { kind: "failed", why: "it took too long" });
  // It resolves once nobody holds the pipes any more, so before its time only if the inner process ended too.
  assert.ok(performance.now() - fromMs < 30_000);

  const where = readFileSync(join(folder.path, "where"), "utf8");
  assert.ok(where.includes("troupe-bench-") && !existsSync(where), where);

  const failed = await measure(["-e", "console.error('no luck'); process.exit(3)"], 10_000, never);
  assert.deepEqual(failed, { kind: "failed", why: "no luck" });
  const talks = await measure(["-e", "console.log('a line'); console.log('{\"x\":1}')"], 10_000, never);
  assert.deepEqual(talks, { kind: "measured", figures: { x: 1 } });
});

test("figures go between the marks of a document, with bounds, ranges, machine and date", () => {
  const report: Report = {
    date: "2026-01-02 03:04",
    machine: "2 × core",
    versions: "Troupe 1",
    code: "dist/",
    whole: true,
    quick: false,
    rounds: 3,
    loads: [0.5, 2],
    problems: [],
    values: { closed_loop_msgs_per_s: [7_000, 5_000, 12_345.6], fsync_ms_p99: [1, 2, 3] },
  };
  const document = "before\n<!-- measured: begin -->\nold\n<!-- measured: end -->\nafter\n";
  const filled = fillBlock(document, blockOf(report, "bounded"));
  assert.ok(filled.startsWith("before\n<!-- measured: begin -->\n") && filled.endsWith("\n<!-- measured: end -->\nafter\n"));
  assert.ok(!filled.includes("old"));
  assert.match(filled, /\| 7,000 \[5,000–12,346\] messages\/s \| ≥ 6,000 ✔ \|/);
  assert.match(filled, /2026-01-02 03:04 UTC; 2 × core; medians of 3 interleaved rounds, ranges in brackets, load average 0\.5 to 2\.0/);
  assert.ok(!filled.includes("durable commit") && blockOf(report, "all").includes("durable commit"));
  assert.equal(fillBlock(filled, blockOf(report, "bounded")), filled);
  assert.throws(() => fillBlock("no marks", "x"), /lacks/);
  for (const path of ["README.md", "docs/bench.md"])
    assert.ok(fillBlock(readFileSync(path, "utf8"), "x").includes("begin -->\nx\n<!--"), path);
});

test("the keys are named once, and the median is a value that was measured", () => {
  assert.equal(new Set(FIGURES.map(({ name }) => name)).size, FIGURES.length);
  assert.equal(median([4, 1, 3, 2]), 2);
  assert.equal(median([5]), 5);
  assert.equal(percentile([...Array(100).keys()], 0.99), 98);
  assert.ok(Number.isNaN(median([])));
});
