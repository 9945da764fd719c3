import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { LedgerEntry, ScriptedLine } from "../../src/testing/scripted-platform.ts";

/** One platform's side of a run. */
export interface PlatformRecord {
  readonly lines: readonly ScriptedLine[];
  /** The parts it took, in order, repeats included. */
  readonly ledger: readonly LedgerEntry[];
}

/** What must hold of a run depends on these. */
export interface RunFacts {
  readonly platforms: readonly PlatformRecord[];
  /** Whether the platforms can tell which parts they have. */
  readonly readsBack: boolean;
  /** Lives that were killed. */
  readonly deaths: number;
}

/** What became of a run in which everything holds. */
export interface Settled {
  readonly ends: Readonly<Record<string, number>>;
  readonly unknownParts: number;
  /** Lines that were part of another line's turn when they ended. */
  readonly joined: number;
}

const inboxRow = z.object({
  id: z.string(),
  state: z.string(),
  end: z.string().nullable(),
  lead: z.string().nullable(),
  turn: z.string().nullable(),
  attempts: z.int(),
  person: z.string(),
  place: z.string(),
  seq: z.int(),
  delivery: z.string(),
});
const partRow = z.object({ id: z.string(), turn: z.string(), idx: z.int(), count: z.int(), state: z.string(), inbox: z.string() });
const answerRow = z.object({ turn: z.string(), state: z.string() });
type Inbox = z.infer<typeof inboxRow>;
type Part = z.infer<typeof partRow>;

/** A row runs at most so often (TR-042). */
const MAX_ATTEMPTS = 2;

/**
 * Compare what a finished run kept with what its platforms saw and hold it to TR-042: everything heard is kept once and has one
 * end, no part came twice or out of order, both sides tell the same of every part, and no kill gave back what a start cost.
 * @throws AssertionError for whatever does not hold.
 */
export function checkRun(database: string, facts: RunFacts): Settled {
  using db = new DatabaseSync(database, { readOnly: true });
  assert.deepEqual(db.prepare("pragma integrity_check").all(), [{ __proto__: null, integrity_check: "ok" }]);
  const inbox = rows(
    db,
    inboxRow,
    `select i.id, i.state, i.end, lead.id as lead, i.turn, i.attempts, i.person, e.delivery, e.seq, i.place
       from inboxes i join event e on e.n = i.n left join inboxes as lead on lead.n = i.lead`,
  );
  const parts = rows(
    db,
    partRow,
    `select p.id, p.turn, p.idx, p.count, p.state, i.id as inbox
       from parts p join turn t on t.id = p.turn join inboxes i on i.n = t.inbox order by t.n, p.idx`,
  );
  checkKept(db, inbox, facts);
  checkEnds(inbox, facts);
  checkAnswers(rows(db, answerRow, "select turn, state from event where author_kind = 'character'"), inbox, parts);
  checkLedger(
    facts.platforms.flatMap(({ ledger }) => ledger),
    parts,
    facts.readsBack,
  );
  for (const platform of facts.platforms) checkOrder(platform, parts, inbox);
  checkCharges(db);
  const ends: Record<string, number> = {};
  for (const { end } of inbox) ends[String(end)] = (ends[String(end)] ?? 0) + 1;
  return { ends, unknownParts: parts.filter(({ state }) => state === "unknown").length, joined: checkJoined(inbox) };
}

function rows<Shape>(db: DatabaseSync, shape: z.ZodType<Shape>, sql: string): readonly Shape[] {
  return z.array(shape).parse(db.prepare(sql).all());
}

/** Nothing lost, nothing kept twice, nothing turned away. */
function checkKept(db: DatabaseSync, inbox: readonly Inbox[], { platforms }: RunFacts): void {
  const lines = platforms.flatMap((platform) => platform.lines);
  const refused = db.prepare("select reason, gate, rule, count(*) as n from decision where outcome = 'suppressed' group by 1, 2, 3").all();
  assert.deepEqual([inbox.length, refused], [lines.length, []], "every message was kept once");
  assert.deepEqual(new Set(inbox.map(({ delivery }) => delivery)), new Set(lines.map(({ delivery }) => delivery)), "each of them");
}

/** One end each, the one its words ask for; `interrupted` only for a row that died with two processes. */
function checkEnds(inbox: readonly Inbox[], { platforms, deaths }: RunFacts): void {
  const textOf = new Map(platforms.flatMap(({ lines }) => lines.map(({ delivery, text }) => [delivery, text])));
  const endOf = ({ delivery }: Inbox): string => (textOf.get(delivery) === "hush" ? "silent" : "answered");
  const byTurn = Map.groupBy(inbox, ({ turn }) => turn);
  for (const row of inbox) {
    const { id, state, end, attempts, turn } = row;
    // Lines that were gathered into one turn end as their words together ask for.
    const due = new Set((byTurn.get(turn) ?? [row]).map(endOf));
    assert.equal(state, "ended", `message ${id} is ${state}`);
    const died = end === "interrupted" && attempts === MAX_ATTEMPTS && deaths >= MAX_ATTEMPTS;
    assert.ok(due.has(end ?? "") || died, `message ${id} ended as ${end}`);
    assert.ok(attempts <= MAX_ATTEMPTS, `message ${id} began ${attempts} times`);
  }
}

/** One answer for each turn that answered, whole, and `said` as soon as a part of it arrived or may have. */
function checkAnswers(answers: readonly z.infer<typeof answerRow>[], inbox: readonly Inbox[], parts: readonly Part[]): void {
  const leads = inbox.filter(({ end, lead }) => end === "answered" && lead === null);
  assert.equal(answers.length, leads.length, "one answer each");
  assert.deepEqual(new Set(answers.map(({ turn }) => turn)), new Set(leads.map(({ turn }) => turn)), "one answer each");
  const partsOf = Map.groupBy(parts, ({ turn }) => turn);
  for (const { turn, state } of answers) {
    const own = partsOf.get(turn) ?? [];
    assert.equal(state, "said", `the line of ${turn} is ${state}`);
    assert.deepEqual(
      own.map(({ idx, count }) => [idx, count]),
      own.map((_, at) => [at, own.length]),
      "an answer is whole",
    );
  }
  assert.equal(partsOf.size, answers.length, "no part without its line");
}

/** Lines of one turn are one person's in one place, and end alike. */
function checkJoined(inbox: readonly Inbox[]): number {
  const rowOf = new Map(inbox.map((one) => [one.id, one]));
  const joined = inbox.filter(({ lead }) => lead !== null);
  for (const one of joined) {
    const lead = rowOf.get(one.lead ?? "");
    const told = ({ person, place, end, turn }: Inbox): unknown => ({ person, place, end, turn });
    assert.ok(lead !== undefined && lead.lead === null, "a line is part of a turn that is none");
    assert.deepEqual(told(one), told(lead));
  }
  return joined.length;
}

/** No part twice, and both ledgers tell the same of every part. */
function checkLedger(ledger: readonly LedgerEntry[], parts: readonly Part[], readsBack: boolean): void {
  const taken = new Set(ledger.map(({ part }) => part));
  assert.equal(taken.size, ledger.length, "a part was said twice");
  const states = new Map(parts.map(({ id, state }) => [id, state]));
  for (const part of taken) assert.ok(states.has(part), `the platform has a part that is not kept: ${part}`);
  for (const [id, state] of states) {
    if (state === "delivered") assert.ok(taken.has(id), `part ${id} is called delivered and is not there`);
    else if (state === "unknown") assert.equal(readsBack, false, `part ${id} is unknown though the platform can tell`);
    else assert.fail(`part ${id} ended as ${state}`);
  }
}

/** Parts of a turn in order and contiguous in their place; answers in the order of their person's messages there. */
function checkOrder({ ledger, lines }: PlatformRecord, parts: readonly Part[], inbox: readonly Inbox[]): void {
  const lineOf = new Map(lines.map((line) => [line.delivery, line]));
  const messageOf = new Map(parts.map(({ turn, inbox: id }) => [turn, id]));
  const rowOf = new Map(inbox.map((one) => [one.id, one]));
  const open = new Map<string, LedgerEntry>();
  const closed = new Set<string>();
  const lastSeq = new Map<string, number>();
  for (const entry of ledger) {
    const before = open.get(entry.place);
    if (before !== undefined && before.turn !== entry.turn) closed.add(before.turn);
    assert.ok(!closed.has(entry.turn), "parts of a turn were not contiguous");
    if (before?.turn === entry.turn) assert.ok(entry.index > before.index, "parts were out of order");
    else {
      const message = rowOf.get(messageOf.get(entry.turn) ?? "");
      checkAnswerOrder(message, lineOf.get(message?.delivery ?? ""), lastSeq);
    }
    open.set(entry.place, entry);
  }
}

function checkAnswerOrder(message: Inbox | undefined, line: ScriptedLine | undefined, lastSeq: Map<string, number>): void {
  assert.ok(message !== undefined && line !== undefined, "an answer to nothing that this platform's people said");
  // A command runs beside the lane, so only talk keeps its order.
  if (line.text === "/about") return;
  const lane = `${message.place} ${line.person}`;
  assert.ok(message.seq > (lastSeq.get(lane) ?? 0), "answers of one person were out of order");
  lastSeq.set(lane, message.seq);
}

/** Each turn of talk that began is paid once, whatever came of it: a kill gives nothing back (TR-024). A command calls no model. */
function checkCharges(db: DatabaseSync): void {
  const count = z.object({ n: z.int().nullable() });
  const [turns] = rows(db, count, "select count(*) as n from turn t join inbox i on i.n = t.inbox where i.class = 'talk'");
  const [calls] = rows(db, count, "select sum(amount) as n from budget where scope = 'calls:install'");
  assert.equal(calls?.n, turns?.n, "each turn that began is paid once");
}
