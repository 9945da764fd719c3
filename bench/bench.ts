/**
 * Measure what Troupe promises of itself: `npm run bench`, with `-- --json FILE`, `-- --quick`, `-- --only NAME...`. How, and what the
 * figures do not show: docs/bench.md.
 *
 * B1  Each measurement runs in a process of its own, over a fresh folder; five rounds, one after another within each.
 * B2  What is measured is built first, into few files as the program ships, unless `--source` asks for the sources as they are.
 * B3  A run ends by itself, within ten minutes, a quick one within one: what is not done by then is given up, and said.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { dirname } from "node:path";
import type { ParseArgsOptionsConfig } from "node:util";
import { parseArgs } from "node:util";
import { buildScripts, builtScript } from "./built.ts";
import { measure } from "./child.ts";
import type { Measurement } from "./measurements.ts";
import { MEASUREMENTS } from "./measurements.ts";
import { blockOf, fillBlock, jsonOf, machineOf, tableOf } from "./report.ts";
import type { Report } from "./report.ts";

const ROUNDS = 5;
/** A whole run is over after this, a quick one too: what is not done by then is given up. */
const END_MS = { full: 590_000, quick: 52_000 } as const;
/** With less than this left nothing is begun. */
const SHORTEST_MS = 10_000;
/** Where the report of the last whole run lies, for `--readme`. */
const REPORT = "node_modules/.cache/troupe/bench-report.json";
const DOCUMENTS = ["README.md", "docs/bench.md"] as const;

const print = (text: string): void => void process.stdout.write(`${text}\n`);

/** What was asked for is not there: one line, exit 2. */
class UsageError extends Error {}

interface Options {
  readonly measurements: readonly Measurement[];
  readonly quick: boolean;
  readonly source: boolean;
}

interface Run {
  readonly values: Map<string, number[]>;
  readonly loads: number[];
  readonly problems: string[];
  rounds: number;
}

async function run(options: Options, signal: AbortSignal): Promise<Run> {
  const began = performance.now();
  const endMs = began + END_MS[options.quick ? "quick" : "full"];
  const done: Run = { values: new Map(), loads: [], problems: [], rounds: 0 };
  for (let round = 1; round <= (options.quick ? 1 : ROUNDS); round += 1) {
    for (const measurement of options.measurements) {
      if (round > (measurement.rounds ?? ROUNDS)) continue;
      if (signal.aborted) return done;
      const leftMs = endMs - performance.now();
      if (leftMs < SHORTEST_MS) {
        done.problems.push(`time is up before ${measurement.name} in round ${round}`);
        return done;
      }
      await runOne({ ...measurement, timeoutMs: Math.min(measurement.timeoutMs, leftMs) }, options, done, signal);
    }
    done.rounds = round;
    if (!options.quick) print(`round ${round} of ${ROUNDS}, ${Math.round((performance.now() - began) / 1_000)} s`);
  }
  return done;
}

async function runOne(measurement: Measurement, options: Options, done: Run, signal: AbortSignal): Promise<void> {
  done.loads.push(loadavg()[0] ?? Number.NaN);
  const { script, nodeOptions = [], args, timeoutMs, name } = measurement;
  const entry = options.source ? `bench/${script}.ts` : builtScript(script);
  const command = ["--import", "./bench/engine.ts", ...nodeOptions, entry, ...(options.quick ? args.quick : args.full)];
  const measured = await measure(command, timeoutMs, signal);
  if (measured.kind === "failed") {
    done.problems.push(`${name}: ${measured.why.slice(0, 1_000)}`);
    return;
  }
  for (const [figure, value] of Object.entries(measured.figures)) done.values.set(figure, [...(done.values.get(figure) ?? []), value]);
}

/** Build, so that dist/ is what the sources say. */
function build(): void {
  const { status } = spawnSync(process.execPath, ["tools/prepare.mjs", "--force"], { stdio: ["ignore", "ignore", "inherit"] });
  if (status !== 0) throw new Error("the build failed");
}

const builtAt = (): number => statSync("dist/main.js", { throwIfNoEntry: false })?.mtimeMs ?? 0;

function chosen(names: readonly string[]): readonly Measurement[] {
  const unknown = names.filter((name) => !MEASUREMENTS.some((one) => one.name === name));
  if (unknown.length > 0)
    throw new UsageError(`no such measurement: ${unknown.join(", ")}; there are ${MEASUREMENTS.map((one) => one.name).join(", ")}`);
  return names.length === 0 ? MEASUREMENTS : MEASUREMENTS.filter(({ name }) => names.includes(name));
}

function write(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}

/** Put the last whole run's figures into the documents. Quick runs and parts are never kept: they are not for showing. */
function showInDocuments(path: string): void {
  if (!existsSync(path)) throw new Error("no whole run was kept: run the bench first");
  const report = JSON.parse(readFileSync(path, "utf8")) as Report;
  for (const document of DOCUMENTS) {
    const block = blockOf(report, document === "README.md" ? "bounded" : "all");
    writeFileSync(document, fillBlock(readFileSync(document, "utf8"), block));
    print(`${document}: figures of ${report.date}`);
  }
}

async function bench(options: Options, json: string | undefined): Promise<number> {
  if (!options.source) {
    build();
    await buildScripts();
  }
  const [builtMs, stop] = [builtAt(), new AbortController()];
  process.once("SIGINT", () => stop.abort());
  process.once("SIGTERM", () => stop.abort());
  const done = await run(options, stop.signal);
  if (stop.signal.aborted) return 130;
  if (!options.source && builtAt() !== builtMs) done.problems.push("dist/ was built anew meanwhile: the figures are of two versions");
  const report = reportOf(options, done);
  print(tableOf(report, "all"));
  for (const problem of done.problems) print(`✖ ${problem}`);
  if (report.whole) write(REPORT, report);
  if (json !== undefined) write(json, jsonOf(report));
  return done.problems.length === 0 ? 0 : 1;
}

function reportOf({ quick, source, measurements }: Options, done: Run): Report {
  const whole = !quick && !source && measurements.length === MEASUREMENTS.length && done.problems.length === 0;
  return { ...machineOf(), code: source ? "src/" : "dist/", whole, quick, ...done, values: Object.fromEntries(done.values) };
}

const OPTIONS = {
  json: { type: "string" },
  quick: { type: "boolean", default: false },
  only: { type: "string", multiple: true, default: [] },
  source: { type: "boolean", default: false },
  readme: { type: "boolean", default: false },
  report: { type: "string", default: REPORT },
} satisfies ParseArgsOptionsConfig;

async function main(): Promise<number> {
  const { values: flags, positionals } = parseArgs({ allowPositionals: true, options: OPTIONS });
  if (!flags.readme) {
    const measurements = chosen([...flags.only, ...positionals]);
    return bench({ measurements, quick: flags.quick, source: flags.source }, flags.json);
  }
  showInDocuments(flags.report);
  return 0;
}

process.exitCode = await main().catch((error: unknown) => {
  const isUsage =
    error instanceof UsageError || (error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS"));
  if (!isUsage) throw error;
  process.stderr.write(`Cannot measure: ${error.message.split(/\. |\n/)[0]}\n`);
  return 2;
});
