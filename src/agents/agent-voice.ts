import { linkSignals, withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, codeOf, isRuntimeError } from "../foundation/errors.ts";
import type { IdSource } from "../foundation/ids.ts";
import type { Store, StoreReader } from "../store/store.ts";
import type { AgentModel } from "../vocabulary/agent-model.ts";
import type { ApprovalAnswer } from "../vocabulary/approval-answer.ts";
import { parseAnswer } from "../vocabulary/approval-answer.ts";
import type { GrantId } from "../vocabulary/ids.ts";
import { parseSessionId } from "../vocabulary/ids.ts";
import type { VoiceOutcome } from "../vocabulary/reply.ts";
import type { EntryBody } from "../vocabulary/session.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { TurnStarter } from "../vocabulary/turn-ceilings.ts";
import type { LiveTurns } from "./live-turns.ts";
import { eventOf, resultOf } from "./loop/settle-calls.ts";
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

const INTERRUPTED = "Error: not run: the turn that asked for it ended before.";
const CUT_OFF =
  "Error: the turn that asked for it ended while it ran. Whether it took effect is not known; do not repeat it before that was looked at.";
const WAITING = "Waits for the person's answer. What becomes of it is told later.";
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
      return ended(run, await this.#go(run, state));
    } catch (error) {
      if (live.stopped) return ended(run, await stop(run));
      ended(run, null);
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

  async #go(run: TurnRun, state: TurnState | null): Promise<VoiceOutcome> {
    const { turn, live } = run.facts;
    run.needs.hooks.fire({ ...eventOf(run), hook: "before_turn" });
    await settleOthers(run, this.#needs.asks(turn));
    if (state !== null) return await goOn(run, state);
    if (run.mine.length === 0) {
      const label = run.needs.gateway.labels.ofLine(turn.origin, turn.place);
      await run.add([{ kind: "said", text: turn.trigger.text, by: turn.trigger.id }], label);
    }
    return await runLoop(run, null, live.signal);
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
  const results = run.open.map(({ call, begun }) =>
    begun && run.changes(call.name) ? resultOf(call, "unknown", STOPPED_RUNNING) : resultOf(call, "stopped", STOPPED),
  );
  await run.add([
    ...results,
    { kind: "note", text: reason === undefined ? STOPPED_TURN : `${STOPPED_TURN} They said: ${JSON.stringify(reason)}` },
  ]);
  return { kind: "stopped", record: run.record };
}

/** A turn that failed leaves one line for the model (CH-145). */
async function leaveWord(run: TurnRun, error: unknown): Promise<void> {
  try {
    await run.add([{ kind: "note", text: `The turn ended without an answer: ${codeOf(error)}.` }]);
  } catch (second) {
    run.needs.log.failure("turn_word_lost", second);
  }
}

function ended(run: TurnRun, outcome: VoiceOutcome): VoiceOutcome;
function ended(run: TurnRun, outcome: null): null;
function ended(run: TurnRun, outcome: VoiceOutcome | null): VoiceOutcome | null {
  const kind = outcome === null || outcome.kind === "silence" ? "failed" : outcome.kind;
  run.needs.hooks.fire({ ...eventOf(run), hook: "after_turn", outcome: kind });
  run.needs.hooks.fire({ ...eventOf(run), hook: "session_end" });
  return outcome;
}
