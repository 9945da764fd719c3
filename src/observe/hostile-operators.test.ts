import assert from "node:assert/strict";
import { test } from "node:test";
import type { Line } from "../foundation/line.ts";
import { audit } from "./audit-operation.ts";
import { budgets } from "./budgets-operation.ts";
import { costs } from "./costs-operation.ts";
import { endorse } from "../operations/endorse.ts";
import { grants } from "../operations/grants.ts";
import type { DecisionView } from "./decisions-operation.ts";
import { decisions } from "./decisions-operation.ts";
import { lines } from "./lines-operation.ts";
import { packets } from "./packets-operation.ts";
import { people } from "./people-operation.ts";
import { status } from "./status.ts";

const HOSTILE = ["\u001b[2J", "a\u202eb", "x\ny", "\u2028", "\u{e0041}", "\u0007", "\u200b"];
const ACTING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

const COSTS = {
  calls: 2,
  promptTokens: 1,
  completionTokens: 1,
  costMicros: 1,
  unconfirmedMicros: 1,
  unpricedCalls: 1,
  todayMicros: 1,
  monthMicros: 1,
};
const BUDGET = { unit: "micros", limit: 1, used: 1, reserved: 1, resetsAtMs: 1, state: "spent" } as const;

const GRANT = { digest: null, atMs: 0, expiresAtMs: 1, usesLeft: 1 } as const;

function decided(hostile: string): DecisionView {
  const ids = { message: hostile, turn: hostile, session: hostile, call: hostile, person: hostile, character: hostile, digest: hostile };
  return {
    number: 1,
    atMs: 0,
    phase: "judged",
    tool: hostile,
    verdict: "deny",
    code: hostile,
    rule: hostile,
    foreign: true,
    bits: 1,
    ...ids,
  };
}

/** What each command would show if names, ids and words were this text. */
function shown(hostile: string): readonly Line[] {
  const counts = { [hostile]: 1 };
  const person = {
    id: hostile,
    name: hostile,
    role: "guest",
    trustable: true,
    blockedUntilMs: null,
    invited: { id: hostile, untilMs: 0 },
    lastHeardAtMs: 0,
    lastPlace: hostile,
    heardToday: 0,
    repliesToday: 0,
    privateLines: [],
    opened: null,
  } as const;
  const said = { number: 1, atMs: 0, by: "person", name: hostile, action: hostile, text: hostile } as const;
  const packet = { id: hostile, bytes: 1, segments: [], withheld: [{ class: hostile, count: 1 }] };
  const turn = { turn: hostile, message: hostile, atMs: 0, character: hostile, person: hostile, name: null, place: hostile, by: hostile };
  const surface = { name: hostile, kind: hostile, title: hostile, url: hostile, people: 0, admittedToday: 0, reason: hostile } as const;
  return [
    ...people.present({
      people: [person],
      counts: { operator: 0, trusted: 0, guest: 1, blocked: 0 },
      matched: 1,
      dayBeganMs: 0,
      repliesPerDay: 1,
    }).lines,
    ...costs.present({ by: "person", sinceMs: 0, untilMs: 1, rows: [{ ...COSTS, key: hostile, name: hostile }], left: 1, total: COSTS })
      .lines,
    ...budgets.present({ atMs: 0, budgets: [{ ...BUDGET, key: hostile, surface: hostile }], unpricedModels: [hostile] }).lines,
    ...lines.present({ person: hostile, character: hostile, lines: [said], more: true, openedTimes: 1 }).lines,
    ...packets.present({ packets: [{ ...turn, end: null, packet }], more: true }).lines,
    ...decisions.present({ decisions: [decided(hostile)], next: 1 }).lines,
    ...endorse.present({ done: "list", sha256: hostile, endorsements: [{ sha256: hostile, name: hostile, atMs: 0 }] }).lines,
    ...grants.present({
      done: "list",
      grants: [{ ...GRANT, id: hostile, by: hostile, character: hostile, tool: hostile, schedule: hostile }],
    }).lines,
    ...audit.present({ acts: [{ atMs: 0, by: hostile, act: "pause", person: hostile, about: hostile }] }).lines,
    ...status.present({
      version: hostile,
      pid: 1,
      startedAtMs: 0,
      upMs: 1,
      nowMs: 1,
      memoryBytes: 1,
      model: hostile,
      rooms: [{ name: hostile, url: hostile, port: 1 }],
      console: hostile,
      stateDirectory: hostile,
      messages: counts,
      parts: counts,
      queues: { waiting: 0, maxWaiting: 1, lanes: 0, maxLanes: 1, thinking: 0, maxThinking: 1 },
      surfaces: [{ ...surface, state: "backoff", sinceMs: 0, retryAtMs: 1, generation: 1 }],
      hosts: [{ by: hostile, state: "down", reason: hostile, sinceMs: 1, firstTokenMs: 1 }],
      paused: [{ character: hostile, place: hostile, by: hostile, atMs: 0, untilMs: null }],
      characters: [],
      today: { sinceMs: 0, admitted: 0, suppressed: 0, ends: counts, parts: counts },
      store: { databaseBytes: 1, walBytes: 1, commits: 1, commitP50Ms: 1, commitP99Ms: 1 },
      notices: { kept: 1, dropped: 1 },
      log: { dropped: 1, rotations: 2 },
      traces: { sent: 1, dropped: 2 },
    }).lines,
  ];
}

test("SE-103 names, ids and words that would act on a terminal are shown as their numbers in every operators' command", () => {
  for (const hostile of HOSTILE) {
    assert.match(hostile, ACTING);
    const all = shown(hostile);
    assert.ok(all.length > 20);
    for (const one of all) assert.doesNotMatch(one.text, ACTING, one.text);
  }
});
