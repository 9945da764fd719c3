import { z } from "zod";
import { openAgents } from "../agents/agents.ts";
import type { Agents } from "../agents/agents.ts";
import type { Tool, ToolSpec } from "../agents/tools/tool.ts";
import { defineTool } from "../agents/tools/tool.ts";
import type { Authority, GatewayTools } from "../authority/authority.ts";
import { openAuthority } from "../authority/authority.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { silentLog } from "../foundation/log.ts";
import type { Store } from "../store/store.ts";
import type { ToolCall } from "../vocabulary/calls/agent-model.ts";
import type { ApprovalAnswer } from "../vocabulary/calls/approval-answer.ts";
import { answerText } from "../vocabulary/calls/approval-answer.ts";
import type { ActionFacts, AuthorizedAction } from "../vocabulary/calls/authorized-action.ts";
import type { CallBatch, Gateway, Verdict } from "../vocabulary/calls/gateway.ts";
import type { ApprovalId } from "../vocabulary/ids.ts";
import { parseApprovalId, parseCharacterId, parseMessageId, parseSessionId, parseSurfaceName, parseTurnId } from "../vocabulary/ids.ts";
import type { Influence, Reader } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../vocabulary/principal.ts";
import type { AskScope } from "../vocabulary/calls/tool-definition.ts";
import type { TextLabel } from "../vocabulary/calls/text-label.ts";
import { joinLabels } from "../vocabulary/calls/text-label.ts";
import type { ManualClock } from "./manual-clock.ts";
import { heard, startRow } from "./store-rows.ts";
import { openDirectStore } from "./store-writer.ts";
import type { DirectStore } from "./store-writer.ts";

const NEVER = new AbortController().signal;
const CHARACTER = parseCharacterId("mirelle");
const SURFACE = parseSurfaceName("terminal");
/** An operator's account of a platform. */
export const REMOTE_OPERATOR: PrincipalId = parsePrincipalId("discord:1001");
/** Somebody whom no operator named. */
export const STRANGER: PrincipalId = parsePrincipalId("discord:666");

/** What the tools of a bench differ in. */
export type ToolKind = Pick<ToolSpec<unknown>, "capability" | "classes" | "verdict" | "scopes">;

/** One tool of each kind there is: what it reads, what it changes, whether it asks by itself. */
export const TOOL_KINDS: Readonly<Record<string, ToolKind>> = {
  look: kind("read", "nothing"),
  fetch: { ...kind("read", "nothing"), classes: { untrusted: true, sensitive: false, changes: "nothing" } },
  recall: { ...kind("memory", "nothing"), classes: { untrusted: false, sensitive: true, changes: "nothing" } },
  note: kind("session", "state"),
  write: { ...kind("files", "state"), verdict: "ask", scopes: ["session", "always"] },
  run: { ...kind("processes", "state"), verdict: "ask", scopes: ["session"] },
  say: kind("speak", "outward"),
  walk: kind("world", "outward"),
};

function kind(capability: ToolKind["capability"], changes: ToolKind["classes"]["changes"]): ToolKind {
  return { capability, classes: { untrusted: false, sensitive: false, changes }, verdict: "allow", scopes: [] };
}

/** A gateway over a real database, with tools whose bodies only count. */
export class ToolBench {
  readonly store: DirectStore;
  readonly clock: ManualClock;
  readonly authority: Authority;
  readonly agents: Agents;
  readonly gateway: Gateway;
  /** Calls whose body was entered: tool and text. */
  readonly ran: { readonly tool: string; readonly text: string }[] = [];
  /** Whose words wanted more questions than there are, each time. */
  readonly spent: (readonly string[])[] = [];
  readonly operators: Set<PrincipalId> = new Set<PrincipalId>([REMOTE_OPERATOR]);
  readonly endorsed: Set<string> = new Set<string>();
  remote: ReadonlySet<ToolKind["capability"]> = new Set();
  limits: { toolCallsPerDayPerPerson: number; toolCallsPerDayInAll: number } = {
    toolCallsPerDayPerPerson: 500,
    toolCallsPerDayInAll: 2_000,
  };
  readonly #calls = { count: 0 };
  readonly #output: NonNullable<ToolBenchOptions["output"]>;

  constructor(clock: ManualClock, options: ToolBenchOptions = {}) {
    this.clock = clock;
    this.#calls.count = options.numbersFrom ?? 0;
    this.#output = options.output ?? (() => "done");
    this.store = options.store ?? openDirectStore();
    this.agents = openAgents({ tools: options.tools ?? Object.entries(TOOL_KINDS).map(([name, one]) => this.#tool(name, one)) });
    this.authority = openAuthority({
      store: storeOf(this.store),
      clock,
      accounts: { operators: () => this.operators },
      budgets: { limits: () => ({ ...BUDGETS, ...this.limits }), notice: () => {} },
      log: silentLog,
      hides: () => false,
    });
    this.gateway = this.authority.gateway({
      definitions: this.agents.toolbox.definitions,
      remote: () => this.remote,
      protects: options.protects ?? (() => "open"),
      guardrail: options.guardrail ?? (() => []),
      endorsed: (sha256) => this.endorsed.has(sha256),
      asksSpent: (foreign) => void this.spent.push(foreign),
    });
  }

  /** A batch of an operator's turn; every call has an id of its own unless it is given one. */
  batch(calls: readonly (Partial<ToolCall> & { readonly name: string })[], more: BatchOptions = {}): CallBatch {
    const { person = LOCAL_OWNER, role = "operator", assurance = "local", place, influence = [], readers, ...rest } = more;
    const at = place ?? (more.public === true ? publicPlace(SURFACE) : directPlace(SURFACE, CHARACTER, person));
    const origin = this.authority.originOfKept({ person, role, assurance, place: at });
    return {
      turn: parseTurnId("t-0001"),
      root: parseMessageId("m-0001"),
      session: parseSessionId("s-0001"),
      character: CHARACTER,
      place: at,
      starter: "terminal",
      origin,
      lines: [],
      label: this.label(influence, readers ?? [`person:${person}`]),
      destinations: new Set(["channel-1"]),
      grant: null,
      words: "",
      ...rest,
      calls: calls.map((call) => {
        this.#calls.count += 1;
        return { id: `c${this.#calls.count}`, arguments: `{"text":"x"}`, ...call };
      }),
    };
  }

  /** A label as a turn would have it that read such texts. */
  label(influence: readonly Influence[], readers: readonly Reader[]): TextLabel {
    const { labels } = this.gateway;
    return joinLabels(labels.ofEvent({ influence, audience: readers }), labels.ofRuntime());
  }

  judge(batch: CallBatch): Promise<readonly Verdict[]> {
    return this.gateway.judge(batch, NEVER);
  }

  /** Judge one call. */
  async one(name: string, more: BatchOptions & { readonly arguments?: string; readonly id?: string } = {}): Promise<Verdict> {
    const { arguments: text, id, ...rest } = more;
    const call = { name, ...(text === undefined ? {} : { arguments: text }), ...(id === undefined ? {} : { id }) };
    const [verdict] = await this.judge(this.batch([call], rest));
    if (verdict === undefined) throw new RuntimeError("internal", "Cannot go on: the bench has no such thing");
    return verdict;
  }

  /** Put a turn aside with a question, as the road does; gives the question's id. */
  suspend(verdict: Verdict, person: PrincipalId = LOCAL_OWNER): ApprovalId {
    if (verdict.kind !== "ask") throw new RuntimeError("internal", "Cannot go on: the bench has no such thing");
    this.#calls.count += 1;
    const number = this.#calls.count;
    const row = heard({ number });
    const approval = parseApprovalId(`a-${number.toString().padStart(6, "0")}`);
    this.store.run({ verb: "hear", row });
    this.store.run({ verb: "start", row: { ...startRow(row), charges: [] } });
    const question = { ...verdict.question, state: "{}" };
    const asked = { turn: startRow(row).turn, inbox: row.inbox.id, approval, question, person, atMs: this.clock.nowMs() };
    if (!this.store.run({ verb: "suspend", row: asked }).suspended)
      throw new RuntimeError("internal", "Cannot go on: the bench has no such thing");
    return approval;
  }

  /** Answer it in the store; false when the store takes no such answer. */
  resume(approval: ApprovalId, answer: "allow" | "deny", scope: AskScope = "once"): ApprovalAnswer | null {
    const record = this.store.read.calls.ask(approval);
    if (record === null) throw new RuntimeError("internal", "Cannot go on: the bench has no such thing");
    this.#calls.count += 1;
    const { resumed } = this.store.run({
      verb: "resume",
      row: {
        approval,
        digest: record.digest,
        person: record.person,
        answer: answerText({ approval, answer, scope }),
        atMs: this.clock.nowMs(),
        inbox: parseMessageId(`m-resumed${this.#calls.count}`),
      },
    });
    return resumed ? { approval, answer, scope } : null;
  }

  /** Ask, answer, and judge again. */
  async answer(batch: CallBatch, answer: "allow" | "deny", scope: AskScope = "once"): Promise<Verdict> {
    const [verdict] = await this.judge(batch);
    const given = verdict === undefined ? null : this.resume(this.suspend(verdict), answer, scope);
    if (given === null) throw new RuntimeError("internal", "Cannot go on: the bench has no such thing");
    return await this.gateway.answered(batch, given, NEVER);
  }

  run(action: AuthorizedAction): Promise<{ readonly text: string; readonly failed: boolean }> {
    return this.agents.toolbox.run(action, NEVER);
  }

  #tool(name: string, one: ToolKind): Tool {
    return defineTool({
      name,
      description: `The tool ${name}.`,
      parameters: { type: "object", properties: { text: { type: "string" } } },
      ...one,
      arguments: z.strictObject({
        text: z.string().max(60_000),
        to: z.string().optional(),
        dynamic: z.boolean().optional(),
        bits: z.number().optional(),
        draws: z.partialRecord(z.enum(["inventory", "money"]), z.number()).optional(),
      }),
      facts: ({ to, dynamic, draws, bits }) => ({
        ...(one.classes.changes === "outward"
          ? { reach: { reader: "place:public:parlour" as Reader, destination: to ?? "channel-1", shown: "#parlour" } }
          : {}),
        ...(dynamic === undefined ? {} : { dynamic }),
        ...(draws === undefined ? {} : { draws }),
        ...(bits === undefined ? {} : { bits }),
      }),
      run: ({ text }, action) => {
        this.ran.push({ tool: name, text });
        return Promise.resolve({ text: this.#output(action, text), failed: false });
      },
    });
  }
}

/** What a bench may differ in. */
export interface ToolBenchOptions {
  readonly guardrail?: GatewayTools["guardrail"];
  readonly store?: DirectStore;
  readonly protects?: GatewayTools["protects"];
  /** Where its ids begin, for benches that share a store. */
  readonly numbersFrom?: number;
  /** Other tools than one of each kind. */
  readonly tools?: readonly Tool[];
  /** What a body that was entered gives back, by its action and the text it was called with. */
  readonly output?: (action: ActionFacts, text: string) => string;
}

/** What a batch may differ in. */
export type BatchOptions = Partial<Omit<CallBatch, "calls" | "label" | "origin">> & {
  readonly person?: PrincipalId;
  readonly role?: Role;
  readonly assurance?: Assurance;
  readonly public?: boolean;
  readonly place?: Place;
  readonly influence?: readonly Influence[];
  readonly readers?: readonly Reader[];
};

const BUDGETS = {
  repliesPerMinutePerRoom: 12,
  repliesPerMinutePerPerson: 6,
  callsPerDayPerPerson: 200,
  callsPerDayPerSpace: 2_000,
  callsPerDayInAll: 5_000,
  moneyPerDayInAllMicros: null,
  moneyPerDayPerSpaceMicros: null,
};

/** The verbs that a gateway uses, over a store without its thread. */
function storeOf(direct: DirectStore): Store {
  const calls: Partial<Store["calls"]> = {
    judge: async (row) =>
      direct.run({
        verb: "judgeCalls",
        row: {
          ...row,
          calls: row.calls.map((call) => ({ ...call, charges: call.charges.map((one) => ({ ...one, pseudonym: one.scope })) })),
        },
      }),
    use: async (row) => direct.run({ verb: "useAnswer", row }),
  };
  return {
    get read() {
      return direct.read;
    },
    calls,
  } as unknown as Store;
}
