import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { ownFile } from "../foundation/own-files.ts";

/** How long a start may take; a slow disk and running from the sources are within it. */
const START_MS = 15_000;

const startLine = z.object({
  addresses: z.object({ room: z.array(z.object({ url: z.url() })).min(1) }),
  stateDirectory: z.string(),
  pid: z.int(),
  readyMs: z.number(),
  recovered: z.object({ messagesAgain: z.int() }),
});

/** What a process of the runtime says once it is up. */
export interface DemoStart {
  readonly roomUrl: string;
  readonly port: number;
  readonly stateDirectory: string;
  readonly pid: number;
  readonly readyMs: number;
  /** Messages of the life before that it answers now. */
  readonly messagesAgain: number;
}

/** The runtime as a process of its own, started as a person starts it; disposing it kills it. */
export class DemoChild implements AsyncDisposable {
  readonly start: DemoStart;
  readonly #process: ChildProcess;
  readonly #ended: Promise<void>;

  constructor(of: { readonly process: ChildProcess; readonly ended: Promise<void>; readonly start: DemoStart }) {
    this.#process = of.process;
    this.#ended = of.ended;
    this.start = of.start;
  }

  /** End it with SIGKILL, no word of warning, and wait until it is gone. Safe to call again. */
  async kill(): Promise<void> {
    this.#process.kill("SIGKILL");
    await this.#ended;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

/**
 * Start the runtime in a folder, and wait until it is up. Of the environment nothing of Troupe's own gets through, so that the
 * folder's configuration and state are the only ones. `onProcess` hears of the process at once, for a caller that must not leave it behind.
 * @throws RuntimeError `not_running` when it ends instead, `deadline`.
 */
export async function startDemoChild(
  needs: { readonly folder: string; readonly clock: Clock; readonly onProcess: (process: ChildProcess) => void },
  signal: AbortSignal,
): Promise<DemoChild> {
  const child = spawn(process.execPath, [fileURLToPath(ownFile("main")), "run", "--json"], {
    cwd: needs.folder,
    env: ownEnvironment(),
    stdio: ["ignore", "pipe", "ignore"],
  });
  needs.onProcess(child);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => resolve());
  });
  using limit = withDeadline(needs.clock, START_MS, signal);
  try {
    return new DemoChild({ process: child, ended, start: await firstLine(child, ended, limit.signal) });
  } catch (error) {
    child.kill("SIGKILL");
    await ended;
    throw error;
  }
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:TROUPE_|NODE_TEST)/i.test(name)));
}

function firstLine(child: ChildProcess, ended: Promise<void>, signal: AbortSignal): Promise<DemoStart> {
  return new Promise<DemoStart>((resolve, reject) => {
    const { stdout } = child;
    if (stdout === null) return reject(new RuntimeError("internal", "Cannot play the demonstration: its process has no output"));
    signal.addEventListener("abort", () => reject(abortedBy(signal)), { once: true });
    if (signal.aborted) return reject(abortedBy(signal));
    createInterface({ input: stdout }).once("line", (text) => {
      const start = readStart(text);
      if (start === null) reject(new RuntimeError("not_running", "Cannot play the demonstration: its process did not say that it is up"));
      else resolve(start);
    });
    const gone = (): void => reject(new RuntimeError("not_running", "Cannot play the demonstration: its process ended before it was up"));
    ended.then(gone, gone);
  });
}

function abortedBy(signal: AbortSignal): Error {
  return signal.reason instanceof Error ? signal.reason : new RuntimeError("aborted", "Cannot go on: the demonstration was cancelled");
}

function readStart(text: string): DemoStart | null {
  try {
    const { addresses, stateDirectory, pid, readyMs, recovered } = startLine.parse(JSON.parse(text));
    const roomUrl = addresses.room[0]?.url ?? "";
    return { roomUrl, port: Number(new URL(roomUrl).port), stateDirectory, pid, readyMs, messagesAgain: recovered.messagesAgain };
  } catch {
    return null;
  }
}
