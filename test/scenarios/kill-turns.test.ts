import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { randomInt } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { KillPoint, KillReport } from "./kill-run.ts";
import type { TurnFacts } from "./kill-turn-check.ts";
import { checkTurns } from "./kill-turn-check.ts";
import { playKillTurns } from "./kill-turn-run.ts";
import { DENIED } from "./kill-turn-script.ts";
import type { KillPlan } from "./kill-walk.ts";
import { EVERYWHERE, describeWalk, killsOf, randomFrom, walkKills } from "./kill-walk.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

/**
 * An agent's turns, killed at every step. `npm run test:kill` walks every n; otherwise a few points of each series are drawn from
 * the seed, which is printed so that a failure can be played again (`TROUPE_TEST_SEED`).
 */
const WALKS = process.env["TROUPE_TEST_DEPTH"] === "kill";
const SEED = Number(process.env["TROUPE_TEST_SEED"] ?? randomInt(1, 2 ** 31));

/** What is counted, how many of it a whole run has at least, and how many points of it are drawn where nothing is walked. */
const SERIES = [
  { at: "commit", has: 60, samples: 2, what: "commit" },
  { at: "request", has: 6, samples: 1, what: "question to the model" },
  { at: "mark", has: 6, samples: 1, what: "body of a tool" },
  { at: "send", has: 11, samples: 1, what: "part of a card or an answer" },
] as const;

const runtime = await bundleRuntime();
after(() => runtime[Symbol.asyncDispose]());

for (const { at, has, samples, what } of SERIES)
  test(`TR-042 TR-044 TR-007 SE-084 an agent's turn killed at the n-th ${what}: it stands where it stood, nothing runs twice or unapproved, every call has one result`, async (t) => {
    t.diagnostic(`TROUPE_TEST_SEED=${SEED}`);
    const play = (kills: readonly KillPoint[]): Promise<KillReport> => playPoint(kills, t.signal);
    if (WALKS) {
      for (const when of ["before", "after"] as const) {
        const plan: KillPlan = { at, when, readsBack: true };
        const tell = (line: string): void => void process.stdout.write(`kill: turns, ${line}\n`);
        const walked = await walkKills(plan, { range: EVERYWHERE, secondKills: (n) => n % 3 === 0, tell }, play);
        assert.ok(walked.points >= has, `only ${walked.points} points`);
        t.diagnostic(describeWalk(walked));
      }
      return;
    }
    const next = randomFrom(SEED + at.length);
    const drawn = Array.from({ length: samples }, (_, one) => {
      const when = next(2) === 0 ? "before" : "after";
      return killsOf({ at, when, readsBack: true }, 1 + next(has), one === 0 && at === "commit");
    });
    const reports = await Promise.all(drawn.map((kills) => play(kills)));
    assert.ok(
      reports.every(({ killed }) => killed),
      "the points were reached",
    );
  });

/** What stands outside a process after a run, as no sound run leaves it. */
const FACTS: Readonly<Record<string, { readonly make: (facts: TurnFacts) => Partial<TurnFacts>; readonly says: RegExp }>> = {
  "a body that was entered twice": { make: ({ marks }) => ({ marks: [...marks, ...marks.slice(0, 1)] }), says: /entered twice/ },
  "a body that nothing asked for": {
    make: ({ marks }) => ({ marks: [...marks, { tool: "paint", call: "c99-0", what: "roof" }] }),
    says: /no call asked for it/,
  },
  "a body without its person's word": {
    make: ({ answers }) => ({ answers: answers.map((one) => ({ ...one, answer: "deny" as const })) }),
    says: /painted unapproved/,
  },
  "a body before its person's word": {
    make: ({ answers, marks }) => ({ answers: answers.map((one) => ({ ...one, marksBefore: marks })) }),
    says: /painted unapproved/,
  },
  "a denied body": {
    make: ({ marks, answers }) => ({
      marks: [...marks, { tool: "paint", call: "c11-1", what: DENIED }],
      answers: answers.map((one) => ({ ...one, answer: "allow" as const })),
    }),
    says: /ran and is called denied/,
  },
  "a result without its body": { make: ({ marks }) => ({ marks: marks.slice(1) }), says: /is called done and was not/ },
  "a question that was shown twice": {
    make: ({ ledger }) => ({ ledger: [...ledger, ...ledger.slice(0, 1).map((entry) => ({ ...entry, part: "p-none", turn: "t-none" }))] }),
    says: /was shown 2 times/,
  },
  "another beginning": {
    make: ({ requests }) => ({ requests: requests.map((body, at) => Buffer.from(body.toString().replace("red", `red ${at}`))) }),
    says: /not the beginning/,
  },
  "other tools": {
    make: ({ requests: [first, ...rest] }) => ({ requests: [Buffer.from(String(first).replace("Tell the date", "Tell a date")), ...rest] }),
    says: /stands around the messages changed/,
  },
  "the same question again": { make: ({ requests }) => ({ requests: requests.flatMap((one) => [one, one]) }), says: /asked again/ },
  "a part twice": { make: ({ ledger }) => ({ ledger: [...ledger, ...ledger.slice(-1)] }), says: /a part was said twice/ },
  "an answer that was not said": { make: ({ ledger }) => ({ ledger: ledger.slice(0, -1) }), says: /part .* is delivered/ },
};

/** What it keeps itself, as it cannot have kept it. */
const ROWS: Readonly<Record<string, { readonly sql: string; readonly says: RegExp }>> = {
  "a call without a result": { sql: "delete from session_entry where kind = 'result' and seq = 6", says: /has 0 results/ },
  "a call that nobody knows of": {
    sql: `update session_entry set body = replace(body, '"ok"', '"unknown"') where seq = 6`,
    says: /nothing cut it off/,
  },
  "a line twice": { sql: `update session_entry set kind = 'said', body = '["x"]' where kind = 'note' or seq = 9`, says: /more than once/ },
  "a row that is interrupted": {
    sql: "update inbox set end = 'interrupted' where n = (select max(n) from inbox)",
    says: /though it could go on/,
  },
  "a row that waits": { sql: "update inbox set state = 'suspended', end = null, ended_at_ms = null where n = 1", says: /is suspended/ },
  "an answer that was never used": { sql: "update approval set used_at_ms = null where number = 1", says: /never used/ },
  "a part nobody knows of": {
    sql: "update part set state = 'unknown' where turn = (select min(turn) from part) and idx = 0",
    says: /is unknown/,
  },
};

test("TR-042 TR-007 turns that nobody kills: each question is shown once, each body runs once, each answer is said once; whatever of that is missed, the check says so", async (t) => {
  let looked = 0;
  const look = (database: string, facts: TurnFacts): void => {
    for (const [name, { make, says }] of Object.entries(FACTS)) {
      assert.throws(() => checkTurns(database, { ...facts, ...make(facts) }), says, name);
      looked += 1;
    }
    for (const [name, { sql, says }] of Object.entries(ROWS)) {
      const copy = `${database}-copy`;
      copyFileSync(database, copy);
      {
        using db = new DatabaseSync(copy);
        db.exec(sql);
      }
      assert.throws(() => checkTurns(copy, facts), says, name);
      looked += 1;
    }
  };
  const report = await playKillTurns({ runtime, kills: [], look }, t.signal);
  assert.deepEqual([report.ends, report.unknownParts], [{ answered: 7, silent: 4 }, 0]);
  assert.equal(looked, Object.keys(FACTS).length + Object.keys(ROWS).length);
});

async function playPoint(kills: readonly KillPoint[], signal: AbortSignal): Promise<KillReport> {
  try {
    return await playKillTurns({ runtime, kills }, signal);
  } catch (error) {
    const where = kills.map(({ at, n, when }) => `${when} ${at} ${n}`).join(", then ");
    throw new assert.AssertionError({ message: `killed ${where}: ${error instanceof Error ? error.message : "failed"}`, actual: error });
  }
}
