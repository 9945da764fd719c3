import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import type { Charge } from "../../store/store.ts";
import type { AgentAnswer, AgentModel } from "../../vocabulary/calls/agent-model.ts";
import type { CallContext, Gateway } from "../../vocabulary/calls/gateway.ts";
import type { GrantId, MessageId } from "../../vocabulary/ids.ts";
import type { Origin } from "../../vocabulary/origin.ts";
import type { VoiceRecord } from "../../vocabulary/reply.ts";
import type { EntryBody, SessionEntry } from "../../vocabulary/calls/session.ts";
import type { TextLabel } from "../../vocabulary/calls/text-label.ts";
import { joinLabels } from "../../vocabulary/calls/text-label.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { TurnCeilings, TurnStarter } from "../../vocabulary/calls/turn-ceilings.ts";
import type { Heard, Hooks } from "../hooks/hooks.ts";
import type { Doing, LiveTurn } from "../live-turns.ts";
import type { History, OpenCall } from "../session/history.ts";
import type { Toolbox } from "../tools/toolbox.ts";
import { turnState } from "./turn-state.ts";

/** What every turn of an agent works with. */
export interface LoopNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly gateway: Gateway;
  readonly toolbox: Toolbox;
  readonly hooks: Hooks;
  /** Role frame and rules for a turn: the same bytes as long as the configuration is the same. */
  readonly system: (turn: Turn) => string;
  /** What a further request of a turn costs of the day's calls; null when they are used up. */
  readonly reserve: (turn: Turn) => readonly Charge[] | null;
  readonly maxOutputTokens: () => number;
  /** How far a turn may go that was made to run so. */
  readonly ceilings: (starter: TurnStarter) => TurnCeilings;
}

/** What a turn is run under. */
export interface RunFacts {
  readonly turn: Turn;
  readonly root: MessageId;
  readonly starter: TurnStarter;
  readonly grant: GrantId | null;
  readonly history: History;
  readonly model: AgentModel;
  readonly live: LiveTurn;
  /** Milliseconds that it ran before it waited. */
  readonly ranMs: number;
}

/** One turn while it runs: its history, what its calls are judged by, and what it used. */
export class TurnRun {
  readonly facts: RunFacts;
  readonly needs: LoopNeeds;
  readonly ceilings: TurnCeilings;
  readonly #startedMs: number;
  readonly #startedAtMs: number;
  readonly #steered: Origin[] = [];
  readonly #typed = new Set<string>();
  #requests = 0;
  #record: VoiceRecord = NOTHING_ASKED;
  /** What hooks want of the turn, until its next gap. */
  readonly #hookWords: Heard["steer"][number][] = [];
  #hookQuestion: Heard["question"] = null;
  #stoppedBy: string | null = null;
  #cutBy: string | null = null;

  constructor(facts: RunFacts, needs: LoopNeeds) {
    this.facts = facts;
    this.needs = needs;
    this.ceilings = needs.ceilings(facts.starter);
    this.#startedMs = needs.clock.monotonicMs();
    this.#startedAtMs = needs.clock.nowMs();
    this.does({ kind: "begins" });
    this.#type(facts.turn.trigger.text);
  }

  get history(): History {
    return this.facts.history;
  }

  get record(): VoiceRecord {
    return this.#record;
  }

  /** Requests that this run has made; what an earlier start made is not among them. */
  get requests(): number {
    return this.#requests;
  }

  /** Entries of this turn, through its questions and starts. */
  get mine(): readonly SessionEntry[] {
    return this.history.of(this.facts.root);
  }

  /** Calls of this turn that nothing final came of yet. */
  get open(): readonly OpenCall[] {
    return this.history.openCalls().filter(({ root }) => root === this.facts.root);
  }

  /** Whether a tool leaves something changed; one that is not known any more counts as if it did. */
  changes(tool: string): boolean {
    return this.needs.toolbox.definitions.find(({ name }) => name === tool)?.classes.changes !== "nothing";
  }

  /** What calls are judged by now: read anew before each judgment (TR-014). */
  context(): CallContext {
    const { turn, root, starter, grant, history } = this.facts;
    return {
      turn: turn.id,
      root,
      session: history.id,
      character: turn.character,
      place: turn.place,
      starter,
      origin: turn.origin,
      lines: [...this.#steered],
      label: history.label,
      destinations: this.#typed,
      grant,
    };
  }

  /** Say what it is at, for whoever looks at it while it runs. */
  does(doing: Doing): void {
    const { turn, starter, history, live } = this.facts;
    const requests = this.mine.filter(({ body }) => body.kind === "answered").length;
    live.does({
      session: history.id,
      turn: turn.id,
      starter,
      startedAtMs: this.#startedAtMs,
      requests,
      doing,
      sinceMs: this.needs.clock.nowMs(),
    });
  }

  /** What it leaves when it waits: for an answer about a call, or (null) to hear whether it should go on. */
  state(call: string | null): string {
    const { history, starter, grant, ranMs } = this.facts;
    return turnState({ session: history.id, call, starter, grant, ranMs: ranMs + this.needs.clock.monotonicMs() - this.#startedMs });
  }

  /** Keep entries of this turn; without a label they have that of everything that went in. */
  add(bodies: readonly EntryBody[], label: TextLabel = this.history.label, charges: readonly Charge[] = []): Promise<void> {
    return this.history.add(bodies, { root: this.facts.root, label, charges });
  }

  /** Note what hooks want; it takes effect at the next gap. */
  wish({ steer, question, stopTurn, stopGeneration }: Heard): void {
    this.#hookWords.push(...steer.slice(0, MAX_HOOK_WORDS - this.#hookWords.length));
    this.#hookQuestion ??= question;
    this.#stoppedBy ??= stopTurn;
    this.#cutBy ??= stopGeneration;
  }

  /** The hook that stopped the turn; null where its person did. */
  get stoppedBy(): string | null {
    return this.#stoppedBy;
  }

  /** Whether a hook wants no such answer. */
  get isCut(): boolean {
    return this.#cutBy !== null;
  }

  /** The hook that wants no such answer, once. */
  takeCut(): string | null {
    const by = this.#cutBy;
    this.#cutBy = null;
    return by;
  }

  /** What a hook wants to be asked, once. */
  takeQuestion(): Heard["question"] {
    const question = this.#hookQuestion;
    this.#hookQuestion = null;
    return question;
  }

  /** Take the lines that were said into the turn, and the words of hooks, each under whose words they are (SE-100). */
  async takeSteered(): Promise<void> {
    const { live, turn } = this.facts;
    for (const { hook, text } of this.#hookWords.splice(0)) {
      const label = this.needs.gateway.labels.ofHook(hook, this.history.label);
      await this.add([{ kind: "note", text: `A hook (${hook}) says: ${text}` }], label);
    }
    await live.keepLines(async (lines) => {
      const labels = lines.map(({ origin }) => this.needs.gateway.labels.ofLine(origin, turn.place));
      const [first, ...others] = labels;
      if (first === undefined) return;
      await this.add(
        lines.map(({ text, by }): EntryBody => ({ kind: "said", text, by })),
        joinLabels(first, ...others),
      );
      for (const { origin, text } of lines) {
        this.#steered.push(origin);
        this.#type(text);
      }
    });
  }

  /** Count an answer of the model. */
  note(answer: AgentAnswer): void {
    const { usage } = this.#record;
    const cost = usage.costMicros === null || answer.costMicros === null ? null : usage.costMicros + answer.costMicros;
    this.#requests += 1;
    this.#record = {
      voice: "agent",
      by: answer.by,
      packet: null,
      usage: {
        promptTokens: usage.promptTokens + answer.usage.promptTokens,
        completionTokens: usage.completionTokens + answer.usage.completionTokens,
        costMicros: cost,
      },
      firstTokenMs: this.#record.firstTokenMs ?? answer.firstTokenMs,
      candidates: this.#record.candidates + answer.calls.length,
      ...(answer.skipped.length === 0 ? {} : { skipped: answer.skipped }),
    };
  }

  /** Words that the person typed: what names a destination must be among them (SE-083). */
  #type(text: string): void {
    this.#typed.add(this.facts.turn.place.id);
    for (const word of text.split(/\s+/u).slice(0, MAX_TYPED_WORDS)) if (word !== "") this.#typed.add(word);
  }
}

const MAX_TYPED_WORDS = 4_096;
/** Words of hooks that wait for one gap. */
const MAX_HOOK_WORDS = 16;

/** Of a turn that asked no model. */
const NOTHING_ASKED: VoiceRecord = {
  voice: "agent",
  by: "none",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};
