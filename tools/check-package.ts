/**
 * Hold the packed package to its promises: packed, installed into an empty folder without scripts and without development
 * dependencies, it is small, holds only what ships, answers `--help`, starts from `dist/` and ends on SIGTERM with exit 0.
 *
 * Run by `.ci/run` with the pinned Node (`npm run check:package`); it installs from the registry, so it is no part of `npm test`.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const MAX_PACKAGES = 15;
const MAX_MEGABYTES = 20;
const READY_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
const SHIPPED = /^package\/(?:(?:CHANGELOG|README)\.md|LICENSE|package\.json|bin\/troupe\.cjs|dist\/.+)$/;
const NEVER_SHIPPED = /\.test\.|\/test\/|\.tsbuildinfo$|\.map$|(?<!\.d)\.ts$|\.tsx$|\.troupe|\.key$/;

const ROOM = `characters:
  mirelle: { description: Keeps the inn. }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`the package: ${what}`);
}

/** Run npm with the Node that runs this file in front; its output appears only when it fails. */
function npm(args: readonly string[], cwd: string): string {
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env["PATH"] ?? ""}`, npm_config_update_notifier: "false" };
  const result = spawnSync("npm", args, { cwd, encoding: "utf8", env, timeout: 180_000 });
  demand(result.status === 0, `npm ${args[0]} failed: ${result.stderr}`);
  return result.stdout;
}

/** `npm pack` into `folder`; the tarball's path. `prepare` has built already. */
function pack(folder: string): string {
  const output = npm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder], process.cwd());
  const found = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  demand(found !== undefined, `npm pack wrote no tarball: ${output.slice(0, 200)}`);
  return join(folder, String(found));
}

function checkFiles(tarball: string): void {
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const foreign = files.filter((file) => !file.endsWith("/") && (!SHIPPED.test(file) || NEVER_SHIPPED.test(file)));
  demand(foreign.length === 0, `holds what it should not: ${foreign.slice(0, 5).join(", ")}`);
  for (const needed of [
    "bin/troupe.cjs",
    "dist/main.js",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/testing/index.js",
    "dist/ui/index.html",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
  ]) {
    demand(files.includes(`package/${needed}`), `lacks ${needed}`);
  }
  print(`tarball: ${files.length} files, ${(lstatSync(tarball).size / 1_048_576).toFixed(2)} MB`);
}

function checkSize(home: string): void {
  const modules = join(home, "node_modules");
  const packages = globSync(["*/package.json", "@*/*/package.json"], { cwd: modules }).length;
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + diskBytes(join(entry.parentPath, entry.name)), 0);
  const megabytes = bytes / 1_048_576;
  print(`install: ${packages} packages, ${megabytes.toFixed(1)} MB on disk`);
  demand(packages <= MAX_PACKAGES, `${packages} packages are installed, ${MAX_PACKAGES} are allowed`);
  demand(megabytes <= MAX_MEGABYTES, `${megabytes.toFixed(1)} MB are installed, ${MAX_MEGABYTES} are allowed`);
}

/** What a file takes on disk, in blocks of 512 bytes. */
function diskBytes(path: string): number {
  return lstatSync(path).blocks * 512;
}

function checkHelp(troupe: string, home: string): void {
  const began = performance.now();
  const help = spawnSync(process.execPath, [troupe, "--help"], { cwd: home, encoding: "utf8", timeout: 10_000 });
  demand(help.status === 0 && /\brun\b/.test(help.stdout), `--help: exit ${help.status}, ${help.stderr.slice(0, 200)}`);
  demand(!existsSync(join(home, ".troupe")), "--help makes a state folder");
  print(`--help: ${Math.round(performance.now() - began)} ms`);
}

interface Running {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly readyMs: number;
}

/** Start `troupe run` and wait for the line that says it is ready. */
async function start(troupe: string, home: string): Promise<Running> {
  const began = performance.now();
  const args = [troupe, "run", "--config", join(home, "troupe.yaml")];
  const child = spawn(process.execPath, args, {
    cwd: home,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, TROUPE_STATE: join(home, "state") },
  });
  const lines: string[] = [];
  let errors = "";
  child.stderr.on("data", (piece: Buffer) => (errors = `${errors}${piece.toString()}`.slice(-2_000)));
  const reader = createInterface({ input: child.stdout });
  const ready = new Promise<"ready">((resolve) => {
    reader.on("line", (line) => {
      lines.push(line);
      if (/\bready in\b/.test(line)) resolve("ready");
    });
  });
  const outcome = await Promise.race([
    ready,
    once(child, "exit").then(() => "exit" as const),
    sleep(READY_TIMEOUT_MS, "late" as const, { ref: false }),
  ]);
  if (outcome !== "ready") child.kill("SIGKILL");
  demand(outcome === "ready", `run: ${outcome} before it was ready\n${lines.join("\n")}\n${errors}`);
  return { child, lines, readyMs: Math.round(performance.now() - began) };
}

async function checkShell(lines: readonly string[]): Promise<void> {
  const addresses = [...new Set(lines.join("\n").match(/http:\/\/127\.0\.0\.1:\d+/g))];
  demand(addresses.length === 2, `run prints ${addresses.length} addresses, not those of room and console`);
  for (const address of addresses) {
    const answer = await fetch(`${address}/`, { redirect: "error", signal: AbortSignal.timeout(5_000) });
    const body = await answer.text();
    demand(answer.status === 200 && /<!doctype html>/i.test(body), `GET ${address}/ answers ${answer.status}`);
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const outcome = await Promise.race([ended, sleep(STOP_TIMEOUT_MS, null, { ref: false })]);
  if (outcome === null) child.kill("SIGKILL");
  demand(outcome !== null && outcome[0] === 0, `SIGTERM ends it with ${JSON.stringify(outcome)}, not with exit 0`);
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-package-"));
  try {
    const tarball = pack(folder);
    checkFiles(tarball);
    const home = mkdtempSync(join(folder, "home-"));
    writeFileSync(join(home, "package.json"), '{ "private": true }\n');
    npm(["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", tarball], home);
    checkSize(home);
    const troupe = join(home, "node_modules", "troupe", JSON.parse(readFileSync("package.json", "utf8")).bin.troupe);
    checkHelp(troupe, home);
    writeFileSync(join(home, "troupe.yaml"), ROOM);
    for (const which of ["first start", "second start"]) {
      const { child, lines, readyMs } = await start(troupe, home);
      await checkShell(lines);
      await stop(child);
      print(`${which}: ready after ${readyMs} ms, SIGTERM: exit 0`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
