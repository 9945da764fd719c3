/**
 * Hold the packed package to its promises: packed, installed into an empty folder without scripts and without development
 * dependencies, it is small, holds only what ships, answers `--help`, starts from `dist/` and ends on SIGTERM with exit 0.
 *
 * Run by `.ci/run` with the pinned Node (`npm run check:package`); it installs from the registry, so it is no part of `npm test`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { ROOM, demand, install, installedSize, pack, start, stop } from "./installed-package.ts";

const MAX_PACKAGES = 45;
const MAX_MEGABYTES = 55;
const SHIPPED =
  /^package\/(?:(?:CHANGELOG|README)\.md|LICENSE|package\.json|troupe\.schema\.json|docs\/.+\.(?:md|yaml)|bin\/(?:troupe\.cjs|engine-flags\.json)|dist\/.+)$/;
const NEVER_SHIPPED = /\.test\.|\/test\/|\.tsbuildinfo$|\.map$|(?<!\.d)\.ts$|\.tsx$|\.troupe|\.key$/;

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function checkFiles(tarball: string): void {
  const files = execFileSync("tar", ["-tzf", tarball], { encoding: "utf8" }).trim().split("\n");
  const foreign = files.filter((file) => !file.endsWith("/") && (!SHIPPED.test(file) || NEVER_SHIPPED.test(file)));
  demand(foreign.length === 0, `holds what it should not: ${foreign.slice(0, 5).join(", ")}`);
  for (const needed of [
    "bin/troupe.cjs",
    "bin/engine-flags.json",
    "dist/main.js",
    "dist/index.js",
    "dist/index.d.ts",
    "dist/testing/index.js",
    "dist/ui/index.html",
    "README.md",
    "LICENSE",
    "CHANGELOG.md",
    "docs/configuration.md",
    "docs/contract.md",
    "docs/security.md",
    "troupe.schema.json",
  ]) {
    demand(files.includes(`package/${needed}`), `lacks ${needed}`);
  }
  print(`tarball: ${files.length} files, ${(lstatSync(tarball).size / 1_048_576).toFixed(2)} MB`);
}

function checkSize(home: string): void {
  const { packages, megabytes } = installedSize(home);
  print(`install: ${packages} packages, ${megabytes.toFixed(1)} MB on disk`);
  demand(packages <= MAX_PACKAGES, `${packages} packages are installed, ${MAX_PACKAGES} are allowed`);
  demand(megabytes <= MAX_MEGABYTES, `${megabytes.toFixed(1)} MB are installed, ${MAX_MEGABYTES} are allowed`);
}

function checkHelp(troupe: string, home: string): void {
  const began = performance.now();
  const help = spawnSync(process.execPath, [troupe, "--help"], { cwd: home, encoding: "utf8", timeout: 10_000 });
  demand(help.status === 0 && /\brun\b/.test(help.stdout), `--help: exit ${help.status}, ${help.stderr.slice(0, 200)}`);
  demand(!existsSync(join(home, ".troupe")), "--help makes a state folder");
  print(`--help: ${Math.round(performance.now() - began)} ms`);
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

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-package-"));
  try {
    const tarball = pack(folder);
    checkFiles(tarball);
    const home = install(tarball, folder);
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
