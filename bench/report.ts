import { spawnSync } from "node:child_process";
import { readFileSync, statfsSync } from "node:fs";
import { arch, cpus, platform, release, tmpdir, totalmem } from "node:os";
import type { FigureRule } from "./figures.ts";
import { FIGURES } from "./figures.ts";
import { median } from "./statistics.ts";

const BEGIN = "<!-- measured: begin -->";
const END = "<!-- measured: end -->";
const DISKS: Readonly<Record<number, string>> = {
  0xef53: "ext4",
  0x58465342: "xfs",
  0x9123683e: "btrfs",
  0x01021994: "tmpfs (in memory: nothing is synced)",
};

/** Where a run took place. */
export interface Machine {
  readonly date: string;
  readonly machine: string;
  readonly versions: string;
}

/** A whole run, as it is kept. */
export interface Report extends Machine {
  readonly code: string;
  /** Whether it was a full run of everything without a problem. */
  readonly whole: boolean;
  readonly quick: boolean;
  readonly rounds: number;
  /** The load average of one minute, before each measurement. */
  readonly loads: readonly number[];
  readonly problems: readonly string[];
  /** Each figure's values, one a round. */
  readonly values: Readonly<Record<string, readonly number[]>>;
}

/** What this machine is, and which versions run on it. */
export function machineOf(): Machine {
  const kind = statfsSync(tmpdir()).type;
  const disk = DISKS[kind] ?? `file system 0x${kind.toString(16)}`;
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const manifest = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
  return {
    date: new Date().toISOString().slice(0, 16).replace("T", " "),
    machine: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}, ${memory}, ${platform()} ${release()} ${arch()}, ${disk}`,
    versions: `Troupe ${manifest.version}${commit()}, Node.js ${process.versions.node}, SQLite ${process.versions["sqlite"] ?? "?"}`,
  };
}

function commit(): string {
  const git = (...args: string[]): string => spawnSync("git", args, { encoding: "utf8" }).stdout?.trim() ?? "";
  const head = git("rev-parse", "--short", "HEAD");
  if (head === "") return "";
  return ` (${head}${git("status", "--porcelain", "--untracked-files=no", "--", "src") === "" ? "" : " and changes"})`;
}

/** The one object that `--json` writes: the median of each figure, null where it was not measured. */
export function jsonOf(report: Report): Readonly<Record<string, number | null>> {
  const rounded = (rule: FigureRule): number | null => {
    const values = report.values[rule.name] ?? [];
    return values.length === 0 ? null : Number(median(values).toFixed(rule.digits + 1));
  };
  return Object.fromEntries(FIGURES.filter(({ key }) => key).map((rule) => [rule.name, rounded(rule)]));
}

/** The figures as a Markdown table: all of them, or those the project set a bound for. */
export function tableOf(report: Report, which: "all" | "bounded"): string {
  const rows = FIGURES.flatMap((rule) => {
    const values = report.values[rule.name] ?? [];
    if (values.length === 0 || (which === "bounded" && rule.bound === undefined)) return [];
    return [`| ${rule.label} | ${measuredOf(rule, values)} | ${boundOf(rule, median(values))} |`];
  });
  const loads =
    report.loads.length === 0 ? "" : `, load average ${Math.min(...report.loads).toFixed(1)} to ${Math.max(...report.loads).toFixed(1)}`;
  const rounds = report.quick
    ? "one short round, not to be compared"
    : `medians of ${report.rounds} interleaved rounds, ranges in brackets`;
  return [
    "| what | measured | bound |",
    "| --- | --- | --- |",
    ...rows,
    "",
    `${report.versions}, \`${report.code}\`; ${report.date} UTC; ${report.machine}; ${rounds}${loads}.`,
  ].join("\n");
}

/** What stands in a document between the marks. */
export function blockOf(report: Report, which: "all" | "bounded"): string {
  const more = which === "all" ? "" : " How, and what it does not show: [docs/bench.md](docs/bench.md).";
  return `Written by \`npm run bench\` and \`node bench/bench.ts --readme\`.${more}\n\n${tableOf(report, which)}`;
}

/** Put a block between the marks of a document. */
export function fillBlock(document: string, block: string): string {
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`the document lacks ${BEGIN} … ${END}`);
  return `${document.slice(0, from + BEGIN.length)}\n${block}\n${document.slice(to)}`;
}

function measuredOf({ digits, unit }: FigureRule, values: readonly number[]): string {
  const shown = (value: number): string => value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, digits === 0 ? "," : "");
  const range = values.length > 1 ? ` [${shown(Math.min(...values))}–${shown(Math.max(...values))}]` : "";
  return `${shown(median(values))}${range} ${unit}`.trimEnd();
}

function boundOf({ bound }: FigureRule, value: number): string {
  if (bound === undefined) return "";
  if ("atLeast" in bound) return `≥ ${bound.atLeast.toLocaleString("en")} ${value >= bound.atLeast ? "✔" : "✖"}`;
  return `≤ ${bound.atMost.toLocaleString("en")} ${value <= bound.atMost ? "✔" : "✖"}`;
}
