import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ScriptedLine } from "../../src/testing/scripted-platform.ts";
import { ScriptedPlatform } from "../../src/testing/scripted-platform.ts";
import type { Timing } from "../../src/surfaces/surface.ts";
import type { RunFacts, Settled } from "./kill-check.ts";
import { checkRun } from "./kill-check.ts";
import type { OneFileRuntime } from "./one-file-runtime.ts";

/** Where one life of the runtime ends: at a commit, a part that is sent, a question to the model, or the body of a tool. */
export interface KillPoint {
  readonly at: "commit" | "send" | "request" | "mark";
  readonly n: number;
  readonly when: "before" | "after";
}

/** What is played on one platform: who writes how much, and how lines are gathered. */
interface PlatformScript {
  readonly name: string;
  readonly messages: number;
  readonly people: number;
  /** Lines that one person writes in a row, in one place. */
  readonly inARow: number;
  /** One more person, the same on every platform, writes so many lines at once in a direct line. */
  readonly flood: number;
  readonly timing: Timing;
}

/** What is played, on every platform at the same time. */
export type KillScript = readonly PlatformScript[];

const AT_ONCE: Timing = { quietMs: 0, holdMs: 0, fragments: 1 };
const GATHERED: Timing = { quietMs: 40, holdMs: 160, fragments: 8 };

/** 20 messages of 5 people, each a turn of its own: every line of the script in public and in direct lines. */
export const APART: KillScript = [{ name: "harbour", messages: 20, people: 5, inARow: 1, flood: 0, timing: AT_ONCE }];
/** 60 messages of 8 people, thoughts of three lines, and a person who floods a direct line. */
export const FRAGMENTS: KillScript = [{ name: "harbour", messages: 60, people: 8, inARow: 3, flood: 30, timing: GATHERED }];
/** 200 messages of 20 people on two platforms at once: thoughts of three lines on one, each line apart on the other, one person who floods a direct line from both. */
export const TWO_PLATFORMS: KillScript = [
  { name: "harbour", messages: 72, people: 9, inARow: 3, flood: 28, timing: GATHERED },
  { name: "quay", messages: 80, people: 10, inARow: 1, flood: 20, timing: AT_ONCE },
];

/** One run, killed once or twice, then left to finish. */
export interface KillRun {
  readonly runtime: Pick<OneFileRuntime, "killAt" | "entry">;
  readonly script: KillScript;
  readonly readsBack: boolean;
  /** One life each; the life behind them is left alone. */
  readonly kills: readonly KillPoint[];
  /** Further environment of every life. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Looks at what a sound run left before it is deleted. */
  readonly look?: (database: string, facts: RunFacts) => void;
}

/** What became of a run. */
export interface KillReport extends Settled {
  /** Whether the first life was killed at its point; a run that outlives it is the last of its series. */
  readonly killed: boolean;
  /** Lives that were killed. */
  readonly deaths: number;
}

const CONFIG = `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
people: { operators: [OPERATORS] }
loops: { rounds: 60 }
budgets: { replies_per_minute_per_room: 120, replies_per_minute_per_person: 60 }
`;
const TEXTS = ["Mirelle, good evening", "count to 9", "what do you know about the ferry", "hush", "the lamp is lit on the quay", "/about"];
const MAX_PART_BYTES = 40;
/** Every so many lines one is delivered again for no reason. */
const DUPLICATE_EVERY = 14;
/** Longest time in which a life that nobody kills hears everything. */
const LIFE_MS = 120_000;

/** The messages: each person speaks in public and in a direct line in turn, some answers have many parts, some none. */
export function scriptOf({ name, messages, people, inARow, flood }: PlatformScript): readonly ScriptedLine[] {
  const lines = Array.from({ length: messages }, (_, at): ScriptedLine => {
    const thought = Math.floor(at / inARow);
    return {
      delivery: `${name}-${at}`,
      person: `${name}-${thought % people}`,
      direct: Math.floor(thought / people) % 2 === 1,
      character: "mirelle",
      text: TEXTS[thought % TEXTS.length] ?? "",
    };
  });
  const flooding = Array.from({ length: flood }, (_, at): ScriptedLine => {
    return { delivery: `${name}-${messages + at}`, person: "flood", direct: true, character: "mirelle", text: `line ${at}` };
  });
  return [...lines, ...flooding];
}

/** How many messages a script has on all platforms. */
export function messagesOf(script: KillScript): number {
  return script.reduce((sum, { messages, flood }) => sum + messages + flood, 0);
}

/** Everyone is named, so that the pool of free identities has no say in how a run ends. */
function configOf(lines: readonly ScriptedLine[]): string {
  const operators = [...new Set(lines.map(({ person }) => `"scripted:${person}"`))];
  return CONFIG.replace("OPERATORS", operators.join(", "));
}

/** Play one run to its end and check everything that must hold of it (TR-042). @throws AssertionError for what does not. */
export async function playKillRun(run: KillRun, signal: AbortSignal): Promise<KillReport> {
  const scripts = run.script.map((script) => ({ script, lines: scriptOf(script) }));
  const folder = await mkdtemp(join(tmpdir(), "troupe-kill-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "troupe.yaml"), configOf(scripts.flatMap(({ lines }) => lines)));
  const sends = { count: 0 };
  const platforms: OpenPlatform[] = [];
  for (const { script, lines } of scripts) {
    const platform = opened.use(new ScriptedPlatform({ lines, readsBack: run.readsBack, duplicateEvery: DUPLICATE_EVERY, sends }));
    platforms.push({ script, lines, platform, port: await platform.listen() });
  }
  let deaths = 0;
  for (const kill of [...run.kills, null]) {
    const died = await live({ run, folder, platforms, kill }, signal);
    if (!died) break;
    deaths += 1;
  }
  const records = platforms.map(({ lines, platform }) => ({ lines, ledger: platform.ledger }));
  const database = join(folder, ".troupe", "troupe.db");
  const facts: RunFacts = { platforms: records, readsBack: run.readsBack, deaths };
  const settled = checkRun(database, facts);
  run.look?.(database, facts);
  return { killed: deaths > 0, deaths, ...settled };
}

interface OpenPlatform {
  readonly script: PlatformScript;
  readonly lines: readonly ScriptedLine[];
  readonly platform: ScriptedPlatform;
  readonly port: number;
}

interface Life {
  readonly run: KillRun;
  readonly folder: string;
  readonly platforms: readonly OpenPlatform[];
  readonly kill: KillPoint | null;
}

/** One life of the runtime: true when it was killed, false when it finished everything and ended in order. */
async function live(life: Life, signal: AbortSignal): Promise<boolean> {
  const { platforms, kill } = life;
  const child = start(life);
  // A life may end between the question and its arrival; whoever asks learns it from the end itself.
  child.stdin?.on("error", () => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  const atSend = kill?.at === "send" ? { n: kill.n, when: kill.when, kill: () => void child.kill("SIGKILL") } : null;
  for (const { platform } of platforms) platform.nextLife(atSend);
  const over = new AbortController();
  try {
    const finished = finish(child, platforms, AbortSignal.any([signal, over.signal, AbortSignal.timeout(LIFE_MS)]));
    const ended = await Promise.race([finished, exited.then(() => "exited" as const)]);
    // Whatever still waits for the dead child ends with it.
    finished.catch(() => {});
    if (ended === "finished") child.stdin?.end();
    await exited;
    if (child.signalCode === "SIGKILL" && kill !== null) return true;
    assert.equal(child.exitCode, 0, "the runtime ended by itself");
    return false;
  } finally {
    over.abort();
    child.kill("SIGKILL");
  }
}

/** Wait until the runtime has heard and answered everything, or its output ends because it is gone. */
async function finish(child: ChildProcess, platforms: readonly OpenPlatform[], signal: AbortSignal): Promise<"finished" | "exited"> {
  assert.ok(child.stdout !== null && child.stdin !== null);
  const words = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ready = await words.next();
  if (ready.done === true) return "exited";
  assert.equal(ready.value, "ready");
  for (const { platform, lines } of platforms) await platform.until(() => platform.acknowledged.size === lines.length, signal);
  // Acknowledged is durable, not answered: ask until nothing runs.
  child.stdin.write("idle?\n");
  const idle = await words.next();
  if (idle.done === true) return "exited";
  assert.equal(idle.value, "idle");
  return "finished";
}

function start({ run, folder, platforms, kill }: Life): ChildProcess {
  const { runtime, readsBack, environment } = run;
  const surfaces = platforms.map(({ script: { name, timing }, port }) => ({ name, port, readsBack, maxBytes: MAX_PART_BYTES, timing }));
  const atCommit = kill?.at === "commit" ? { TROUPE_KILL_AT_COMMIT: String(kill.n), TROUPE_KILL_WHEN: kill.when } : {};
  return spawn(process.execPath, ["--import", runtime.killAt, runtime.entry], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TROUPE_TEST_PLATFORMS: JSON.stringify(surfaces),
      ...atCommit,
      ...environment,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
}
