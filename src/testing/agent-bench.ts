import { z } from "zod";
import type { AgentVoiceNeeds } from "../agents/agent-voice.ts";
import { AgentVoice } from "../agents/agent-voice.ts";
import { createHooks } from "../agents/hooks/hooks.ts";
import { LiveTurns } from "../agents/live-turns.ts";
import type { Tool } from "../agents/tools/tool.ts";
import { defineTool } from "../agents/tools/tool.ts";
import { createToolbox } from "../agents/tools/toolbox.ts";
import { createLabelSource } from "../authority/gateway/label-source.ts";
import { parseBareJson } from "../foundation/bare-json.ts";
import { canonicalDigest, canonicalJson } from "../foundation/canonical-json.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { randomIds } from "../foundation/ids.ts";
import { silentLog } from "../foundation/log.ts";
import type { AgentAnswer, AgentModel, AgentRequest } from "../vocabulary/calls/agent-model.ts";
import { answerText, toldAnswer } from "../vocabulary/calls/approval-answer.ts";
import { mintAction } from "../vocabulary/calls/authorized-action.ts";
import { definitionDigest } from "../vocabulary/calls/definition-digest.ts";
import type { CallBatch, Gateway, Verdict } from "../vocabulary/calls/gateway.ts";
import type { HookAnswer, HookEvent } from "../vocabulary/calls/hook-event.ts";
import { HOOK_NAMES, NO_WISH } from "../vocabulary/calls/hook-event.ts";
import type { ApprovalId, CharacterId, MessageId } from "../vocabulary/ids.ts";
import { parseApprovalId, parseMessageId, parseSurfaceName, parseTurnId } from "../vocabulary/ids.ts";
import type { Question, VoiceOutcome } from "../vocabulary/reply.ts";
import type { Origin } from "../vocabulary/origin.ts";
import { mintOrigin } from "../vocabulary/origin.ts";
import type { DirectPlace } from "../vocabulary/place.ts";
import { directPlace } from "../vocabulary/place.ts";
import { LOCAL_OWNER } from "../vocabulary/principal.ts";
import type { EntryBody, SessionEntry } from "../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../vocabulary/calls/session.ts";
import type { ToolClasses } from "../vocabulary/calls/tool-definition.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { TurnStarter } from "../vocabulary/calls/turn-ceilings.ts";
import { TURN_CEILINGS } from "../vocabulary/calls/turn-ceilings.ts";
import { ManualClock } from "./manual-clock.ts";
import { MIRELLE } from "./road-fixtures.ts";
import type { DirectStore } from "./store-writer.ts";
import { openDirectStore } from "./store-writer.ts";

/** The line of the bench: the owner's own to Mirelle at the terminal. */
export const BENCH_LINE: DirectPlace = directPlace(parseSurfaceName("terminal"), MIRELLE, LOCAL_OWNER);
const OWNER: Origin = mintOrigin({ principal: LOCAL_OWNER, role: "operator", assurance: "local", channel: "direct" });

/** What a scripted model answers: words, or calls by name and arguments. */
export type BenchAnswer = string | { readonly text?: string; readonly calls: readonly (readonly [name: string, args: unknown])[] };

/** A hook in this process, named `h0`, `h1` … by its place; what it throws is its failure. */
export type BenchHook = (
  event: HookEvent,
  may: { readonly steers: boolean },
) => Partial<HookAnswer> | null | Promise<Partial<HookAnswer> | null>;

/** How the bench is set up. */
export interface BenchOptions {
  /** Called with each request, the first is 0; what it throws is the model's failure. */
  readonly model: (request: AgentRequest, at: number) => BenchAnswer | Promise<BenchAnswer>;
  /** What the gateway says of a tool that is not named: allow. */
  readonly verdicts?: Readonly<Record<string, "allow" | "ask" | "deny">>;
  readonly starter?: TurnStarter;
  readonly hooks?: readonly BenchHook[];
  /** Whether hooks may ask; yes when left out. */
  readonly hooksAsk?: boolean;
  /** Who wrote the turn; the owner when left out. */
  readonly origin?: Origin;
  /** Stops the process: called at each durable step and around each body, by name. */
  readonly at?: (step: string) => void;
  readonly body?: (tool: string, args: unknown, signal: AbortSignal) => Promise<string>;
  readonly needs?: Partial<AgentVoiceNeeds>;
  /** A store that many benches share, each with a character of its own; it stays open. */
  readonly shared?: { readonly store: DirectStore; readonly character: CharacterId };
}

/** An agent's voice over a real store, with tools that only note that they were entered. */
export class AgentBench implements Disposable {
  readonly clock: ManualClock = new ManualClock();
  readonly store: DirectStore;
  readonly line: DirectPlace;
  /** Bodies that were entered, in order: the call's id and the tool. */
  readonly entered: { readonly call: string; readonly tool: string; readonly approved: boolean }[] = [];
  readonly requests: AgentRequest[] = [];
  /** Batches that were judged, in order. */
  readonly judged: CallBatch[] = [];
  live: LiveTurns = new LiveTurns();
  /** What hooks told the operator. */
  readonly notified: string[] = [];
  /** Whether a question of the line is open. */
  asks: boolean = false;
  readonly #options: BenchOptions;
  readonly #approved = new Map<string, "open" | "used">();
  #voice: AgentVoice;
  #turns = 0;

  constructor(options: BenchOptions) {
    this.#options = options;
    const { store, character } = options.shared ?? { store: openDirectStore(), character: MIRELLE };
    this.store = store;
    this.line = directPlace(BENCH_LINE.surface, character, LOCAL_OWNER);
    this.#voice = this.#open();
  }

  /** Go on as the next process would. */
  restart(): void {
    this.store.restart();
    this.live = new LiveTurns();
    this.#voice = this.#open();
  }

  /** Run the turn of a message; the same message again is another start of it. */
  say(text: string, message: number = 1, signal: AbortSignal = new AbortController().signal): Promise<VoiceOutcome> {
    return this.#voice.run(this.#turn(text, messageOf(message)), signal);
  }

  /** Run a turn on that waited, with the answer to its question. */
  answer(
    question: Question,
    answer: "allow" | "deny" | `deny; ${string}` | "stop" | "garbled",
    message: number = 1,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<VoiceOutcome> {
    const approval = approvalOf(question.digest);
    if (answer === "allow" && !this.#approved.has(question.digest)) this.#approved.set(question.digest, "open");
    const [word = "", reason] = answer.split("; ");
    const told = (verb: "allow" | "deny"): string => toldAnswer(answerText({ approval, answer: verb, scope: "once" }), reason);
    const text = word === "allow" || word === "deny" ? told(word) : answer;
    const turn: Turn = { ...this.#turn("", messageOf(message)), kind: "resume", resumed: { state: question.state, answer: text } };
    return this.#voice.run(turn, signal);
  }

  /** The line's history. */
  entries(): readonly SessionEntry[] {
    const session = this.store.read.sessions.current(this.line.id);
    return session === null ? [] : this.store.read.sessions.entries(session.id, 0, SESSION_CEILINGS.entries);
  }

  /** What came of calls, in order. */
  results(): readonly Extract<EntryBody, { kind: "result" }>[] {
    return this.entries().flatMap(({ body }) => (body.kind === "result" ? [body] : []));
  }

  [Symbol.dispose](): void {
    if (this.#options.shared === undefined) this.store[Symbol.dispose]();
  }

  #open(): AgentVoice {
    const { hooks = [], needs = {}, starter = "terminal" } = this.#options;
    const toolbox = createToolbox(this.#tools());
    return new AgentVoice({
      clock: this.clock,
      ids: randomIds,
      log: silentLog,
      hooks: createHooks(
        hooks.map((hook, at) => ({
          name: `h${at}`,
          events: new Set(HOOK_NAMES),
          deadlineMs: 1_000,
          hear: async (event, may) => {
            const wish = await hook(event, may);
            return wish === null ? null : { ...NO_WISH, ...wish };
          },
        })),
        {
          clock: this.clock,
          log: silentLog,
          notify: (hook, text) => this.notified.push(`${hook}: ${text}`),
          asks: () => this.#options.hooksAsk ?? true,
          steers: ({ author, starter: by }) => author === undefined && by !== "schedule",
        },
      ),
      toolbox,
      gateway: this.#gateway(toolbox.definitions),
      live: this.live,
      verbs: {
        open: (row) => this.#durable("open", () => this.store.run({ verb: "openSession", row })),
        append: (row) =>
          this.#durable(stepOf(row.entries.map(({ body }) => body.kind)), () => this.store.run({ verb: "appendEntries", row })),
      },
      reads: { entries: (id, after, limit) => this.store.read.sessions.entries(id, after, limit) },
      model: () => this.#model(),
      startOf: () => ({ starter, grant: null }),
      asks: () => this.asks,
      system: () => "You are Mirelle.",
      reserve: () => [],
      maxOutputTokens: () => 500,
      ceilings: (one) => TURN_CEILINGS[one],
      ...needs,
    });
  }

  #durable<T>(step: string, write: () => T): Promise<T> {
    this.#at(`before ${step}`);
    const result = write();
    this.#at(`after ${step}`);
    return Promise.resolve(result);
  }

  #at(step: string): void {
    this.#options.at?.(step);
  }

  #turn(text: string, id: MessageId): Turn {
    this.#turns += 1;
    return {
      id: parseTurnId(`t-${String(this.#turns).padStart(6, "0")}`),
      kind: "message",
      class: "talk",
      character: this.line.character,
      place: this.line,
      person: LOCAL_OWNER,
      origin: this.#options.origin ?? OWNER,
      trigger: { id, deliveryId: null, text, displayName: "Owner", atMs: this.clock.nowMs() },
      attempt: 1,
    };
  }

  #model(): AgentModel {
    return {
      name: "bench/model",
      converse: async (request) => {
        this.#at("before model");
        const at = this.requests.push(request) - 1;
        const answer = await this.#options.model(request, at);
        return answered(answer);
      },
    };
  }

  /** Two tools: one that reads, one that changes something. */
  #tools(): readonly Tool[] {
    const tool = (name: string, changes: ToolClasses["changes"]): Tool =>
      defineTool({
        name,
        description: `${name} something.`,
        parameters: { type: "object" },
        arguments: z.looseObject({}),
        capability: "session",
        classes: { untrusted: false, sensitive: false, changes },
        verdict: "allow",
        scopes: [],
        run: async (args, action, signal) => {
          this.#at(`before body ${name}`);
          this.entered.push({ call: action.call, tool: name, approved: this.#approved.get(action.digest) === "used" });
          this.#at(`after body ${name}`);
          return { text: (await this.#options.body?.(name, args, signal)) ?? `${name} done`, failed: false };
        },
      });
    return [tool("look", "nothing"), tool("change", "state")];
  }

  #gateway(definitions: readonly Tool["definition"][]): Gateway {
    const verdictOf = (batch: CallBatch, { id, name, arguments: text }: CallBatch["calls"][number]): Verdict => {
      const definition = definitions.find((one) => one.name === name);
      const hooked = batch.hooks?.filter(({ call }) => call === id) ?? [];
      const denied = hooked.find(({ verdict }) => verdict === "deny");
      if (denied !== undefined) return { kind: "deny", call: id, code: "hook", text: `Denied by ${denied.hook}: ${denied.reason}.` };
      const wish = hooked.length > 0 ? "ask" : (this.#options.verdicts?.[name] ?? "allow");
      if (definition === undefined || wish === "deny") return { kind: "deny", call: id, code: "not_allowed", text: "Denied by the bench." };
      const digest = canonicalDigest({ id, name, text });
      if (wish === "ask" && this.#approved.get(digest) !== "used")
        return { kind: "ask", call: id, question: { digest, call: canonicalJson({ name }), expiresAtMs: this.clock.nowMs() + 60_000 } };
      const facts = { turn: batch.turn, session: batch.session, person: LOCAL_OWNER, call: id, tool: name, digest };
      const action = mintAction({ ...facts, definition: definitionDigest(definition), argumentsText: canonicalJson(parseBareJson(text)) });
      return { kind: "allow", call: id, action };
    };
    return {
      tools: () => definitions.map(({ name, description, parameters }) => ({ name, description, parameters })),
      judge: (batch) => {
        this.#at("before judge");
        this.judged.push(batch);
        return Promise.resolve(batch.calls.map((call) => verdictOf(batch, call)));
      },
      answered: (batch, { answer }) => {
        const [call] = batch.calls;
        if (call === undefined) throw new RuntimeError("internal", "Cannot judge nothing");
        const digest = canonicalDigest({ id: call.id, name: call.name, text: call.arguments });
        if (answer === "deny") return Promise.resolve({ kind: "deny", call: call.id, code: "denied", text: "Denied by the person." });
        if (this.#approved.get(digest) !== "open")
          return Promise.resolve({ kind: "deny", call: call.id, code: "used", text: "Used already." });
        this.#at("before use");
        this.#approved.set(digest, "used");
        this.#at("after use");
        return Promise.resolve(verdictOf(batch, call));
      },
      labels: createLabelSource(),
    };
  }
}

/** A message by number. */
function messageOf(number: number): MessageId {
  return parseMessageId(`m-${String(number).padStart(6, "0")}`);
}

function approvalOf(digest: string): ApprovalId {
  return parseApprovalId(`a-${digest.slice(0, 12)}`);
}

function stepOf(kinds: readonly string[]): string {
  return kinds.length === 0 ? "nothing" : kinds.join("+");
}

function answered(answer: BenchAnswer): AgentAnswer {
  const { text = "", calls = [] } = typeof answer === "string" ? { text: answer } : answer;
  return {
    kind: "answer",
    text,
    calls: calls.map(([name, args], at) => ({
      id: `toolu_${at}`,
      name,
      arguments: typeof args === "string" ? args : JSON.stringify(args),
    })),
    usage: { promptTokens: 10, completionTokens: 5, cacheReadTokens: 0, cacheWriteTokens: 0, estimated: false },
    costMicros: 1,
    by: "bench/model",
    firstTokenMs: 1,
    loadMs: null,
    finish: "stop",
    thought: false,
    skipped: [],
  };
}
