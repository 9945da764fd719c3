import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { z } from "zod";
import type { Mark } from "../../src/testing/marking-tools.ts";
import { readMarks } from "../../src/testing/marking-tools.ts";
import type { ScriptedModel } from "../../src/testing/scripted-model.ts";
import { startScriptedModel } from "../../src/testing/scripted-model.ts";
import type { LedgerEntry } from "../../src/testing/scripted-platform.ts";
import { ScriptedPlatform } from "../../src/testing/scripted-platform.ts";
import type { KillPoint, KillReport } from "./kill-run.ts";
import type { TurnFacts } from "./kill-turn-check.ts";
import { checkTurns } from "./kill-turn-check.ts";
import { DENIED, OWNER_LINES, answerTo } from "./kill-turn-script.ts";
import type { OneFileRuntime } from "./one-file-runtime.ts";

/** One run of an agent's turns, killed once or twice, then left to finish. */
export interface KillTurnRun {
  readonly runtime: Pick<OneFileRuntime, "killAt" | "entry">;
  /** One life each; the life behind them is left alone. */
  readonly kills: readonly KillPoint[];
  /** Further environment of every life. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Looks at what a sound run left before it is deleted. */
  readonly look?: (database: string, facts: TurnFacts) => void;
}

/** Longest time in which a life that nobody kills comes to the end of the talk. */
const LIFE_MS = 60_000;
/** Cards of more than one part, so that a kill may come between two. */
const MAX_PART_BYTES = 320;
/** So often the owner says the same answer; more would be a question that no answer settles. */
const MAX_ANSWERS = 4;

const configOf = (url: string): string => `
characters:
  mirelle: { name: Mirelle, description: "Keeps the inn at the ferry." }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
people: { operators: ["scripted:owner"] }
budgets: { replies_per_minute_per_room: 120, replies_per_minute_per_person: 60 }
models:
  hosts: { near: { api: openai, url: "${url}", models: [tiny] } }
`;

/** An answer that the owner gave, and what stood outside the process when it was given. */
export interface GivenWord {
  readonly number: number;
  readonly what: string;
  readonly answer: "allow" | "deny";
  readonly marksBefore: readonly Mark[];
}

/** The owner: says the lines one by one, and answers every question that is shown. */
class Owner {
  readonly answers: GivenWord[] = [];
  readonly #platform: ScriptedPlatform;
  readonly #marks: string;
  #said = 0;
  /** Lines that were said, answers among them. */
  lines = 0;

  constructor(platform: ScriptedPlatform, marks: string) {
    this.#platform = platform;
    this.#marks = marks;
  }

  /** Say what comes next, now that nothing runs; false when there is nothing more to say. */
  next(pending: readonly number[]): boolean {
    const [number] = pending;
    if (number !== undefined) {
      const what = whatOf(cardOf(this.#platform.ledger, number));
      const answer = what === DENIED ? "deny" : "allow";
      const given = this.answers.filter((one) => one.number === number).length;
      assert.ok(given < MAX_ANSWERS, `question ${number} was answered ${given} times and still waits`);
      this.answers.push({ number, what, answer, marksBefore: readMarks(this.#marks) });
      this.#say(`${answer} ${number}`);
      return true;
    }
    const line = OWNER_LINES[this.#said];
    if (line === undefined) return false;
    this.#said += 1;
    this.#say(line);
    return true;
  }

  #say(text: string): void {
    this.lines += 1;
    this.#platform.say({ delivery: `own-${this.lines}`, person: "owner", direct: true, character: "mirelle", text });
  }
}

/** A question as its person sees it: every part, put together. @throws AssertionError when it was not shown whole. */
function cardOf(ledger: readonly LedgerEntry[], number: number): string {
  const first = ledger.find(({ body }) => body.startsWith(`Question ${number}:`));
  assert.ok(first, `question ${number} waits and was never shown`);
  const parts = ledger.filter(({ turn }) => turn === first.turn);
  assert.equal(parts.length, first.count, `question ${number} waits and was not shown whole`);
  return parts.map(({ body }) => body).join("\n");
}

function whatOf(card: string): string {
  return /"what":"([a-z ]+)"/.exec(card)?.[1] ?? assert.fail(`a card does not show its call: ${card}`);
}

/** Play one run to its end and check everything that must hold of it. @throws AssertionError for what does not. */
export async function playKillTurns(run: KillTurnRun, signal: AbortSignal): Promise<KillReport> {
  const folder = await mkdtemp(join(tmpdir(), "troupe-turns-"));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const model = opened.use(await startScriptedModel({ script: answerTo, models: ["tiny"] }));
  await writeFile(join(folder, "troupe.yaml"), configOf(model.url));
  const platform = opened.use(new ScriptedPlatform({ lines: [], readsBack: true, duplicateEvery: 1_000 }));
  const port = await platform.listen();
  const marks = join(folder, "marks.jsonl");
  const owner = new Owner(platform, marks);
  let deaths = 0;
  for (const kill of [...run.kills, null]) {
    const died = await live({ run, folder, marks, owner, platform, port, model, kill }, signal);
    if (!died) break;
    deaths += 1;
  }
  const facts: TurnFacts = {
    deaths,
    marks: readMarks(marks),
    answers: owner.answers,
    ledger: platform.ledger,
    requests: model.requests.map(({ body }) => body),
  };
  const database = join(folder, ".troupe", "troupe.db");
  const settled = checkTurns(database, facts);
  run.look?.(database, facts);
  return { killed: deaths > 0, deaths, ...settled };
}

interface Life {
  readonly run: KillTurnRun;
  readonly folder: string;
  readonly marks: string;
  readonly owner: Owner;
  readonly platform: ScriptedPlatform;
  readonly port: number;
  readonly model: ScriptedModel;
  readonly kill: KillPoint | null;
}

/** One life of the runtime: true when it was killed, false when the talk came to its end and it ended in order. */
async function live(life: Life, signal: AbortSignal): Promise<boolean> {
  const { platform, model, kill } = life;
  const child = start(life);
  // A life may end between the question and its arrival; whoever asks learns it from the end itself.
  child.stdin?.on("error", () => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  platform.nextLife(kill?.at === "send" ? { n: kill.n, when: kill.when, kill: () => void child.kill("SIGKILL") } : null);
  model.script(dyingAtRequest(kill, model, child));
  const over = new AbortController();
  try {
    const finished = talk(child, life, AbortSignal.any([signal, over.signal, AbortSignal.timeout(LIFE_MS)]));
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

/** The script, with a kill at the n-th request of this life: before it is answered, or as soon as the answer is out. */
function dyingAtRequest(kill: KillPoint | null, model: ScriptedModel, child: ChildProcess): typeof answerTo {
  let asked = 0;
  return (request) => {
    asked += 1;
    if (kill?.at === "request" && asked === kill.n) {
      if (kill.when === "before") child.kill("SIGKILL");
      else model.idle(new AbortController().signal).then(() => child.kill("SIGKILL"), assert.fail);
    }
    return answerTo(request);
  };
}

const NUMBERS = z.array(z.int());

/** Have the owner speak until there is nothing more to say, or the output ends because the runtime is gone. */
async function talk(child: ChildProcess, { platform, owner }: Life, signal: AbortSignal): Promise<"finished" | "exited"> {
  const { stdout, stdin } = child;
  assert.ok(stdout !== null && stdin !== null);
  const words = createInterface({ input: stdout })[Symbol.asyncIterator]();
  const ready = await words.next();
  if (ready.done === true) return "exited";
  assert.equal(ready.value, "ready");
  for (;;) {
    await platform.until(() => platform.acknowledged.size === owner.lines, signal);
    stdin.write("pending?\n");
    const told = await words.next();
    if (told.done === true) return "exited";
    if (!owner.next(NUMBERS.parse(JSON.parse(told.value)))) return "finished";
  }
}

function start({ run, folder, marks, port, kill }: Life): ChildProcess {
  const timing = { quietMs: 0, holdMs: 0, fragments: 1 };
  const surfaces = [{ name: "harbour", port, readsBack: true, maxBytes: MAX_PART_BYTES, timing, assurance: "local" }];
  const at = kill?.at === "commit" ? "TROUPE_KILL_AT_COMMIT" : kill?.at === "mark" ? "TROUPE_KILL_AT_MARK" : null;
  return spawn(process.execPath, ["--import", run.runtime.killAt, run.runtime.entry], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      TROUPE_TEST_PLATFORMS: JSON.stringify(surfaces),
      TROUPE_TEST_MARKS: marks,
      ...(kill === null || at === null ? {} : { [at]: String(kill.n), TROUPE_KILL_WHEN: kill.when }),
      ...run.environment,
    },
    stdio: ["pipe", "pipe", "inherit"],
  });
}
