import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { STORE_TIME_MS, answerRow, heard, personOf, turnIdOf } from "../../../testing/store-rows.ts";
import type { HeardRow } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseApprovalId, parseMessageId, partIdOf } from "../../../vocabulary/ids.ts";
import type { MessageId, TurnId } from "../../../vocabulary/ids.ts";
import type { PartState } from "../../../vocabulary/part.ts";
import type { InboxEnd } from "../../../vocabulary/turn.ts";

const MAX_ATTEMPTS = 2;
const PARTS = 3;
const FINAL_PARTS = ["delivered", "unknown", "failed", "expired", "cancelled"] as const;

/** What one inbox row is, by the rules and not by the tables. */
interface ModelRow {
  readonly id: MessageId;
  state: "open" | "running" | "suspended" | "ended";
  end: InboxEnd | null;
  attempts: number;
  turn: TurnId | null;
  /** The row that went on from it, once its question was answered. */
  successor: ModelRow | null;
  readonly predecessor: ModelRow | null;
  /** The row whose turn this one's line is part of. */
  lead: ModelRow | null;
  question: number | null;
}

/** The rules of the road's rows as a few lines of plain code; the store must agree with it after every verb. */
class Model {
  readonly rows = new Map<string, ModelRow>();
  readonly parts = new Map<TurnId, PartState[]>();
  readonly lines = new Map<TurnId, "pending" | "said" | "unsaid">();

  add(id: MessageId, predecessor: ModelRow | null): ModelRow {
    const row: ModelRow = {
      id,
      state: "open",
      end: null,
      attempts: 0,
      turn: null,
      successor: null,
      predecessor,
      lead: null,
      question: null,
    };
    this.rows.set(id, row);
    return row;
  }

  end(named: ModelRow, end: InboxEnd): void {
    const row = named.lead ?? named;
    for (let each: ModelRow | null = row; each !== null; each = each.predecessor) {
      for (const one of [each, ...this.absorbedBy(each)]) {
        assert.notEqual(one.state, "ended");
        one.state = "ended";
        one.end = end;
      }
    }
  }

  absorbedBy(row: ModelRow): ModelRow[] {
    return [...this.rows.values()].filter((each) => each.lead === row);
  }

  closable(named: ModelRow): boolean {
    const row = named.lead ?? named;
    return row.state === "open" || row.state === "running" || (row.state === "suspended" && row.successor === null);
  }

  /** How the turn's line ends now, if it does. */
  settled(turn: TurnId): "said" | "unsaid" | null {
    const states = this.parts.get(turn) ?? [];
    if (states.some((state) => state === "queued" || state === "sending") || this.lines.get(turn) !== "pending") return null;
    const line = states.some((state) => state === "delivered" || state === "unknown") ? "said" : "unsaid";
    this.lines.set(turn, line);
    return line;
  }
}

type Step =
  | { readonly kind: "hear"; readonly on: number }
  | { readonly kind: "start"; readonly on: number; readonly absorbs: boolean }
  | { readonly kind: "suspend" | "resume"; readonly on: number }
  | { readonly kind: "answer"; readonly on: number; readonly end: "answered" | "refused" | "failed" }
  | { readonly kind: "close"; readonly on: number; readonly end: "silent" | "failed" | "cancelled" | "refused"; readonly withTurn: boolean }
  | {
      readonly kind: "settle";
      readonly on: number;
      readonly index: number;
      readonly state: (typeof FINAL_PARTS)[number];
      readonly next: number | null;
      readonly rest: "expired" | "cancelled" | null;
    }
  | { readonly kind: "claim"; readonly on: number; readonly index: number }
  | { readonly kind: "restart" };

type Settle = Extract<Step, { readonly kind: "settle" }>;

// Mostly the newest row: only a chain of fitting verbs reaches the far states.
const on = fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat({ max: 7 }) });
const index = fc.nat({ max: PARTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("hear" as const), on }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("start" as const), on, absorbs: fc.nat({ max: 3 }).map((n) => n === 0) }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("suspend" as const, "resume" as const), on }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("answer" as const),
      on,
      end: fc.constantFrom("answered" as const, "refused" as const, "failed" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("close" as const),
      on,
      end: fc.constantFrom("silent" as const, "failed" as const, "cancelled" as const, "refused" as const),
      withTurn: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      on,
      index,
      state: fc.constantFrom(...FINAL_PARTS),
      next: fc.option(index),
      rest: fc.option(fc.constantFrom("expired" as const, "cancelled" as const), { freq: 4 }),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("claim" as const), on, index }) },
  { weight: 2, arbitrary: fc.constant({ kind: "restart" as const }) },
);

/** One run: the store, the model, and the fresh ids that tie them. */
class Run {
  readonly store: DirectStore;
  readonly model = new Model();
  readonly #messages: readonly HeardRow[];
  readonly #base: number;
  #turns = 0;
  #resumed = 0;
  #questions = 0;

  constructor(store: DirectStore, base: number) {
    this.store = store;
    this.#base = base;
    this.#messages = [0, 1, 2].map((offset) => heard({ number: base + offset, person: offset }));
  }

  do(action: Step): void {
    if (action.kind === "restart") this.#restart();
    else if (action.kind === "hear") this.#hear(action.on);
    else {
      const row = [...this.model.rows.values()].toReversed()[action.on % Math.max(1, this.model.rows.size)];
      if (row !== undefined) this.#act(action, row);
    }
    this.#compare();
  }

  #act(action: Exclude<Step, { kind: "hear" | "restart" }>, row: ModelRow): void {
    switch (action.kind) {
      case "start":
        return this.#start(row, action.absorbs);
      case "answer":
        return this.#answer(row, action.end);
      case "close":
        return this.#close(row, action.end, action.withTurn);
      case "suspend":
        return this.#suspend(row);
      case "resume":
        return this.#resume(row);
      case "settle":
        return this.#settle(row, action);
      case "claim":
        return this.#claim(row, action.index);
    }
  }

  #hear(on: number): void {
    const message = this.#messages[on % this.#messages.length];
    assert.ok(message);
    const known = this.model.rows.has(message.inbox.id);
    assert.equal(this.store.run({ verb: "hear", row: message }).kind, known ? "duplicate" : "fresh");
    if (!known) this.model.add(message.inbox.id, null);
  }

  #start(row: ModelRow, absorbs: boolean): void {
    const turn = turnIdOf(this.#base + this.#turns++);
    const started = row.state === "open" && row.attempts < MAX_ATTEMPTS;
    // Every other message is offered; only those that are open may go along. A row that goes on from one absorbs none.
    const others = absorbs && row.predecessor === null ? [...this.model.rows.values()].filter((each) => each !== row) : [];
    const fit = others.filter((each) => started && each.state === "open" && each.attempts < MAX_ATTEMPTS && each.predecessor === null);
    const call = { turn, inbox: row.id, absorbed: others.map(({ id }) => id), maxAttempts: MAX_ATTEMPTS, atMs: STORE_TIME_MS, charges: [] };
    assert.deepEqual(this.store.run({ verb: "start", row: call }), { started, absorbed: fit.map(({ id }) => id) });
    if (!started) return;
    Object.assign(row, { state: "running", turn, attempts: row.attempts + 1 });
    for (const each of fit) Object.assign(each, { state: "running", turn, attempts: each.attempts + 1, lead: row });
  }

  #answer(row: ModelRow, end: "answered" | "refused" | "failed"): void {
    const stored = row.state === "running" && row.lead === null;
    const turn = row.turn ?? turnIdOf(this.#base + 999);
    const template = answerRow(heard({ number: Number.parseInt(turn.slice(2, -1), 32) }), PARTS);
    const result = this.store.run({
      verb: "answer",
      row: { ...template, inbox: row.id, turn, end, reason: end === "answered" ? "" : "notice" },
    });
    assert.equal(result.stored, stored);
    if (!stored) return;
    this.model.end(row, end);
    this.model.parts.set(turn, ["sending", "queued", "queued"]);
    this.model.lines.set(turn, "pending");
  }

  #close(row: ModelRow, end: "silent" | "failed" | "cancelled" | "refused", withTurn: boolean): void {
    const closed = this.model.closable(row) && (!withTurn || row.turn !== null);
    const turn = withTurn ? (row.turn ?? turnIdOf(this.#base + 999)) : null;
    const call = { inbox: row.id, turn, end, reason: "test", atMs: STORE_TIME_MS, record: null };
    assert.deepEqual(this.store.run({ verb: "close", row: call }), { closed });
    if (closed) this.model.end(row, end);
  }

  #suspend(row: ModelRow): void {
    const suspended = row.state === "running" && row.lead === null;
    const question = this.#questions++;
    const call = {
      turn: row.turn ?? turnIdOf(this.#base + 999),
      inbox: row.id,
      approval: approvalOf(this.#base + question),
      question: { digest: "d", call: "{}", state: "{}", expiresAtMs: STORE_TIME_MS * 2 },
      person: personOf(0),
      atMs: STORE_TIME_MS,
    };
    assert.deepEqual(this.store.run({ verb: "suspend", row: call }), { suspended, seq: 0 });
    if (!suspended) return;
    Object.assign(row, { state: "suspended", question });
    for (const each of this.model.absorbedBy(row)) each.state = "suspended";
  }

  #resume(row: ModelRow): void {
    const resumed = row.state === "suspended" && row.successor === null && row.lead === null;
    const inbox = parseMessageId(`m-r${(this.#base + this.#resumed++).toString(32).padStart(6, "0")}`);
    const approval = approvalOf(this.#base + (row.question ?? 999));
    const call = { approval, digest: "d", person: personOf(0), answer: "yes", atMs: STORE_TIME_MS, inbox };
    assert.deepEqual(this.store.run({ verb: "resume", row: call }), { resumed });
    if (resumed) row.successor = this.model.add(inbox, row);
  }

  #settle(row: ModelRow, action: Settle): void {
    const turn = row.turn ?? turnIdOf(this.#base + 999);
    const states = this.model.parts.get(turn) ?? [];
    const { index: at, state, next, rest } = action;
    const settled = maySettle(states, action);
    const part = { part: partIdOf(turn, at), state, reason: "", platformId: null, atMs: STORE_TIME_MS };
    const call = { ...part, next: next === null ? null : partIdOf(turn, next), rest };
    if (settled) {
      states[at] = state;
      if (next !== null) states[next] = "sending";
      if (rest !== null) states.forEach((each, other) => each === "queued" && (states[other] = rest));
    }
    const line = settled ? this.model.settled(turn) : null;
    assert.deepEqual(this.store.run({ verb: "settle", row: call }), { settled, line });
  }

  #claim(row: ModelRow, at: number): void {
    const turn = row.turn ?? turnIdOf(this.#base + 999);
    const states = this.model.parts.get(turn) ?? [];
    const claimed = !states.includes("sending") && states.indexOf("queued") === at;
    assert.deepEqual(this.store.run({ verb: "claim", row: { part: partIdOf(turn, at), atMs: STORE_TIME_MS } }), { claimed });
    if (claimed) states[at] = "sending";
  }

  #restart(): void {
    this.store.restart();
    const { recovery } = this.store.recover({ nowMs: STORE_TIME_MS, maxInboxAgeMs: 1_000, maxPartAgeMs: 1_000, maxAttempts: MAX_ATTEMPTS });
    let interrupted = 0;
    const died = [...this.model.rows.values()].filter((each) => each.state === "running");
    for (const row of died) row.lead = null;
    for (const row of died) {
      if (row.attempts < MAX_ATTEMPTS) Object.assign(row, { state: "open", turn: null });
      else {
        interrupted += 1;
        this.model.end(row, "interrupted");
      }
    }
    assert.equal(recovery.interrupted, interrupted);
    const open = [...this.model.rows.values()].filter((row) => row.state === "open").map((row) => row.id);
    assert.deepEqual(recovery.open.map((row) => row.id).toSorted(), open.toSorted());
  }

  #compare(): void {
    for (const row of this.model.rows.values()) {
      const told = this.store.read.explain(row.id);
      assert.ok(told);
      assert.deepEqual([told.inboxState, told.end, told.attempts], [row.state, row.end, row.attempts], row.id);
      const states = row.turn === null ? undefined : this.model.parts.get(row.turn);
      if (states !== undefined)
        assert.deepEqual(
          told.parts.map((part) => part.state),
          states,
        );
    }
    for (const [turn, states] of this.model.parts) {
      const line = this.store.read.event(parseMessageId(`m-${turn.slice(2)}r`));
      assert.equal(line?.state, this.model.lines.get(turn));
      assert.ok(states.filter((state) => state === "sending").length <= 1, "two parts of a turn are on their way");
    }
  }

  /** Leave nothing open behind, as the end of every story must be able to. */
  finish(): void {
    for (const row of [...this.model.rows.values()].toReversed()) if (this.model.closable(row)) this.#close(row, "cancelled", false);
    for (const [turn, states] of this.model.parts) {
      const at = states.findIndex((state) => state === "sending" || state === "queued");
      const row = [...this.model.rows.values()].find((each) => each.turn === turn);
      if (at >= 0 && row !== undefined)
        this.#settle(row, { kind: "settle", on: 0, index: at, state: "failed", next: null, rest: "cancelled" });
    }
    this.#compare();
    assert.ok([...this.model.rows.values()].every((row) => row.state === "ended" && row.end !== null));
    assert.deepEqual(this.store.read.counts(), { inbox: { open: 0, running: 0, suspended: 0 }, parts: { queued: 0, sending: 0 } });
  }
}

function maySettle(states: readonly PartState[], { index: at, state, next, rest }: Settle): boolean {
  const unsent = states[at] === "queued" && ["failed", "expired", "cancelled"].includes(state) && next === null;
  if (states[at] !== "sending" && !unsent) return false;
  return next === null || (rest === null && next === states.findIndex((each, other) => each === "queued" && other !== at));
}

const approvalOf = (number: number) => parseApprovalId(`a-${number.toString(32).padStart(6, "0")}`);

test("TR-042 under any order of verbs and restarts each row ends exactly once, and no verb moves an ended one", () => {
  using store = openDirectStore();
  let base = 0;
  const seen = new Set<string>();
  fc.assert(
    fc.property(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => {
      base += 1_000;
      const run = new Run(store, base);
      run.do({ kind: "hear", on: 0 });
      for (const action of steps) run.do(action);
      run.finish();
      for (const row of run.model.rows.values())
        seen.add(`${row.end}${row.lead === null ? "" : " absorbed"}${row.predecessor === null ? "" : " resumed"}`);
      for (const states of run.model.parts.values()) for (const state of states) seen.add(state);
    }),
    { numRuns: 350, seed: 7 },
  );
  // The walk really came by these; else it would prove little.
  for (const what of ["answered", "refused", "silent", "cancelled", "interrupted", "answered resumed", "answered absorbed", ...FINAL_PARTS])
    assert.ok(seen.has(what), what);
});
