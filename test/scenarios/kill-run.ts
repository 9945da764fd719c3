import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { LedgerEntry, ScriptedLine } from "../../src/testing/scripted-platform.ts";
import { ScriptedPlatform } from "../../src/testing/scripted-platform.ts";
import type { Timing } from "../../src/surfaces/surface.ts";
import { INBOX_ENDS } from "../../src/vocabulary/turn.ts";
import type { OneFileRuntime } from "./one-file-runtime.ts";

/** Where one life of the runtime ends. */
export interface KillPoint {
  readonly at: "commit" | "send";
  readonly n: number;
  readonly when: "before" | "after";
}

/** What is played: who writes how much, and how lines are gathered. */
export interface KillScript {
  readonly messages: number;
  readonly people: number;
  /** Lines that one person writes in a row, in one place. */
  readonly inARow: number;
  readonly timing: Timing;
  /** The first person writes all messages that are left over, as a flood. */
  readonly flood: number;
}

/** 20 messages of 5 people, each a turn of its own: every line of the script in public and in direct lines. */
export const APART: KillScript = { messages: 20, people: 5, inARow: 1, flood: 0, timing: { quietMs: 0, holdMs: 0, fragments: 1 } };
/** 60 messages of 8 people, thoughts of three lines, and a person who floods a direct line. */
export const FRAGMENTS: KillScript = { messages: 60, people: 8, inARow: 3, flood: 30, timing: { quietMs: 40, holdMs: 160, fragments: 8 } };

/** One run, killed once or twice, then left to finish. */
export interface KillRun {
  readonly runtime: Pick<OneFileRuntime, "killAt" | "entry">;
  readonly script: KillScript;
  readonly readsBack: boolean;
  /** One life each; the life behind them is left alone. */
  readonly kills: readonly KillPoint[];
}

/** What became of a run. */
export interface KillReport {
  /** Whether the first life was killed at its point; a run that outlives it is the last of its series. */
  readonly killed: boolean;
  readonly ends: Readonly<Record<string, number>>;
  readonly unknownParts: number;
  /** Lines that were part of another line's turn when they ended. */
  readonly joined: number;
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

/** The messages: each person speaks in public and in a direct line in turn, some answers have many parts, some none. */
export function scriptOf({ messages, people, inARow, flood }: KillScript): readonly ScriptedLine[] {
  const lines = Array.from({ length: messages }, (_, at): ScriptedLine => {
    const thought = Math.floor(at / inARow);
    return {
      delivery: `d${at}`,
      person: `p${thought % people}`,
      direct: Math.floor(thought / people) % 2 === 1,
      character: "mirelle",
      text: TEXTS[(inARow === 1 ? at : thought) % TEXTS.length] ?? "",
    };
  });
  const flooding = Array.from({ length: flood }, (_, at): ScriptedLine => ({
    delivery: `d${messages + at}`,
    person: "flood",
    direct: true,
    character: "mirelle",
    text: `line ${at}`,
  }));
  return [...lines, ...flooding];
}

/** Everyone is named, so that the pool of free identities has no say in how a run ends. */
function configOf(lines: readonly ScriptedLine[]): string {
  const operators = [...new Set(lines.map(({ person }) => `"scripted:${person}"`))];
  return CONFIG.replace("OPERATORS", operators.join(", "));
}

/** Play one run to its end and check everything that must hold of it (TR-042). */
export async function playKillRun(run: KillRun, signal: AbortSignal): Promise<KillReport> {
  const lines = scriptOf(run.script);
  const folder = await mkdtemp(join(tmpdir(), "troupe-kill-"));
  try {
    await writeFile(join(folder, "troupe.yaml"), configOf(lines));
    await using platform = new ScriptedPlatform({ lines, readsBack: run.readsBack, duplicateEvery: 14 });
    const port = await platform.listen();
    const life = {
      runtime: run.runtime,
      folder,
      platform,
      port,
      readsBack: run.readsBack,
      timing: run.script.timing,
      messages: lines.length,
    };
    let killed = false;
    for (const [at, kill] of run.kills.entries()) {
      const died = await live({ ...life, kill }, signal);
      if (at === 0) killed = died;
      if (!died) break;
    }
    await live({ ...life, kill: null }, signal);
    return { killed, ...inspect(folder, platform, lines, run.readsBack) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

interface Life {
  readonly runtime: KillRun["runtime"];
  readonly folder: string;
  readonly platform: ScriptedPlatform;
  readonly port: number;
  readonly kill: KillPoint | null;
  readonly readsBack: boolean;
  readonly timing: Timing;
  readonly messages: number;
}

/** One life of the runtime: true when it was killed, false when it finished everything and ended in order. */
async function live(life: Life, signal: AbortSignal): Promise<boolean> {
  const { platform, port, kill, readsBack, timing, messages } = life;
  const child = start(life, { name: "harbour", port, readsBack, maxBytes: 40, timing });
  // A life may end between the question and its arrival; whoever asks learns it from the end itself.
  child.stdin?.on("error", () => child.kill("SIGKILL"));
  const exited = once(child, "exit");
  platform.nextLife(kill?.at === "send" ? { n: kill.n, when: kill.when, kill: () => child.kill("SIGKILL") } : null);
  try {
    const finished = finish(child, platform, messages, signal);
    const ended = await Promise.race([finished, exited.then(() => "exited" as const)]);
    // Whatever still waits for the dead child ends with it.
    finished.catch(() => {});
    if (ended === "finished") child.stdin?.end();
    await exited;
    if (child.signalCode === "SIGKILL" && kill !== null) return true;
    assert.equal(child.exitCode, 0, "the runtime ended by itself");
    return false;
  } finally {
    child.kill("SIGKILL");
  }
}

async function finish(child: ChildProcess, platform: ScriptedPlatform, messages: number, signal: AbortSignal): Promise<"finished"> {
  const words = wordsOf(child);
  assert.equal(await words.next(), "ready");
  await platform.until(() => platform.acknowledged.size === messages, AbortSignal.any([signal, AbortSignal.timeout(60_000)]));
  // Acknowledged is durable, not answered: ask until nothing runs.
  child.stdin?.write("idle?\n");
  assert.equal(await words.next(), "idle");
  return "finished";
}

function wordsOf(child: ChildProcess): { next(): Promise<string> } {
  let buffered = "";
  const waiting: ((word: string) => void)[] = [];
  const words: string[] = [];
  child.stdout?.on("data", (chunk: Buffer) => {
    const lines = (buffered + chunk.toString()).split("\n");
    buffered = lines.pop() ?? "";
    for (const word of lines) {
      const next = waiting.shift();
      if (next === undefined) words.push(word);
      else next(word);
    }
  });
  return {
    next: () =>
      new Promise((resolve) => {
        const word = words.shift();
        if (word === undefined) waiting.push(resolve);
        else resolve(word);
      }),
  };
}

function start(
  { runtime, folder, kill }: Life,
  platform: { name: string; port: number; readsBack: boolean; maxBytes: number; timing: Timing },
): ChildProcess {
  const commitKill = kill?.at === "commit" ? { TROUPE_KILL_AT_COMMIT: String(kill.n), TROUPE_KILL_WHEN: kill.when } : {};
  return spawn(process.execPath, ["--import", runtime.killAt, runtime.entry], {
    cwd: folder,
    env: { PATH: process.env["PATH"], TROUPE_TEST_PLATFORMS: JSON.stringify([platform]), ...commitKill },
    stdio: ["pipe", "pipe", "inherit"],
  });
}

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

function select(db: DatabaseSync, sql: string): Record<string, string | number | null>[] {
  return z.array(row).parse(db.prepare(sql).all());
}

function inspect(
  folder: string,
  platform: ScriptedPlatform,
  lines: readonly ScriptedLine[],
  readsBack: boolean,
): Omit<KillReport, "killed"> {
  using db = new DatabaseSync(join(folder, ".troupe", "troupe.db"), { readOnly: true });
  assert.deepEqual(select(db, "pragma integrity_check"), [{ integrity_check: "ok" }]);
  const inbox = select(
    db,
    "select i.id, i.state, i.end, i.lead, i.turn, i.person, e.delivery as delivery_id, e.seq, e.place from inbox i join event e on e.id = i.id",
  );
  const refused = select(db, "select reason, gate, rule, count(*) as n from decision where outcome = 'suppressed' group by 1, 2, 3");
  assert.deepEqual([inbox.length, refused], [lines.length, []], "every message was kept once");
  assert.equal(new Set(inbox.map(({ delivery_id }) => delivery_id)).size, lines.length);
  for (const { id, state, end } of inbox) {
    assert.ok(state === "ended" && INBOX_ENDS.some((one) => one === end), `message ${id} is ${state}, ${end}`);
  }
  const parts = select(db, "select p.id, p.state, p.turn, t.inbox from part p join turn t on t.id = p.turn");
  checkLedger(platform.ledger, parts, readsBack);
  checkOrder(platform.ledger, parts, inbox, lines);
  const joined = checkJoined(inbox);
  const ends: Record<string, number> = {};
  for (const { end } of inbox) ends[String(end)] = (ends[String(end)] ?? 0) + 1;
  return { ends, unknownParts: parts.filter(({ state }) => state === "unknown").length, joined };
}

/** Lines of one turn are one person's in one place, and end alike. */
function checkJoined(inbox: readonly Record<string, string | number | null>[]): number {
  const rowOf = new Map(inbox.map((one) => [one["id"], one]));
  const joined = inbox.filter(({ lead }) => lead !== null);
  for (const one of joined) {
    const lead = rowOf.get(one["lead"] ?? null);
    const told = ({ person, place, end, turn }: Record<string, string | number | null>) => ({ person, place, end, turn });
    assert.ok(lead !== undefined && lead["lead"] === null, "a line is part of a turn that is none");
    assert.deepEqual(told(one), told(lead));
  }
  return joined.length;
}

/** No part twice, and both ledgers tell the same of every part. */
function checkLedger(ledger: readonly LedgerEntry[], parts: readonly Record<string, string | number | null>[], readsBack: boolean): void {
  const taken = new Set(ledger.map(({ part }) => part));
  assert.equal(taken.size, ledger.length, "a part was said twice");
  const states = new Map(parts.map(({ id, state }) => [id, state]));
  for (const part of taken) assert.ok(states.has(part), `the platform has a part that is not kept: ${part}`);
  for (const [id, state] of states) {
    const there = taken.has(String(id));
    if (state === "delivered") assert.ok(there, `part ${id} is called delivered and is not there`);
    else if (state === "unknown") assert.equal(readsBack, false, `part ${id} is unknown though the platform can tell`);
    else assert.fail(`part ${id} ended as ${state}`);
  }
}

/** Parts of a turn in order and contiguous in their place; answers in the order of their person's messages there. */
function checkOrder(
  ledger: readonly LedgerEntry[],
  parts: readonly Record<string, string | number | null>[],
  inbox: readonly Record<string, string | number | null>[],
  lines: readonly ScriptedLine[],
): void {
  const lineOf = new Map(lines.map((line) => [line.delivery, line]));
  const messageOf = new Map(parts.map(({ turn, inbox: id }) => [turn, id]));
  const rowOf = new Map(inbox.map((one) => [one["id"], one]));
  const open = new Map<string, LedgerEntry>();
  const closed = new Set<string>();
  const lastSeq = new Map<string, number>();
  for (const entry of ledger) {
    const before = open.get(entry.place);
    if (before !== undefined && before.turn !== entry.turn) closed.add(before.turn);
    assert.ok(!closed.has(entry.turn), "parts of a turn were not contiguous");
    if (before?.turn === entry.turn) assert.ok(entry.index > before.index, "parts were out of order");
    else checkAnswerOrder(rowOf.get(messageOf.get(entry.turn) ?? null), lineOf, lastSeq);
    open.set(entry.place, entry);
  }
}

function checkAnswerOrder(
  message: Record<string, string | number | null> | undefined,
  lineOf: ReadonlyMap<string, ScriptedLine>,
  lastSeq: Map<string, number>,
): void {
  const line = lineOf.get(String(message?.["delivery_id"]));
  assert.ok(message !== undefined && line !== undefined);
  // A command runs beside the lane, so only talk keeps its order.
  if (line.text === "/about") return;
  const lane = `${message["place"]} ${line.person}`;
  const seq = Number(message["seq"]);
  assert.ok(seq > (lastSeq.get(lane) ?? 0), "answers of one person were out of order");
  lastSeq.set(lane, seq);
}
