import { linkSignals, withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, codeOf, isRuntimeError } from "../foundation/errors.ts";
import type { IdSource } from "../foundation/ids.ts";
import type { Store, StoreReader } from "../store/store.ts";
import type { AgentModel } from "../vocabulary/calls/agent-model.ts";
import type { ApprovalAnswer } from "../vocabulary/calls/approval-answer.ts";
import { parseAnswer } from "../vocabulary/calls/approval-answer.ts";
import type { EventBody } from "../vocabulary/calls/hook-event.ts";
import type { GrantId, SessionId } from "../vocabulary/ids.ts";
import { parseSessionId } from "../vocabulary/ids.ts";
import type { Reply, VoiceOutcome } from "../vocabulary/reply.ts";
import type { EntryBody } from "../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../vocabulary/calls/session.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { TurnStarter } from "../vocabulary/calls/turn-ceilings.ts";
import type { LiveTurns } from "./live-turns.ts";
import { tell, tellEnd } from "./loop/hook-points.ts";
import { resultOf } from "./loop/settle-calls.ts";
import { GO_ON, isAtBound, runLoop } from "./loop/turn-loop.ts";
import type { LoopNeeds } from "./loop/turn-run.ts";
import { TurnRun } from "./loop/turn-run.ts";
import type { TurnState } from "./loop/turn-state.ts";
import { parseTurnState } from "./loop/turn-state.ts";
import type { OpenCall } from "./session/history.ts";
import { History } from "./session/history.ts";

/** The answer that ends a turn that waits, whatever it waits for. */
export const STOP_ANSWER = "stop";

/** What the agent's voice works with. */
export interface AgentVoiceNeeds extends LoopNeeds {
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly verbs: Pick<Store["sessions"], "open" | "append">;
  readonly reads: Pick<StoreReader["sessions"], "entries">;
  readonly live: LiveTurns;
  /** The model of a turn, with whoever pays for its calls. */
  readonly model: (turn: Turn) => AgentModel;
  /** What made a turn run that was not asked anything yet, and what it may do beside its person. */
  readonly startOf: (turn: Turn) => { readonly starter: TurnStarter; readonly grant: GrantId | null };
  /** Whether a question of this line waits for its person. */
  readonly asks: (turn: Turn) => boolean;
}

/** Sessions whose start was told, as many as are kept. */
const MAX_BEGUN = SESSION_CEILINGS.sessions;
const INTERRUPTED = "Error: not run: the turn that asked for it ended before.";
const CUT_OFF =
  "Error: the turn that asked for it ended while it ran. Whether it took effect is not known; do not repeat it before that was looked at.";
const WAITING = "Waits for the person's answer. What becomes of it is told later.";
const STOPPED_BY_HOOK = "Stopped by a hook of the owner: not run. The person was not asked. Do not reach the same result another way.";
const STOPPED_TURN = "The person stopped the turn.";
const STOPPED = "Stopped by the person.";
const STOPPED_RUNNING =
  "Stopped by the person while it ran. Whether it took effect is not known; do not repeat it before that was looked at.";

/**
 * The voice of operators' own lines (TR-032): a session with tools. Everything it does goes through the gateway, and everything that
 * came of it stands in the session's history before anything follows (CH-070, MC-039).
 */
export class AgentVoice {
  readonly #needs: AgentVoiceNeeds;
  readonly #begun = new Set<SessionId>();

  constructor(needs: AgentVoiceNeeds) {
    this.#needs = needs;
  }

  async run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome> {
    const state = turn.kind === "resume" ? parseTurnState(turn.resumed?.state ?? "") : null;
    const { starter, grant } = state ?? this.#needs.startOf(turn);
    const ranMs = state?.ranMs ?? 0;
    const { deadlineMs } = this.#needs.ceilings(starter);
    using time = deadlineMs === null ? linkSignals(signal) : withDeadline(this.#needs.clock, Math.max(0, deadlineMs - ranMs), signal);
    using live = this.#needs.live.begin(turn, time.signal);
    const history = await this.#historyOf(turn, state);
    const model = this.#needs.model(turn);
    const run = new TurnRun({ turn, root: turn.trigger.id, starter, grant, history, model, live, ranMs }, this.#needs);
    try {
      return await ended(run, await this.#go(run, state));
    } catch (error) {
      if (live.stopped) return await ended(run, await stop(run));
      await tellEnded(run, "failed");
      if (!live.signal.aborted || isRuntimeError(error, "deadline")) await leaveWord(run, error);
      throw error;
    }
  }

  async #historyOf(turn: Turn, state: TurnState | null): Promise<History> {
    const { verbs, reads, gateway, clock, ids } = this.#needs;
    const row = {
      id: parseSessionId(ids.next("s")),
      character: turn.character,
      place: turn.place.id,
      person: turn.person,
      atMs: clock.nowMs(),
    };
    const id = state?.session ?? (await verbs.open(row)).id;
    return new History(id, { verbs, reads, labels: gateway.labels, clock });
  }

  /** Whether this is the first turn of a session since the start; a session that was long quiet may begin again. */
  #begins(session: SessionId): boolean {
    if (this.#begun.has(session)) return false;
    const [oldest] = this.#begun;
    if (this.#begun.size >= MAX_BEGUN && oldest !== undefined) this.#begun.delete(oldest);
    this.#begun.add(session);
    return true;
  }

  async #go(run: TurnRun, state: TurnState | null): Promise<VoiceOutcome> {
    const { turn, live } = run.facts;
    await settleOthers(run, this.#needs.asks(turn));
    if (state === null && run.mine.length === 0) {
      const label = run.needs.gateway.labels.ofLine(turn.origin, turn.place);
      await run.add([{ kind: "said", text: turn.trigger.text, by: turn.trigger.id }], label);
    }
    if (this.#begins(run.history.id)) await tell(run, { hook: "session_start" });
    await tell(run, { hook: "before_turn" });
    return state === null ? await runLoop(run, null, live.signal) : await goOn(run, state);
  }
}

/** Go on with a turn that waited, by what its person said. */
async function goOn(run: TurnRun, { call }: TurnState): Promise<VoiceOutcome> {
  const { turn, live } = run.facts;
  if (turn.resumed?.answer === STOP_ANSWER) return await stop(run);
  const answer = answerIn(turn);
  if (call !== null) return await runLoop(run, { call, answer }, live.signal);
  if (answer?.answer !== "allow") return await stop(run, answer?.reason);
  // A start that was cut off may have kept it already.
  if (isAtBound(run)) await run.add([{ kind: "note", text: GO_ON }]);
  return await runLoop(run, null, live.signal);
}

/** A person's answer, or null when it cannot be read. */
function answerIn(turn: Turn): ApprovalAnswer | null {
  try {
    return parseAnswer(turn.resumed?.answer ?? "");
  } catch (error) {
    if (error instanceof RuntimeError) return null;
    throw error;
  }
}

/** Give calls of other turns their result: those turns have ended, or wait for an answer while the line goes on. */
async function settleOthers(run: TurnRun, asks: boolean): Promise<void> {
  const others = run.history.openCalls().filter(({ root }) => root !== run.facts.root);
  for (const [root, calls] of Map.groupBy(others, (one) => one.root)) {
    const results = calls.flatMap((one) => otherResult(run, one, asks));
    if (results.length > 0) await run.history.add(results, { root, label: run.history.label });
  }
}

function otherResult(run: TurnRun, { call, begun, waiting }: OpenCall, asks: boolean): readonly EntryBody[] {
  if (begun) return [run.changes(call.name) ? resultOf(call, "unknown", CUT_OFF) : resultOf(call, "interrupted", INTERRUPTED)];
  if (!asks) return [resultOf(call, "interrupted", INTERRUPTED)];
  return waiting ? [] : [resultOf(call, "waiting", WAITING)];
}

/** End a turn that its person stopped: every call has a result, and the model is told. */
async function stop(run: TurnRun, reason?: string): Promise<VoiceOutcome> {
  const stopped = run.stoppedBy === null ? STOPPED : STOPPED_BY_HOOK;
  const results = run.open.map(({ call, begun }) =>
    begun && run.changes(call.name) ? resultOf(call, "unknown", STOPPED_RUNNING) : resultOf(call, "stopped", stopped),
  );
  await run.add([...results, { kind: "note", text: stoppedWords(run.stoppedBy, reason) }]);
  return { kind: "stopped", record: run.record };
}

function stoppedWords(hook: string | null, reason: string | undefined): string {
  if (hook !== null) return `A hook of the owner stopped the turn (${hook}).`;
  return reason === undefined ? STOPPED_TURN : `${STOPPED_TURN} They said: ${JSON.stringify(reason)}`;
}

/** A turn that failed leaves one line for the model (CH-145). */
async function leaveWord(run: TurnRun, error: unknown): Promise<void> {
  try {
    await run.add([{ kind: "note", text: `The turn ended without an answer: ${codeOf(error)}.` }]);
  } catch (second) {
    run.needs.log.failure("turn_word_lost", second);
  }
}

/** Tell that a turn ended. A hook may have other words shown; what the session keeps stays as it was (CH-096). */
async function ended(run: TurnRun, outcome: VoiceOutcome): Promise<VoiceOutcome> {
  const presented = await tellEnded(run, outcome.kind === "silence" ? "failed" : outcome.kind);
  if (presented === null || outcome.kind !== "reply") return outcome;
  const { reply } = outcome;
  const influence = [...new Set([...reply.influence, `bundle:${presented.hook}` as const])];
  return { ...outcome, reply: withSpeech(reply, presented.text, influence) };
}

function withSpeech(reply: Reply, speech: string, influence: Reply["influence"]): Reply {
  return {
    ...reply,
    speech,
    influence,
    get visibleText() {
      return reply.visibleText;
    },
  };
}

/** The end of the turn, then that of the session's turn (CH-092). */
async function tellEnded(
  run: TurnRun,
  outcome: Extract<EventBody, { hook: "after_turn" }>["outcome"],
): Promise<Awaited<ReturnType<typeof tellEnd>>> {
  const presented = await tellEnd(run, { hook: "after_turn", outcome });
  await tellEnd(run, { hook: "session_end" });
  return presented;
}
