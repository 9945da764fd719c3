/** The package as people get it: packed, installed into an empty folder, started and stopped. */
import { spawn, spawnSync } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { globSync, lstatSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { performance } from "node:perf_hooks";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

const READY_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;

/** A configuration with a room and a console on free ports. */
export const ROOM = `characters:
  mirelle: { description: Keeps the inn. }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
`;

/** Stop with what is wrong with the package unless it holds. */
export function demand(holds: boolean, what: string): void {
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
export function pack(folder: string): string {
  const output = npm(["pack", "--ignore-scripts", "--json", "--pack-destination", folder], process.cwd());
  const found = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  demand(found !== undefined, `npm pack wrote no tarball: ${output.slice(0, 200)}`);
  return join(folder, String(found));
}

/** Install a tarball under `folder`, without scripts and without development dependencies; the new home's path. */
export function install(tarball: string, folder: string): string {
  const home = mkdtempSync(join(folder, "home-"));
  writeFileSync(join(home, "package.json"), '{ "private": true }\n');
  npm(["install", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", tarball], home);
  return home;
}

/** What an installation takes: packages with the package itself, and MiB on disk in blocks of 512 bytes. */
export function installedSize(home: string): { readonly packages: number; readonly megabytes: number } {
  const modules = join(home, "node_modules");
  const packages = globSync(["*/package.json", "@*/*/package.json"], { cwd: modules }).length;
  const bytes = readdirSync(modules, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + lstatSync(join(entry.parentPath, entry.name)).blocks * 512, 0);
  return { packages, megabytes: bytes / 1_048_576 };
}

/** A runtime that said it is ready. */
export interface Running {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  readonly readyMs: number;
}

/** Start `troupe run` with the configuration and the state folder under `home`, and wait for the line that says it is ready. */
export async function start(troupe: string, home: string): Promise<Running> {
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

/** Ask a runtime to end, and demand that it ends in order. */
export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  const outcome = await Promise.race([ended, sleep(STOP_TIMEOUT_MS, null, { ref: false })]);
  if (outcome === null) child.kill("SIGKILL");
  demand(outcome !== null && outcome[0] === 0, `SIGTERM ends it with ${JSON.stringify(outcome)}, not with exit 0`);
}
