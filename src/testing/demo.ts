import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ChildProcess } from "node:child_process";
import type { Clock } from "../foundation/clock.ts";
import { systemClock } from "../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { DemoAnswer } from "../operations/demo.ts";
import { createScreen } from "../operations/faces/screen.ts";
import type { DemoObservations } from "./demo-judge.ts";
import { countOf, judgeDemo } from "./demo-judge.ts";
import { DemoScene } from "./demo-scene.ts";
import { DemoScreen } from "./demo-screen.ts";
import { DEMO_CONFIG, RECORDED_LEAKS } from "./demo-script.ts";

/** Options of the demonstration. */
export interface DemoOptions {
  /** Print nothing: the answer is the report. */
  readonly json: boolean;
  readonly signal: AbortSignal;
}

/**
 * Play the understudy's scene against the product's own process, kill that process in the middle, and judge what was seen: whether
 * anything leaked, was lost or was said twice. Its folder and its process are gone when this ends, however it ends.
 * @throws RuntimeError `aborted` when it is interrupted.
 */
export async function runDemo({ json, signal }: DemoOptions): Promise<DemoAnswer> {
  const clock = systemClock;
  const startedMs = clock.monotonicMs();
  const show = new DemoScreen(json ? null : createScreen({ out: process.stdout, error: process.stderr }, process.env));
  using home = new DemoHome();
  show.title();
  const played = await play(home, { clock, show }, signal);
  if (signal.aborted) throw signal.reason instanceof RuntimeError ? signal.reason : interrupted();
  const answer = answerOf(played, clock.monotonicMs() - startedMs);
  if (played.seen !== null) show.recorded();
  show.verdict(answer);
  return answer;
}

interface Played {
  /** Null when the scene broke off before its end. */
  readonly seen: DemoObservations | null;
  readonly failures: readonly string[];
}

async function play(home: DemoHome, stage: { clock: Clock; show: DemoScreen }, signal: AbortSignal): Promise<Played> {
  try {
    await using scene = new DemoScene({ folder: home.folder, onProcess: (child) => home.watch(child), ...stage });
    const seen = await scene.play(signal);
    return { seen, failures: judgeDemo(seen) };
  } catch (error) {
    if (!isRuntimeError(error)) return { seen: null, failures: ["the scene broke off: its process could not be talked to"] };
    return { seen: null, failures: [`the scene broke off: ${error.message}`] };
  }
}

function answerOf({ seen, failures }: Played, tookMs: number): DemoAnswer {
  const facts: Record<string, number> =
    seen === null
      ? {}
      : {
          bytesToBen: Buffer.byteLength(seen.received.Ben.join("")),
          wordToBen: countOf(seen.canary, seen.received.Ben),
          wordToAnn: countOf(seen.canary, seen.received.Ann),
          messages: seen.asks.length,
          answered: seen.roads.filter(({ outcome }) => outcome === "answered").length,
          unended: seen.unended,
          kills: seen.linkLost ? 1 : 0,
        };
  return {
    passed: seen !== null && failures.length === 0,
    failures,
    tookMs: Math.round(tookMs),
    facts,
    roads: seen?.roads.map((road) => ({ line: seen.asks.find(({ message }) => message === road.message)?.key ?? "", ...road })) ?? [],
    recordedWithOneSharedHistory: RECORDED_LEAKS.map((leak) => ({ ...leak })),
  };
}

/** The demonstration's own folder. Whatever ends this process, neither the folder nor a process started in it stays behind. */
class DemoHome implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "troupe-demo-"));
  readonly #clear = (): void => this.#end();
  #process: ChildProcess | null = null;

  constructor() {
    writeFileSync(join(this.folder, "troupe.yaml"), DEMO_CONFIG, { mode: 0o600 });
    // A second Ctrl-C ends the process at once, past every disposal.
    process.once("exit", this.#clear);
  }

  watch(child: ChildProcess): void {
    this.#process = child;
  }

  [Symbol.dispose](): void {
    process.off("exit", this.#clear);
    this.#end();
  }

  #end(): void {
    this.#process?.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

function interrupted(): RuntimeError {
  return new RuntimeError("aborted", "Cannot go on: the demonstration was interrupted");
}
