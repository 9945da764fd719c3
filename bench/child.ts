import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Figures } from "./statistics.ts";

const MAX_OUTPUT_CHARACTERS = 64_000;

/** What came of a measurement's process. */
export type Measured = { readonly kind: "measured"; readonly figures: Figures } | { readonly kind: "failed"; readonly why: string };

/**
 * Run a measurement in a process of its own and read the figures from the last line it prints. It leads a process group, so that
 * whatever it started ends with it: after its time, or when the signal aborts. Its temporary folder goes with it too.
 */
export async function measure(args: readonly string[], timeoutMs: number, signal: AbortSignal): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), "troupe-bench-"));
  const env = { ...process.env, TMPDIR: folder, TEMP: folder, TMP: folder };
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], detached: true, env });
  const kill = (): void => killGroup(child);
  const timer = setTimeout(kill, timeoutMs);
  signal.addEventListener("abort", kill);
  let [output, errors] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => (output = `${output}${piece.toString()}`.slice(-MAX_OUTPUT_CHARACTERS)));
  child.stderr.on("data", (piece: Buffer) => (errors = `${errors}${piece.toString()}`.slice(-MAX_OUTPUT_CHARACTERS)));
  try {
    const [code, by]: unknown[] = await once(child, "close");
    if (code === 0) return { kind: "measured", figures: figuresIn(output) };
    return { kind: "failed", why: by === "SIGKILL" ? "it took too long" : errors.trim() || `exit ${String(code)}` };
  } catch (error) {
    return { kind: "failed", why: String(error) };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
    rmSync(folder, { recursive: true, force: true });
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL"); // No such group where a system has none.
  }
}

function figuresIn(output: string): Figures {
  const parsed: unknown = JSON.parse(output.trim().split("\n").at(-1) ?? "");
  if (typeof parsed !== "object" || parsed === null) throw new Error("it printed no figures");
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, number] => typeof entry[1] === "number"));
}
