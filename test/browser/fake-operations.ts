import type { BudgetsAnswer } from "../../src/observe/budgets-operation.ts";
import type { CostRow, Costs, CostsAnswer } from "../../src/observe/costs-operation.ts";
import type { NoticesAnswer } from "../../src/observe/notices-operation.ts";
import type { PacketEntry, PacketsAnswer } from "../../src/observe/packets-operation.ts";
import type { PeopleAnswer, PersonEntry } from "../../src/observe/people-operation.ts";
import type { StatusAnswer } from "../../src/observe/status.ts";
import type { PauseView } from "../../src/operations/pause.ts";
import { FakeAgents } from "./fake-agents.ts";
import { healthy } from "../../src/testing/operator-answers.ts";

const HOUR_MS = 3_600_000;

/** What an operation answers, or the code it fails with. */
export type FakeAnswer = { readonly data: unknown } | { readonly code: string; readonly message: string };

/** The operators' operations as a page asks them, over data that a test sets. */
export class FakeOperations {
  /** Each call, in order: name and arguments. */
  readonly calls: { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] = [];
  /** Operations that fail until a test says otherwise. */
  readonly failing: Set<string> = new Set();
  /** Milliseconds before an answer comes. */
  delayMs: number = 0;
  paused: PauseView[] = [];
  readonly agents: FakeAgents = new FakeAgents();
  status: StatusAnswer = healthy();
  people: PersonEntry[] = somePeople();
  packets: PacketEntry[] = somePackets();
  budgets: BudgetsAnswer = someBudgets();
  /** Calls of models so far, in the last week; none for an understudy. */
  costs: number = 412;
  notices: NoticesAnswer = { notices: [], dropped: 0 };
  /** Lines that `lines` gives, oldest first. */
  lines: { readonly by: "person" | "character"; readonly name: string; readonly text: string }[] = [
    { by: "person", name: "Sefa", text: "between us: the ledger is under the third stair" },
    { by: "character", name: "Mirelle", text: "Noted. It is in our direct line and in no one else’s packet." },
  ];
  #opened = 0;

  /** Answer one call. */
  run(name: string, args: Readonly<Record<string, unknown>>): FakeAnswer {
    this.calls.push({ name, args });
    if (this.failing.has(name)) return { code: "internal", message: "Cannot go on: the runtime broke a rule of its own" };
    const known = this.#answers(args)[name];
    return known === undefined ? { code: "not_found", message: "Cannot run that: there is no such command" } : known();
  }

  /** Calls of one operation. */
  of(name: string): readonly Readonly<Record<string, unknown>>[] {
    return this.calls.filter((call) => call.name === name).map(({ args }) => args);
  }

  #answers(args: Readonly<Record<string, unknown>>): Readonly<Record<string, () => FakeAnswer>> {
    return {
      ...this.agents.answers(args),
      status: () => ({ data: { ...this.status, halted: this.agents.halted, nowMs: Date.now(), paused: this.paused } }),
      notices: () => ({ data: this.notices }),
      budgets: () => ({ data: this.budgets }),
      costs: () => ({ data: someCosts(this.costs, args) }),
      packets: () => ({ data: { packets: this.packets, more: false } satisfies PacketsAnswer }),
      people: () => ({ data: this.#people(typeof args["find"] === "string" ? args["find"] : "") }),
      lines: () => ({ data: this.#lines(args) }),
      pause: () => ({ data: this.#pause(args) }),
      resume: () => ({ data: this.#resume(args) }),
      trust: () => ({ data: this.#change(args, args["remove"] === true ? "guest" : "trusted") }),
      block: () => ({ data: this.#change(args, args["remove"] === true ? "guest" : "blocked") }),
      forget: () => ({ data: this.#forget(args) }),
    };
  }

  #people(find: string): PeopleAnswer {
    const wanted = find.toLowerCase();
    const matching = this.people.filter(({ id, name }) => `${id} ${name ?? ""}`.toLowerCase().includes(wanted));
    const of = (role: PersonEntry["role"]): number => this.people.filter((one) => one.role === role).length;
    return {
      people: matching,
      counts: { operator: of("operator"), trusted: of("trusted"), guest: of("guest"), blocked: of("blocked") },
      matched: matching.length,
      dayBeganMs: Date.now() - 8 * HOUR_MS,
      repliesPerDay: 120,
    };
  }

  #lines({ person, character }: Readonly<Record<string, unknown>>): unknown {
    this.#opened += 1;
    const lines = this.lines.map((line, index) => ({ ...line, number: index + 1, atMs: Date.now() - HOUR_MS + index * 2_000, action: "" }));
    return { person, character, lines, more: false, openedTimes: this.#opened };
  }

  #pause({ character, place, for: span }: Readonly<Record<string, unknown>>): unknown {
    const untilMs = span === undefined ? null : Date.now() + HOUR_MS;
    const named = (word: unknown): string | null => (typeof word === "string" ? word : null);
    this.paused = [...this.paused, { character: named(character), place: named(place), by: "local:owner", atMs: Date.now(), untilMs }];
    return { paused: this.paused, changed: 1 };
  }

  #resume({ character = null, place = null }: Readonly<Record<string, unknown>>): unknown {
    this.paused = this.paused.filter((one) => one.character !== character || one.place !== place);
    return { paused: this.paused, changed: 1 };
  }

  #change({ person, yes, for: span = null }: Readonly<Record<string, unknown>>, to: "guest" | "trusted" | "blocked"): unknown {
    if (yes === true) this.people = this.people.map((one) => (one.id === person ? { ...one, role: to } : one));
    return { person, name: null, from: "guest", to, untilMs: null, span, done: yes === true };
  }

  #forget({ person, yes }: Readonly<Record<string, unknown>>): unknown {
    if (yes === true) this.people = this.people.filter(({ id }) => id !== person);
    const counts = { lines: 214, answers: 87, waiting: 0, members: 1, presence: 1, blocks: 0, decisions: 241 };
    return { person, name: null, counts, done: yes === true, bytesGone: true };
  }
}

function somePeople(): PersonEntry[] {
  const now = Date.now();
  const one = (id: string, name: string | null, more: Partial<PersonEntry>): PersonEntry => ({
    id,
    name,
    role: "guest",
    trustable: !id.startsWith("room:"),
    blockedUntilMs: null,
    invited: null,
    lastHeardAtMs: now - 60_000,
    lastPlace: "public:parlour",
    heardToday: 12,
    repliesToday: 9,
    privateLines: [],
    opened: null,
    ...more,
  });
  return [
    one("local:owner", null, { role: "operator", trustable: false, lastHeardAtMs: now - 400_000, repliesToday: 14, heardToday: 15 }),
    one("discord:207713349010001118", "Ilse", {
      role: "operator",
      trustable: false,
      lastHeardAtMs: null,
      lastPlace: null,
      heardToday: 0,
      repliesToday: 0,
    }),
    one("discord:311204499010009940", "Bram", {
      role: "trusted",
      repliesToday: 38,
      heardToday: 44,
      privateLines: [{ character: "mirelle", lastAtMs: now - 7_200_000 }],
    }),
    one("room:m-03f2k1", "Sefa", {
      repliesToday: 52,
      heardToday: 61,
      privateLines: [
        { character: "mirelle", lastAtMs: now - 300_000 },
        { character: "tobias", lastAtMs: now - 900_000 },
      ],
      opened: { times: 2, lastAtMs: now - 3_600_000 },
    }),
    one("room:m-0c19zz", "dex_91", { repliesToday: 118, heardToday: 240 }),
    one("grid:osgrid:6f3cb20d-07a1-4b1e-9c2f-aa04e19c6f3c", "Wen", { repliesToday: 9, lastHeardAtMs: now - 30 * HOUR_MS }),
    one("discord:940060000000000062", "harrow", { role: "blocked", blockedUntilMs: now + 20 * HOUR_MS, repliesToday: 0, heardToday: 3 }),
  ];
}

function somePackets(): PacketEntry[] {
  const now = Date.now();
  const segments = [
    { kind: "scaffold", count: 9, bytes: 1_388 },
    { kind: "card", count: 1, bytes: 388 },
    { kind: "private", count: 1, bytes: 121 },
    { kind: "place", count: 1, bytes: 84 },
    { kind: "conversation", count: 6, bytes: 702 },
    { kind: "observed", count: 1, bytes: 196 },
  ];
  const one = (number: number, more: Partial<PacketEntry>): PacketEntry => ({
    turn: `t-000${number}`,
    message: `m-000${number}`,
    atMs: now - number * 95_000,
    character: "mirelle",
    person: "room:m-03f2k1",
    name: "Sefa",
    place: "public:parlour",
    end: "answered",
    by: "local/qwen3-8b",
    packet: { id: `p-0f4${number}`, bytes: 2_879, segments, withheld: [] },
    ...more,
  });
  const withheld = [
    { class: "other_direct_line", count: 4 },
    { class: "not_witnessed", count: 3 },
    { class: "pending", count: 1 },
  ];
  return [
    one(1, { packet: { id: "p-0f41", bytes: 2_879, segments, withheld } }),
    one(2, { character: "tobias", name: "Bram", person: "discord:311204499010009940" }),
    one(3, { place: "direct:mirelle:room:m-03f2k1" }),
    one(4, { end: "refused", name: null, person: "grid:osgrid:6f3cb20d-07a1-4b1e-9c2f-aa04e19c6f3c" }),
    one(5, { end: "failed", by: null, packet: null }),
  ];
}

function someBudgets(): BudgetsAnswer {
  const atMs = Date.now();
  const resetsAtMs = Math.ceil(atMs / 86_400_000) * 86_400_000;
  const base = { surface: null, reserved: 0, resetsAtMs, state: "ok" } as const;
  return {
    atMs,
    budgets: [
      { ...base, key: "budgets.money_per_day_in_all", unit: "micros", limit: 3_000_000, used: 410_000, reserved: 2_100 },
      { ...base, key: "budgets.calls_per_day_in_all", unit: "calls", limit: 5_000, used: 412, reserved: 3 },
      { ...base, surface: "parlour", key: "budgets.money_per_day_per_space", unit: "micros", limit: 500_000, used: 410_000, state: "near" },
      { ...base, surface: "parlour", key: "budgets.calls_per_day_per_space", unit: "calls", limit: 412, used: 412, state: "spent" },
    ],
    unpricedModels: ["spare/qwen3-235b"],
  };
}

function someCosts(calls: number, { by = "space" }: Readonly<Record<string, unknown>>): CostsAnswer {
  const row = (key: string, name: string | null, share: number): CostRow => ({ ...costsOf(Math.round(calls * share)), key, name });
  const rows: Readonly<Record<string, readonly CostRow[]>> = {
    space: [row("parlour", null, 1)],
    person: [row("room:m-03f2k1", "Sefa", 0.6), row("discord:311204499010009940", "Bram", 0.4)],
    character: [row("mirelle", null, 0.65), row("tobias", null, 0.35)],
    model: [row("local/qwen3-8b", null, 1)],
    day: [row("2026-12-01", null, 0.4), row("2026-11-30", null, 0.6)],
  };
  const wanted = calls === 0 ? [] : (rows[typeof by === "string" ? by : ""] ?? []);
  const known = (["person", "space", "character", "model", "day"] as const).find((each) => each === by) ?? "space";
  return { by: known, sinceMs: Date.now() - 6 * 86_400_000, untilMs: Date.now(), rows: wanted, left: 0, total: costsOf(calls) };
}

function costsOf(calls: number): Costs {
  return {
    calls,
    promptTokens: calls * 1_150,
    completionTokens: calls * 61,
    costMicros: calls * 995,
    unconfirmedMicros: calls === 0 ? 0 : 2_100,
    unpricedCalls: 0,
    todayMicros: calls * 300,
    monthMicros: calls * 4_264,
  };
}
