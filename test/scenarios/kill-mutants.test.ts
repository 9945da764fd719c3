import assert from "node:assert/strict";
import { copyFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { LedgerEntry } from "../../src/testing/scripted-platform.ts";
import type { RunFacts } from "./kill-check.ts";
import { checkRun } from "./kill-check.ts";
import { APART } from "./kill-run.ts";
import type { KillPoint } from "./kill-run.ts";
import { playKillRun } from "./kill-run.ts";
import { bundleRuntime } from "./one-file-runtime.ts";

const runtime = await bundleRuntime(new URL("mutant-runtime.ts", import.meta.url));
after(() => runtime[Symbol.asyncDispose]());

/** Play points one after another until one turns red; gives what was found there. */
async function firstRed(mutant: string, points: readonly KillPoint[], signal: AbortSignal): Promise<{ at: KillPoint; why: string } | null> {
  for (const at of points) {
    const environment = { TROUPE_MUTANT: mutant };
    const why = await playKillRun({ runtime, script: APART, readsBack: true, kills: [at], environment }, signal).then(
      () => null,
      (error: unknown) => (error instanceof assert.AssertionError ? error.message : assert.fail("a run broke")),
    );
    if (why !== null) return { at, why };
  }
  return null;
}

const points = (at: KillPoint["at"], when: KillPoint["when"], from: number, to: number): readonly KillPoint[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ at, n: from + index, when }));

/** Each fault, where a kill is to bring it out, and what must be said of it. */
const CASES = [
  { mutant: "cursor before commit", points: points("commit", "before", 2, 14), says: /every message was kept once/ },
  { mutant: "dedupe set before commit", points: points("commit", "before", 2, 14), says: /every message was kept once/ },
  { mutant: "refund on kill", points: points("commit", "before", 6, 20), says: /each turn that began is paid once/ },
  { mutant: "asks nobody", points: points("send", "after", 1, 6), says: /a part was said twice/ },
] as const;

for (const { mutant, points: tried, says } of CASES) {
  test(`TR-042 the check of a killed run turns red on "${mutant}", and at the same point is green on the runtime itself`, async (t) => {
    const red = await firstRed(mutant, tried, t.signal);
    assert.ok(red !== null, "no kill brought it out");
    assert.match(red.why, says);
    t.diagnostic(`found when killed ${red.at.when} ${red.at.at} ${red.at.n}`);
    assert.equal(await firstRed("", [red.at], t.signal), null);
  });
}

/** Ledgers that a sound run cannot have left, made from one that it did. */
const LEDGERS: Readonly<
  Record<string, { readonly make: (ledger: readonly LedgerEntry[]) => readonly LedgerEntry[]; readonly says: RegExp }>
> = {
  "a part twice": { make: ([first, ...rest]) => (first === undefined ? [] : [first, first, ...rest]), says: /a part was said twice/ },
  "a part nobody kept": {
    make: (ledger) => [...ledger, ...ledger.slice(-1).map((entry) => ({ ...entry, part: "t-none.0", turn: "t-none" }))],
    says: /a part that is not kept/,
  },
  "a part that is not there": { make: (ledger) => ledger.slice(1), says: /is called delivered and is not there/ },
  "parts of an answer the wrong way round": {
    make: (ledger) => withSwapped(ledger, (one, next) => one.turn === next.turn),
    says: /parts were out of order/,
  },
  "a part among another answer's": {
    make: (ledger) => {
      const isLong = ({ place, turn, count, index }: LedgerEntry): boolean =>
        count > 1 && index === 0 && ledger.some((other) => other.place === place && other.turn !== turn);
      const long = ledger.find(isLong) ?? assert.fail("no answer of two parts stands beside another");
      const others = ledger.filter(({ place, turn }) => place === long.place && turn !== long.turn);
      const own = ledger.filter(({ turn }) => turn === long.turn);
      const elsewhere = ledger.filter(({ place }) => place !== long.place);
      return [...elsewhere, ...own.slice(0, 1), ...others, ...own.slice(1)];
    },
    says: /not contiguous|out of order/,
  },
  "a person's answers the wrong way round": {
    make: (ledger) => [...Map.groupBy(ledger, ({ turn }) => turn).values()].toReversed().flat(),
    says: /answers of one person were out of order/,
  },
};

function withSwapped(ledger: readonly LedgerEntry[], fits: (one: LedgerEntry, next: LedgerEntry) => boolean): readonly LedgerEntry[] {
  for (const [at, one] of ledger.entries()) {
    const behind = ledger.findIndex((next, index) => index > at && fits(one, next));
    const next = ledger[behind];
    if (next !== undefined) return ledger.toSpliced(at, 1, next).toSpliced(behind, 1, one);
  }
  return assert.fail("nothing to swap");
}

/** Rows that it cannot have left either. */
const ROWS: Readonly<Record<string, { readonly sql: string; readonly says: RegExp }>> = {
  "a message that is gone": { sql: "delete from inbox where n = (select min(n) from inbox)", says: /every message was kept once/ },
  "a message without an end": {
    sql: "update inbox set state = 'open', end = null, ended_at_ms = null where n = (select min(n) from inbox)",
    says: /is open/,
  },
  "a message that failed": { sql: "update inbox set end = 'failed' where n = (select min(n) from inbox)", says: /ended as failed/ },
  "an answer to who asked for silence": {
    sql: "update inbox set end = 'answered' where n = (select min(n) from inbox where end = 'silent')",
    says: /ended as answered/,
  },
  "a message that began three times": { sql: "update inbox set attempts = 3 where n = (select min(n) from inbox)", says: /began 3 times/ },
  "an answer without its line": {
    sql: "delete from event where n = (select min(n) from event where author_kind = 'character')",
    says: /one answer each/,
  },
  "an answer that is not whole": {
    sql: "delete from part where turn = (select turn from part where idx = 1 limit 1) and idx = 0",
    says: /an answer is whole/,
  },
  "a line that was said and is called unsaid": {
    sql: "update event set state = 'unsaid' where n = (select min(n) from event where author_kind = 'character')",
    says: /is unsaid/,
  },
  "a part that expired": {
    sql: "update part set state = 'expired' where turn = (select min(turn) from part) and idx = 0",
    says: /ended as expired/,
  },
  "a message that was turned away": {
    sql: "update decision set outcome = 'suppressed', reason = 'overflow', person = 'room:x' where n = (select min(n) from decision)",
    says: /every message was kept once/,
  },
  "a turn that nobody paid for": { sql: "update budget set amount = amount - 1 where scope = 'calls:install'", says: /paid once/ },
};

test("TR-042 each thing that the check of a killed run asks for can be missed, and then it says so", async (t) => {
  let looked = 0;
  const look = (database: string, facts: RunFacts): void => {
    const platforms = facts.platforms.map((platform) => ({ ...platform, ledger: [...platform.ledger] }));
    for (const [name, { make, says }] of Object.entries(LEDGERS)) {
      const forged = platforms.map((platform) => ({ ...platform, ledger: make(platform.ledger) }));
      assert.throws(() => checkRun(database, { ...facts, platforms: forged }), says, name);
      looked += 1;
    }
    for (const [name, { sql, says }] of Object.entries(ROWS)) {
      const copy = `${database}-copy`;
      copyFileSync(database, copy);
      {
        using db = new DatabaseSync(copy);
        db.exec(sql);
      }
      assert.throws(() => checkRun(copy, facts), says, name);
      looked += 1;
    }
  };
  await playKillRun({ runtime, script: APART, readsBack: true, kills: [], look }, t.signal);
  assert.equal(looked, Object.keys(LEDGERS).length + Object.keys(ROWS).length);
});
