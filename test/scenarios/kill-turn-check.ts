import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { z } from "zod";
import type { Mark } from "../../src/testing/marking-tools.ts";
import type { LedgerEntry } from "../../src/testing/scripted-platform.ts";
import type { Settled } from "./kill-check.ts";
import type { GivenWord } from "./kill-turn-run.ts";
import { CALLS, DENIED, LAST_WORDS, OWNER_LINES } from "./kill-turn-script.ts";

/** What stands outside the runtime's process after a run. */
export interface TurnFacts {
  /** Lives that were killed. */
  readonly deaths: number;
  /** Bodies that were entered, in order. */
  readonly marks: readonly Mark[];
  readonly answers: readonly GivenWord[];
  /** Parts that the platform took, in order, repeats included. */
  readonly ledger: readonly LedgerEntry[];
  /** What the model was sent, in order. */
  readonly requests: readonly Buffer[];
}

const inboxRow = z.object({
  id: z.string(),
  kind: z.string(),
  class: z.string(),
  state: z.string(),
  end: z.string().nullable(),
  end_reason: z.string().nullable(),
  attempts: z.int(),
  turn: z.string().nullable(),
  root: z.string(),
});
const partRow = z.object({ id: z.string(), turn: z.string(), count: z.int(), state: z.string() });
const entryRow = z.object({ seq: z.int(), root: z.string(), kind: z.string(), body: z.string() });
const approvalRow = z.object({ number: z.int(), state: z.string(), answer: z.string().nullable(), used_at_ms: z.int().nullable() });
type Inbox = z.infer<typeof inboxRow>;

/** A row runs at most so often (TR-042). */
const MAX_ATTEMPTS = 2;

/** A call as the history has it. */
interface KeptCall {
  readonly id: string;
  readonly root: string;
  readonly tool: string;
  readonly what: string;
  readonly begun: boolean;
  /** What came of it, in order; one that waited first has two. */
  readonly results: readonly { readonly status: string; readonly text: string }[];
}

interface Kept {
  readonly inbox: readonly Inbox[];
  readonly parts: readonly z.infer<typeof partRow>[];
  readonly entries: readonly z.infer<typeof entryRow>[];
  readonly approvals: readonly z.infer<typeof approvalRow>[];
  readonly calls: readonly KeptCall[];
}

/**
 * Compare what a finished run kept with the marks of its tools, the answers of its person, what the model was sent and what the
 * platform took: every row has one end, nothing ran twice or without its person's word, every call has one result, requests grow by
 * their ends alone, and each answer was said once (TR-042, TR-044).
 * @throws AssertionError for whatever does not hold.
 */
export function checkTurns(database: string, facts: TurnFacts): Settled {
  using db = new DatabaseSync(database, { readOnly: true });
  assert.deepEqual(db.prepare("pragma integrity_check").all(), [{ __proto__: null, integrity_check: "ok" }]);
  const kept = read(db);
  checkEnds(kept, facts);
  checkMarks(kept, facts);
  checkResults(kept, facts);
  checkHistory(kept, facts);
  checkQuestions(kept, facts);
  checkRequests(facts);
  checkSaid(kept, facts);
  const ends: Record<string, number> = {};
  for (const { end } of kept.inbox) ends[String(end)] = (ends[String(end)] ?? 0) + 1;
  return { ends, unknownParts: kept.parts.filter(({ state }) => state === "unknown").length, joined: 0 };
}

function read(db: DatabaseSync): Kept {
  const rows = <Shape>(shape: z.ZodType<Shape>, sql: string): readonly Shape[] => z.array(shape).parse(db.prepare(sql).all());
  const entries = rows(
    entryRow,
    "select e.seq, e.root, e.kind, e.body from session_entry e join session s on s.n = e.session where s.current = 1 order by e.seq",
  );
  return {
    inbox: rows(
      inboxRow,
      `select i.id, i.kind, i.class, i.state, i.end, i.end_reason, i.attempts, i.turn, root.id as root
         from inboxes i join inboxes root on root.n = i.root order by i.n`,
    ),
    parts: rows(partRow, "select id, turn, count, state from parts"),
    entries,
    approvals: rows(approvalRow, "select number, state, answer, used_at_ms from approval where number > 0 order by number"),
    calls: callsIn(entries),
  };
}

const answered = z.tuple([z.string()], z.tuple([z.string(), z.string(), z.string()]));
const result = z.tuple([z.string(), z.string(), z.string(), z.string()]);

function callsIn(entries: Kept["entries"]): readonly KeptCall[] {
  const bodies = entries.map(({ kind, root, body }) => ({ kind, root, value: JSON.parse(body) as unknown }));
  const begun = bodies.flatMap(({ kind, value }) => (kind === "begun" ? z.tuple([z.string()]).parse(value) : []));
  const results = bodies.flatMap(({ kind, value }) => (kind === "result" ? [result.parse(value)] : []));
  return bodies.flatMap(({ kind, root, value }) => {
    const [, ...calls] = kind === "answered" ? answered.parse(value) : [""];
    return calls.map(([id, tool, text]): KeptCall => {
      const own = results.filter(([call]) => call === id).map(([, , said, status]) => ({ status, text: said }));
      return { id, root, tool, what: z.object({ what: z.string() }).parse(JSON.parse(text)).what, begun: begun.includes(id), results: own };
    });
  });
}

/** One end each, and the one that is due: a row is `interrupted` only where two processes died with it or nobody knows of its call. */
function checkEnds({ inbox, calls }: Kept, { deaths }: TurnFacts): void {
  for (const row of inbox) {
    assert.equal(row.state, "ended", `row ${row.id} is ${row.state}`);
    assert.ok(row.attempts <= MAX_ATTEMPTS, `row ${row.id} began ${row.attempts} times`);
    if (row.end === "interrupted") {
      const isUnknown = calls.some(({ root, results }) => root === row.root && results.some(({ status }) => status === "unknown"));
      // A row that waited ends with the one that goes on in its place.
      const died = deaths >= MAX_ATTEMPTS && inbox.some(({ root, attempts }) => root === row.root && attempts === MAX_ATTEMPTS);
      assert.ok(died || (isUnknown && row.end_reason === "call_unknown"), `row ${row.id} is interrupted though it could go on`);
    } else assert.ok(row.end === "answered" || (row.class === "answer" && row.end === "silent"), `row ${row.id} ended as ${row.end}`);
  }
  const lines = inbox.filter((row) => row.class === "talk" && row.kind === "message");
  assert.equal(lines.length, OWNER_LINES.length, "each line was kept once");
}

/** Nothing ran twice, and nothing ran that its person had not allowed before. */
function checkMarks({ calls }: Kept, { marks, answers }: TurnFacts): void {
  const ran = marks.map(({ call }) => call);
  assert.equal(new Set(ran).size, ran.length, "a body was entered twice");
  for (const { call, tool, what } of marks) {
    const own = calls.find(({ id }) => id === call);
    assert.ok(own?.tool === tool && own.what === what, `${tool} ${what} ran and no call asked for it`);
    if (tool !== "paint") continue;
    const allowed = answers.some(
      (one) => one.what === what && one.answer === "allow" && !one.marksBefore.some((before) => before.call === call),
    );
    assert.ok(allowed, `${what} was painted unapproved`);
  }
}

/** Every call has one result, and it tells what became of the body. */
function checkResults({ calls }: Kept, { marks, deaths }: TurnFacts): void {
  for (const { id, tool, what, begun, results } of calls) {
    const final = results.filter(({ status }) => status !== "waiting");
    assert.equal(final.length, 1, `${tool} ${what} has ${final.length} results`);
    const [{ status, text }] = final as [(typeof final)[number]];
    const ran = marks.some(({ call }) => call === id);
    if (status === "ok") assert.ok(ran && begun, `${tool} ${what} is called done and was not`);
    else if (status === "denied") {
      assert.ok(!ran, `${tool} ${what} ran and is called denied`);
      assert.ok(what === DENIED && /said no/.test(text), `${tool} ${what} is denied: ${text}`);
    } else if (begun) {
      assert.ok(deaths > 0, `${tool} ${what} is ${status} though nothing cut it off`);
      // What changes nothing may be made again; of the other nobody can tell.
      assert.equal(status, tool === "paint" ? "unknown" : "interrupted", `${tool} ${what} is ${status}`);
    } else {
      assert.ok(!ran && status === "interrupted", `${tool} ${what} is ${status} and never began`);
      assert.ok(deaths > 0 && /not run/.test(text), `${tool} ${what} is ${status}: ${text}`);
    }
  }
}

/** The history is that of one process: each line once, each answer once, and nothing that the model was not asked for. */
function checkHistory({ entries, inbox }: Kept, { deaths }: TurnFacts): void {
  assert.deepEqual(
    entries.map(({ seq }) => seq),
    entries.map((_, at) => at + 1),
  );
  for (const [root, own] of Map.groupBy(entries, (entry) => entry.root)) {
    assert.equal(own.filter(({ kind }) => kind === "said").length, 1, `the line of ${root} is in its history more than once, or not`);
    const bodies = own.filter(({ kind }) => kind === "answered").map(({ body }) => JSON.parse(body) as unknown[]);
    assert.ok(bodies.filter((body) => body.length === 1).length <= 1, `the turn of ${root} has two last words`);
  }
  const interrupted = inbox.filter(({ end }) => end === "interrupted").length;
  const roots = new Set(entries.map(({ root }) => root)).size;
  assert.ok(roots === OWNER_LINES.length || (deaths >= MAX_ATTEMPTS && roots + interrupted >= OWNER_LINES.length), "a line is missing");
}

/** Each question was shown once, its answer counts once, and what was allowed came about unless a kill was in it. */
function checkQuestions({ approvals, calls, inbox }: Kept, { ledger, answers, marks, deaths }: TurnFacts): void {
  for (const { number, state, answer, used_at_ms: used } of approvals) {
    const shown = new Set(ledger.filter(({ body }) => body.startsWith(`Question ${number}:`)).map(({ turn }) => turn));
    assert.ok(shown.size === 1, `question ${number} was shown ${shown.size} times`);
    const given = answers.find((one) => one.number === number);
    assert.ok(given, `question ${number} was not answered`);
    assert.ok(state === "answered" && answer?.startsWith(given.answer), `question ${number} is ${state}: ${answer}`);
    const died = deaths >= MAX_ATTEMPTS && inbox.some(({ kind, end }) => kind === "resume" && end === "interrupted");
    assert.ok(used !== null || died, `the answer to question ${number} was never used`);
  }
  if (deaths > 1) return;
  const asked = new Set(calls.map(({ what }) => what));
  const ran = new Set(calls.filter(({ id }) => marks.some(({ call }) => call === id)).map(({ what }) => what));
  const cut = calls.find(({ results }) => results.some(({ status }) => status === "unknown"));
  // Where nobody knows of a call, its turn is over with all that was behind it; any other call comes about at last, but the one between answer and run.
  const lost = calls.filter(({ what, root }) => what !== DENIED && !ran.has(what) && root !== cut?.root);
  assert.ok(lost.length <= deaths, `a kill took more than it was in: ${lost.map(({ what }) => what).join(", ")}`);
  assert.ok(cut !== undefined || asked.size === CALLS.length, `the turns stopped behind ${[...asked].join(", ")}`);
}

const MESSAGES_END = '],"tools":';

/** What the model is sent begins with the same bytes start after start, and what stands around it never changes (TR-057). */
function checkRequests({ requests, deaths }: TurnFacts): void {
  const split = requests.map((body) => {
    const text = body.toString();
    const at = text.indexOf(MESSAGES_END);
    assert.ok(at > 0, "a request holds no messages");
    return { head: text.slice(0, at), tail: text.slice(at) };
  });
  assert.equal(new Set(split.map(({ tail }) => tail)).size, 1, "what stands around the messages changed");
  for (const [at, { head }] of split.entries()) {
    const before = split[at - 1]?.head ?? head;
    assert.ok(head === before || head.startsWith(`${before},`), "what was sent before is not the beginning of what is sent now");
    assert.ok(split.filter((one) => one.head === head).length <= 1 + deaths, "the same was asked again for no reason");
  }
}

/** No part twice, both sides tell the same of each, answers whole, and each last word said once where its turn came to it. */
function checkSaid({ parts, entries, inbox }: Kept, { ledger }: TurnFacts): void {
  const taken = new Set(ledger.map(({ part }) => part));
  assert.equal(taken.size, ledger.length, "a part was said twice");
  for (const { id, state } of parts) assert.ok(state === "delivered" && taken.has(id), `part ${id} is ${state}`);
  assert.equal(taken.size, parts.length, "the platform has a part that is not kept");
  for (const [turn, own] of Map.groupBy(ledger, (entry) => entry.turn)) {
    assert.deepEqual(
      own.map(({ index, count }) => [index, count]),
      own.map((_, at) => [at, own.length]),
      `what ${turn} said is not whole`,
    );
  }
  // The owner answers what waits, so no answer of his is ever too late.
  assert.ok(!ledger.some(({ body }) => /waits no more|No question of that number/.test(body)), "an answer that counts was called too late");
  for (const words of LAST_WORDS) {
    const said = ledger.filter(({ body }) => body.startsWith(words)).length;
    const thought = entries.filter(({ kind, body }) => kind === "answered" && body === JSON.stringify([words]));
    // A turn that two processes died with ends there, whatever it had thought.
    const due = thought.filter(({ root }) => !inbox.some((row) => row.root === root && row.end === "interrupted"));
    assert.ok(said <= 1, `"${words}" was said ${said} times`);
    assert.ok(said >= due.length && said <= thought.length, `"${words}" was thought ${thought.length} times and said ${said} times`);
  }
}
