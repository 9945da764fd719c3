import type { ApprovalsAnswer, QuestionView } from "../../src/operations/approvals.ts";
import type { CardView } from "../../src/operations/card-view.ts";
import { cardOf } from "../../src/operations/card-view.ts";
import type { ScheduleAnswer, ScheduleView } from "../../src/operations/schedule.ts";
import type { EntryView, SessionView, SessionsAnswer } from "../../src/operations/sessions.ts";
import type { TurnView, TurnsAnswer } from "../../src/operations/turns.ts";
import { askText } from "../../src/vocabulary/calls/ask.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../src/vocabulary/principal.ts";
import type { FakeAnswer } from "./fake-operations.ts";

/** The session that a line goes on in, and one that rests. */
export const SESSION = "s-02f3kq";
const RESTS = "s-01aa22";
const SEFA = parsePrincipalId("room:m-03f2k1");
const DIGEST = "9f2c".repeat(16);
/** What the question is about, as bytes. */
export const BYTES: string =
  '{"arguments":{"rule":"weekdays 8:00","words":"The last ferry is at nine from Friday\\u202e."},"definition":"41ab07de","tool":"schedule_add"}';

/** What agents do, as a page is told of it. */
export class FakeAgents {
  /** Answers that were taken: allow or deny, with what came along. */
  readonly answered: Readonly<Record<string, unknown>>[] = [];
  sessions: SessionView[] = [
    sessionOf(SESSION, { carries: [{ whose: SEFA, sinceMs: Date.now() - 760_000 }] }),
    sessionOf(RESTS, { current: false }),
  ];
  entries: EntryView[] = someEntries();
  turns: TurnView[] = [];
  waiting: QuestionView[] = [];
  schedules: ScheduleView[] = someSchedules();
  /** Why the next answer does not count; null when it does. */
  refuses: string | null = null;
  stopped: number = 0;
  halted: boolean = false;

  /** Let a question wait in the session. */
  ask(number: number = 7): void {
    const now = Date.now();
    this.waiting = [
      ...this.waiting,
      {
        id: `a-00000${number}`,
        number,
        person: LOCAL_OWNER,
        mine: true,
        tool: "schedule_add",
        digest: DIGEST,
        session: SESSION,
        askedAtMs: now - 38_000,
        expiresAtMs: now + 86_000_000,
      },
    ];
    this.turns = [turnOf({ doing: "waiting", tool: "schedule_add", question: number, sinceMs: now - 38_000 })];
  }

  /** Let a turn run there. */
  run(doing: TurnView["doing"], tool: string | null): void {
    this.turns = [turnOf({ doing, tool, sinceMs: Date.now() - 12_000 })];
  }

  /** Answers by the names of their operations. */
  answers(args: Readonly<Record<string, unknown>>): Readonly<Record<string, () => FakeAnswer>> {
    return {
      sessions: () => this.#sessions(args),
      turns: () => this.#turns(args),
      approvals: () => this.#approvals(args),
      schedule: () => this.#schedule(args),
      halt: () => {
        this.halted = true;
        return { data: { ended: 3 } };
      },
    };
  }

  #sessions({ id, after, before, last = 20 }: Readonly<Record<string, unknown>>): FakeAnswer {
    if (id === undefined) return { data: { sessions: this.sessions, more: false, entries: [], spent: null } satisfies SessionsAnswer };
    const found = this.sessions.find((one) => one.id === id);
    if (found === undefined) return { code: "not_found", message: "Cannot find that session: troupe sessions lists what there is" };
    const end = typeof before === "number" ? before : Number.POSITIVE_INFINITY;
    const all = id === SESSION ? this.entries.filter(({ seq }) => seq > (typeof after === "number" ? after : 0) && seq < end) : [];
    const entries = typeof after === "number" ? all.slice(0, Number(last)) : all.slice(-Number(last));
    const spent = { turns: 4, promptTokens: 18_204, completionTokens: 912, costMicros: 84_000, unpricedTurns: 0 };
    return { data: { sessions: [found], more: false, entries, spent } satisfies SessionsAnswer };
  }

  #turns({ act = "list" }: Readonly<Record<string, unknown>>): FakeAnswer {
    if (act === "stop") {
      this.stopped += 1;
      this.turns = [];
      this.waiting = [];
    }
    return { data: { done: act === "stop" ? "stop" : "list", turns: this.turns, nowMs: Date.now() } satisfies TurnsAnswer };
  }

  #approvals(args: Readonly<Record<string, unknown>>): FakeAnswer {
    const { act = "list", id } = args;
    const found = this.waiting.find((one) => one.id === id);
    if (act === "show" && found !== undefined) return { data: this.#stand("show", cardOf({ ...found, call: callOf() })) };
    if (act !== "allow" && act !== "deny") return { data: this.#stand("list", null) };
    if (this.refuses !== null) return { code: "not_found", message: this.refuses };
    this.answered.push(args);
    this.waiting = this.waiting.filter((one) => one.id !== id);
    this.turns = [];
    return { data: this.#stand(act, null) };
  }

  #stand(done: ApprovalsAnswer["done"], card: CardView | null): ApprovalsAnswer {
    const kept = {
      id: "a-000001",
      number: 3,
      person: LOCAL_OWNER,
      tool: "note_write",
      scope: "session",
      expiresAtMs: Date.now() + 864e5,
      usesLeft: 97,
    };
    return { done, number: null, card, waiting: this.waiting, kept: [kept] };
  }

  #schedule({ act, what }: Readonly<Record<string, unknown>>): FakeAnswer {
    if (act === "remove") this.schedules = this.schedules.filter(({ id }) => id !== what);
    return { data: { done: act === "remove" ? "remove" : "list", schedules: this.schedules } satisfies ScheduleAnswer };
  }
}

function callOf(): string {
  return askText({
    session: SESSION,
    call: "c6-0",
    tool: "schedule_add",
    bytes: BYTES,
    rule: "influence",
    influence: [LOCAL_OWNER, SEFA],
    foreign: [SEFA],
    destination: "",
    scopes: ["once", "session", "always"],
    least: "local",
    dynamic: false,
    words: "I would remind you each weekday, as Sefa asked.",
  });
}

function sessionOf(id: string, more: Partial<SessionView>): SessionView {
  const now = Date.now();
  return {
    id,
    character: "mirelle",
    person: LOCAL_OWNER,
    place: "direct:mirelle:local:owner",
    parent: null,
    createdAtMs: now - 9e6,
    usedAtMs: now - 40_000,
    current: true,
    entries: 9,
    bytes: 14_210,
    carries: [],
    ...more,
  };
}

function turnOf(more: Pick<TurnView, "doing" | "tool" | "sinceMs"> & Partial<TurnView>): TurnView {
  const isRunning = more.doing !== "waiting";
  return {
    session: SESSION,
    question: null,
    starter: isRunning ? "surface" : null,
    startedAtMs: isRunning ? more.sinceMs - 9_000 : null,
    requests: isRunning ? 2 : null,
    ...more,
  };
}

function someEntries(): EntryView[] {
  const atMs = Date.now() - 400_000;
  const one = (seq: number, what: string, text: string, more: Partial<EntryView> = {}): EntryView => ({
    seq,
    atMs: atMs + seq * 9_000,
    what,
    text,
    call: null,
    tool: null,
    calls: [],
    cut: false,
    ...more,
  });
  return [
    one(1, "said", "Winter timetable starts Friday: last ferry at nine, not half past. Note it, and remind me on weekdays."),
    one(2, "answered", "", { calls: [{ call: "c2-0", tool: "note_read", arguments: '{"name":"timetable"}' }] }),
    one(3, "begun", "", { call: "c2-0" }),
    one(4, "ok", "Last boat: half past nine, from the stone steps.", { call: "c2-0", tool: "note_read" }),
    one(5, "answered", "I keep it.", {
      calls: [{ call: "c5-0", tool: "note_write", arguments: '{"name":"timetable","text":"Last boat: nine, from Friday."}' }],
    }),
    one(6, "begun", "", { call: "c5-0" }),
    one(7, "ok", "Kept.", { call: "c5-0", tool: "note_write" }),
    one(8, "answered", "", { calls: [{ call: "c8-0", tool: "schedule_add", arguments: '{"rule":"weekdays 8:00"}' }] }),
    one(9, "waiting", "Waits for the person's answer.", { call: "c8-0", tool: "schedule_add" }),
  ];
}

function someSchedules(): ScheduleView[] {
  return [
    {
      id: "c-00a1b2",
      character: "mirelle",
      rule: "weekdays 8:00",
      zone: "Europe/Zurich",
      quiet: null,
      does: "say",
      words: "Good morning. The first ferry leaves at nine.",
      may: null,
      missed: "once",
      next: ["Wed 2026-12-02 08:00", "Thu 2026-12-03 08:00", "Fri 2026-12-04 08:00"],
    },
  ];
}
