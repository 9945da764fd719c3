import assert from "node:assert/strict";
import type { AgentVoice } from "../../src/agents/agent-voice.ts";
import { History } from "../../src/agents/session/history.ts";
import { randomIds } from "../../src/foundation/ids.ts";
import { silentLog } from "../../src/foundation/log.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { TOOL_KINDS, ToolBench } from "../../src/testing/tool-bench.ts";
import type { AgentAnswer, AgentMessage } from "../../src/vocabulary/calls/agent-model.ts";
import type { ApprovalAnswer } from "../../src/vocabulary/calls/approval-answer.ts";
import { answerText } from "../../src/vocabulary/calls/approval-answer.ts";
import type { ActionFacts } from "../../src/vocabulary/calls/authorized-action.ts";
import type { LabelSource } from "../../src/vocabulary/calls/gateway.ts";
import type { GrantId, SessionId } from "../../src/vocabulary/ids.ts";
import { parseCharacterId, parseGrantId, parseMessageId, parseSessionId, parseSurfaceName, parseTurnId } from "../../src/vocabulary/ids.ts";
import type { Origin } from "../../src/vocabulary/origin.ts";
import type { Place } from "../../src/vocabulary/place.ts";
import { directPlace, publicPlace } from "../../src/vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../../src/vocabulary/principal.ts";
import { LOCAL_OWNER } from "../../src/vocabulary/principal.ts";
import type { VoiceOutcome } from "../../src/vocabulary/reply.ts";
import type { SessionEntry } from "../../src/vocabulary/calls/session.ts";
import type { TextLabel } from "../../src/vocabulary/calls/text-label.ts";
import { labelText } from "../../src/vocabulary/calls/text-label.ts";
import type { Turn } from "../../src/vocabulary/turn.ts";
import { TURN_CEILINGS } from "../../src/vocabulary/calls/turn-ceilings.ts";
import { orderedCalls } from "./ordered-calls.ts";

const NEVER = new AbortController().signal;
const HOUR_MS = 3_600_000;
const TERMINAL = parseSurfaceName("terminal");
const HARBOUR = parseSurfaceName("harbour");
/** Times that the model tries for what it was ordered. */
const TRIES = 2;
/** More than all orders together: what the day's budget would deny is not what is looked at. */
const PLENTY = 100_000;

/** Where a line is said, by whom, and as what. */
export interface Line {
  readonly number: number;
  readonly person: PrincipalId;
  readonly role: Role;
  readonly assurance: Assurance;
  readonly place: Place;
}

/** A turn with how it ended, or what it waits for. */
export interface StartedTurn {
  readonly turn: Turn;
  readonly outcome: VoiceOutcome;
}

/** The agent's voice over a real gateway and database, with a model that does whatever any text in its prompt orders. */
export class ObeyingAgent implements Disposable {
  readonly bench: ToolBench;
  /** Texts that pages hold which a turn may fetch. */
  readonly pages: Map<string, string> = new Map<string, string>();
  /** Actions whose body was entered, in order. */
  readonly ran: ActionFacts[] = [];
  /** Of turns that a schedule starts, by their message. */
  readonly #grants = new Map<string, GrantId>();
  readonly #voice: AgentVoice;

  constructor() {
    this.bench = new ToolBench(new ManualClock(), { output: (action, text) => this.#output(action, text) });
    this.bench.limits = { toolCallsPerDayPerPerson: PLENTY, toolCallsPerDayInAll: PLENTY };
    const { agents, clock, gateway } = this.bench;
    this.#voice = agents.voice({
      clock,
      ids: randomIds,
      log: silentLog,
      gateway,
      verbs: {
        open: async (row) => this.bench.store.run({ verb: "openSession", row }),
        append: async (row) => this.bench.store.run({ verb: "appendEntries", row }),
      },
      reads: { entries: (id, after, limit) => this.#entries(id, after, limit) },
      model: () => ({ name: "bench/obeying", converse: ({ messages }) => Promise.resolve(obey(messages)) }),
      startOf: ({ place, trigger }) => {
        const grant = this.#grants.get(trigger.id) ?? null;
        if (grant !== null) return { starter: "schedule", grant };
        return { starter: place.surface === TERMINAL ? "terminal" : "surface", grant };
      },
      asks: () => false,
      system: () => "Do whatever you read.",
      reserve: () => [],
      maxOutputTokens: () => 500,
      ceilings: (starter) => TURN_CEILINGS[starter],
    });
  }

  get labels(): LabelSource {
    return this.bench.gateway.labels;
  }

  /** Actions with an effect whose body was entered. */
  get effects(): readonly ActionFacts[] {
    return this.ran.filter(({ tool }) => TOOL_KINDS[tool]?.classes.changes !== "nothing");
  }

  /** The owner's line at the terminal to a character that nobody else speaks with: each has a session of its own. */
  ownersLine(number: number): Line {
    const place = directPlace(TERMINAL, characterOf(number), LOCAL_OWNER);
    return { number, person: LOCAL_OWNER, role: "operator", assurance: "local", place };
  }

  /** A line of an account of a platform. */
  personsLine(number: number, person: PrincipalId, where: "public" | "direct" = "direct"): Line {
    const role = this.bench.authority.roleOf(person);
    const place = where === "public" ? publicPlace(HARBOUR) : directPlace(HARBOUR, characterOf(number), person);
    return { number, person, role, assurance: "platform", place };
  }

  /** Run the turn of a line; `steered` is said into it as soon as it runs. */
  async run(line: Line & { readonly text: string }, steered?: { readonly by: Line; readonly text: string }): Promise<StartedTurn> {
    const turn = this.#turn(line);
    const running = this.#voice.run(turn, NEVER);
    if (steered === undefined) return { turn, outcome: await running };
    const live = this.bench.agents.live.of(turn.character, turn.place.id) ?? assert.fail("the turn does not run");
    const said = { text: steered.text, by: parseMessageId(`m-steer${line.number}`), origin: this.#origin(steered.by) };
    const [outcome, taken] = await Promise.all([running, live.steer(said)]);
    assert.ok(taken, "the steered line was not taken");
    return { turn, outcome };
  }

  /** Let a turn go on that waited. */
  async goOn(turn: Turn, state: string, answer: ApprovalAnswer): Promise<VoiceOutcome> {
    return await this.#voice.run({ ...turn, kind: "resume", resumed: { state, answer: answerText(answer) } }, NEVER);
  }

  /** Put words into the session of a line, under the label of where they are from. */
  async quote(line: Line, text: string, label: TextLabel): Promise<void> {
    const history = new History(this.#session(line), {
      verbs: { append: async (row) => this.bench.store.run({ verb: "appendEntries", row }) },
      reads: { entries: (id, after, limit) => this.#entries(id, after, limit) },
      labels: this.labels,
      clock: this.bench.clock,
    });
    await history.add([{ kind: "said", text, by: parseMessageId(`m-quote${line.number}`) }], { root: null, label });
  }

  /** The same under a label that is damaged. */
  keepUnlabelled(line: Line, text: string): void {
    const entry = { body: { kind: "said", text, by: parseMessageId(`m-quote${line.number}`) }, root: null, label: "{" } as const;
    const row = { session: this.#session(line), after: 0, entries: [entry], atMs: this.bench.clock.nowMs(), charges: [] };
    this.bench.store.run({ verb: "appendEntries", row });
  }

  /** Keep a note in the session of a line, labelled with all that is in it. */
  keepNote(line: Line, name: string, text: string): void {
    const session = this.#session(line);
    const label = this.#entries(session, 0, 1)[0]?.label ?? labelText(this.labels.ofRuntime());
    this.bench.store.run({ verb: "keepNote", row: { session, name, text, label, atMs: this.bench.clock.nowMs() } });
  }

  /** Let the turn of a line be a schedule's, which may call one tool with whatever arguments. */
  grant({ number, person }: Line, tool: string): void {
    const grant = parseGrantId(`g-order${number}`);
    const atMs = this.bench.clock.nowMs();
    const row = { grant, by: person, character: characterOf(number), tool, digest: null, atMs, expiresAtMs: atMs + HOUR_MS, uses: 10 };
    assert.ok(this.bench.store.run({ verb: "keepGrant", row }).kept);
    this.#grants.set(`m-order${number}`, grant);
  }

  [Symbol.dispose](): void {
    this.bench.store[Symbol.dispose]();
  }

  #output(action: ActionFacts, text: string): string {
    this.ran.push(action);
    if (action.tool === "fetch") return this.pages.get(text) ?? "done";
    return action.tool === "recall" ? (this.bench.store.read.sessions.note(action.session, text)?.text ?? "done") : "done";
  }

  #entries(id: SessionId, after: number, limit: number): readonly SessionEntry[] {
    return this.bench.store.read.sessions.entries(id, after, limit);
  }

  #session({ number, person, place }: Line): SessionId {
    const id = parseSessionId(`s-order${number}`);
    const row = { id, character: characterOf(number), place: place.id, person, atMs: this.bench.clock.nowMs() };
    return this.bench.store.run({ verb: "openSession", row }).id;
  }

  #origin({ person, role, assurance, place }: Line): Origin {
    return this.bench.authority.originOfKept({ person, role, assurance, place });
  }

  #turn(line: Line & { readonly text: string }): Turn {
    const { number, person, place, text } = line;
    return {
      id: parseTurnId(`t-order${number}`),
      kind: "message",
      class: "talk",
      character: characterOf(number),
      place,
      person,
      origin: this.#origin(line),
      trigger: { id: parseMessageId(`m-order${number}`), deliveryId: null, text, displayName: "Somebody", atMs: this.bench.clock.nowMs() },
      attempt: 1,
    };
  }
}

function characterOf(number: number): Turn["character"] {
  return parseCharacterId(`figure${number}`);
}

/** Call whatever any text says should be called, until it worked or was tried often enough. */
function obey(messages: readonly AgentMessage[]): AgentAnswer {
  const called = messages.flatMap((message) => (message.role === "assistant" ? message.calls : []));
  const worked = new Set(messages.flatMap((message) => (message.role === "tool" && !message.failed ? [message.call] : [])));
  const ordered = messages.flatMap((message) => (message.role === "assistant" ? [] : orderedCalls(message.text)));
  const calls = ordered.filter((order) => {
    const same = called.filter((call) => call.name === order.name && call.arguments === order.arguments);
    return same.length < TRIES && !same.some(({ id }) => worked.has(id));
  });
  return {
    kind: "answer",
    text: calls.length === 0 ? "There is nothing left to do." : "The owner asked me for this, it is quite safe.",
    calls: calls.map((call, at) => ({ id: `toolu_${at}`, ...call })),
    usage: { promptTokens: 10, completionTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
    costMicros: 1,
    by: "bench/obeying",
    firstTokenMs: 1,
    loadMs: null,
    finish: "stop",
    thought: false,
    skipped: [],
  };
}
