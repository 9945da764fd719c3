import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { RuntimeError } from "../../foundation/errors.ts";
import { ownFile } from "../../foundation/own-files.ts";
import type { Timing } from "../../surfaces/surface.ts";
import type { LedgerEntry } from "../scripted-platform.ts";
import { ScriptedPlatform } from "../scripted-platform.ts";
import { brokenTurns, countWords, messagesOf, partsTwice } from "./room-report.ts";
import type { PeopleGroup, ScriptStep } from "./room-script.ts";
import { writeScript } from "./room-script.ts";

/** A room to play against a runtime in a process of its own, where time is real and a kill is one. */
export interface ProcessRoomOptions {
  readonly seed: number;
  readonly people: readonly PeopleGroup[];
  /** Names of the platforms; one by default. */
  readonly platforms?: readonly string[];
  /** Each of these ends one life of the runtime with SIGKILL, once the first platform took so many parts in it. */
  readonly killsAfterParts?: readonly number[];
  /** Every so-manieth line is delivered twice; none by default. */
  readonly duplicateEvery?: number;
  /** Whether the platforms can tell that they have a part; they can by default. */
  readonly readsBack?: boolean;
  /** How a person's lines are gathered; each is a turn of its own by default. */
  readonly timing?: Timing;
  /** Bytes of a part, at most; 1,000 by default. */
  readonly maxBytes?: number;
}

/** What the platforms saw of a run; the runtime itself is not asked. */
export interface ProcessRoomReport {
  readonly seed: number;
  readonly messages: number;
  /** Messages by what they were acknowledged as. */
  readonly acknowledged: Readonly<Record<string, number>>;
  readonly parts: number;
  readonly partsTwice: readonly string[];
  readonly orderViolations: readonly string[];
  /** Lives that a kill ended. */
  readonly kills: number;
}

const NO_GATHERING: Timing = { quietMs: 0, holdMs: 0, fragments: 1 };

/**
 * Play the script of a room against the whole runtime in another process, over scripted platforms: whatever is said is delivered as
 * fast as it is taken, and again after each kill until it is acknowledged. Without a model server the understudy answers.
 * @throws RuntimeError `internal` when the process ends by itself; the signal's reason on abort.
 */
export async function playRoomInProcess(options: ProcessRoomOptions, signal: AbortSignal): Promise<ProcessRoomReport> {
  const names = options.platforms ?? ["harbour"];
  const steps = messagesOf(writeScript({ seed: options.seed, platforms: names, people: options.people }));
  const folder = await mkdtemp(join(tmpdir(), "troupe-room-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "troupe.yaml"), configurationOf(steps, options.people));
  const platforms: OpenPlatform[] = [];
  for (const name of names) {
    const lines = steps.filter(({ platform }) => platform === name).map(toScripted);
    const { readsBack = true, duplicateEvery = lines.length + 1 } = options;
    const platform = opened.use(new ScriptedPlatform({ lines, readsBack, duplicateEvery }));
    platforms.push({ name, platform, lines: lines.length, port: await platform.listen() });
  }
  let kills = 0;
  for (const parts of [...(options.killsAfterParts ?? []), null]) {
    const killed = await playLife({ folder, platforms, options, parts }, signal);
    if (killed) kills += 1;
    else if (parts !== null) break;
  }
  const ledgers = platforms.map(({ platform }) => platform.ledger);
  return {
    seed: options.seed,
    messages: steps.length,
    acknowledged: countWords(platforms.flatMap(({ platform }) => [...platform.acknowledged.values()])),
    parts: ledgers.reduce((sum: number, ledger: readonly LedgerEntry[]) => sum + ledger.length, 0),
    partsTwice: ledgers.flatMap((ledger) => partsTwice(ledger)),
    orderViolations: ledgers.flatMap((ledger) => brokenTurns(ledger)),
    kills,
  };
}

interface OpenPlatform {
  readonly name: string;
  readonly platform: ScriptedPlatform;
  readonly lines: number;
  readonly port: number;
}

interface Life {
  readonly folder: string;
  readonly platforms: readonly OpenPlatform[];
  readonly options: ProcessRoomOptions;
  /** Parts of the first platform after which it is killed; null lets it finish. */
  readonly parts: number | null;
}

/** One life of the runtime; true when it was killed before it had finished. */
async function playLife(life: Life, signal: AbortSignal): Promise<boolean> {
  const { platforms, parts } = life;
  const child = startRuntime(life);
  const exited = once(child, "exit").then(() => "exited" as const);
  for (const [at, { platform }] of platforms.entries()) {
    const kill = (): void => void child.kill("SIGKILL");
    platform.nextLife(at === 0 && parts !== null ? { n: parts, when: "after", kill } : null);
  }
  try {
    const finished = finish(child, platforms, signal);
    const ended = await Promise.race([finished, exited]);
    // Whatever still waits for the dead child ends with it.
    finished.catch(() => {});
    if (ended === "finished") child.stdin?.end();
    await exited;
    if (child.signalCode === "SIGKILL" && parts !== null) return true;
    if (child.exitCode !== 0) throw new RuntimeError("internal", "Cannot go on: the runtime under test ended by itself");
    return false;
  } finally {
    child.kill("SIGKILL");
  }
}

async function finish(child: ChildProcess, platforms: readonly OpenPlatform[], signal: AbortSignal): Promise<"finished"> {
  if (child.stdout === null) throw new RuntimeError("internal", "Cannot go on: the runtime under test has no output");
  const words = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await words.next();
  for (const { platform, lines } of platforms) await platform.until(() => platform.acknowledged.size === lines, signal);
  // Acknowledged is durable, not answered: ask until nothing runs.
  child.stdin?.write("idle?\n");
  await words.next();
  return "finished";
}

function startRuntime({ folder, platforms, options }: Life): ChildProcess {
  const { readsBack = true, timing = NO_GATHERING, maxBytes = 1_000 } = options;
  const entry = fileURLToPath(ownFile("testing/runtime-entry"));
  const settings = platforms.map(({ name, port }) => ({ name, port, readsBack, maxBytes, timing }));
  return spawn(process.execPath, [entry], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      TROUPE_TEST_PLATFORMS: JSON.stringify(settings),
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

function toScripted({ line }: ScriptStep): ConstructorParameters<typeof ScriptedPlatform>[0]["lines"][number] {
  const { delivery, from, direct, text } = line;
  return { delivery, person: from, direct: direct !== undefined, character: "mirelle", text };
}

/** Named people are operators here: there is nobody at the console of a child to trust them. */
function configurationOf(steps: readonly ScriptStep[], people: readonly PeopleGroup[]): string {
  const named = new Set(people.filter(({ standing }) => standing === "named").map(({ group }) => group));
  const operators = new Set(steps.filter(({ group }) => named.has(group)).map(({ line }) => `scripted:${line.from}`));
  return JSON.stringify({
    characters: { mirelle: { name: "Mirelle", description: "Keeps the inn at the ferry." } },
    console: { port: 0 },
    people: { operators: [...operators] },
    budgets: { replies_per_minute_per_room: 120, replies_per_minute_per_person: 60 },
  });
}
