import { orAbort } from "../../foundation/cancellation.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { ToolCall } from "../../vocabulary/calls/agent-model.ts";
import type { ApprovalAnswer } from "../../vocabulary/calls/approval-answer.ts";
import type { AuthorizedAction } from "../../vocabulary/calls/authorized-action.ts";
import type { DenyCode, HookVote, Verdict } from "../../vocabulary/calls/gateway.ts";
import type { Question, VoiceOutcome } from "../../vocabulary/reply.ts";
import type { EntryBody, ResultStatus } from "../../vocabulary/calls/session.ts";
import type { TextLabel } from "../../vocabulary/calls/text-label.ts";
import type { ToolOutput } from "../tools/tool.ts";
import { tell } from "./hook-points.ts";
import { outputText } from "./output-text.ts";
import { MAX_REPEATED, MAX_SAME_CALLS, askedBefore } from "./repeats.ts";
import type { TurnRun } from "./turn-run.ts";

/** An answer to the question about one call. */
export interface AnsweredCall {
  readonly call: string;
  /** Null when it cannot be read: that is a denial. */
  readonly answer: ApprovalAnswer | null;
}

const CUT_OFF_READING = "Error: the program ended while this call ran. It changed nothing; call it again if it is still needed.";
const CUT_OFF_CHANGING =
  "Error: the program ended while this call ran. Whether it took effect is not known; do not repeat it before that was looked at.";
const ANSWER_LOST =
  "Error: not run: the program ended when the person had allowed it and before it began. It took no effect; call it again to ask anew.";
const NOT_BEGUN = "Error: not run: an earlier call of the same answer was cut off.";
const UNREADABLE = "Denied: the answer to the question about this call could not be read. Do not reach the same result another way.";
const REPEATED = `Denied: this same call was made ${MAX_SAME_CALLS} times already in this turn. Use what it gave, or do something else.`;

/**
 * Bring every open call of a turn to its result: judge them as one batch, run what is allowed, record what came of it, one after the
 * other in their order. Gives how the turn ends when it cannot go on: it has to ask a person, or an earlier start was cut off while
 * it changed something. Nothing runs twice: a call that had begun is not run again, whoever finds it (TR-044).
 */
export async function settleCalls(run: TurnRun, answered: AnsweredCall | null, signal: AbortSignal): Promise<VoiceOutcome | null> {
  const cutOff = await settleCutOff(run);
  if (cutOff !== null) return cutOff;
  const [first] = run.open;
  if (answered !== null && first?.call.id === answered.call) {
    const verdict = await verdictOf(run, first.call, { answer: answered.answer, signal });
    const outcome = await follow(run, first.call, { verdict, signal });
    if (outcome !== null) return outcome;
  }
  await refuseRepeats(run);
  const calls = run.open.map(({ call }) => call);
  if (calls.length === 0) return await overRepeats(run);
  const hooks = await hookVotes(run, calls);
  run.does({ kind: "judging" });
  const verdicts = await run.needs.gateway.judge({ ...run.context(), calls, words: wordsBeside(run), hooks }, signal);
  for (const call of calls) {
    const verdict = verdicts.find((one) => one.call === call.id) ?? unjudged(call);
    const outcome = await follow(run, call, { verdict, hooks: hooks.filter((one) => one.call === call.id), signal });
    if (outcome !== null) return outcome;
  }
  return await overRepeats(run);
}

/** Calls that an earlier start was cut off in. */
async function settleCutOff(run: TurnRun): Promise<VoiceOutcome | null> {
  const open = run.open;
  const begun = open.filter((one) => one.begun);
  if (begun.length === 0) return null;
  const isUnknown = begun.some(({ call }) => run.changes(call.name));
  const results = begun.map(({ call }) =>
    run.changes(call.name) ? resultOf(call, "unknown", CUT_OFF_CHANGING) : resultOf(call, "interrupted", CUT_OFF_READING),
  );
  const rest = isUnknown ? open.filter((one) => !one.begun).map(({ call }) => resultOf(call, "interrupted", NOT_BEGUN)) : [];
  await run.add([...results, ...rest]);
  return isUnknown ? { kind: "interrupted", record: run.record } : null;
}

async function verdictOf(
  run: TurnRun,
  call: ToolCall,
  { answer, signal }: { readonly answer: ApprovalAnswer | null; readonly signal: AbortSignal },
): Promise<Verdict> {
  if (answer === null) return { kind: "deny", call: call.id, code: "denied", text: UNREADABLE };
  return await run.needs.gateway.answered({ ...run.context(), calls: [call], words: wordsBeside(run) }, answer, signal);
}

/** Calls that were made too often already are not judged any more. */
async function refuseRepeats(run: TurnRun): Promise<void> {
  const { mine } = run;
  const repeated = run.open.filter(({ call }) => askedBefore(mine, call) >= MAX_SAME_CALLS).map(({ call }) => call);
  if (repeated.length === 0) return;
  await run.add(repeated.map((call) => resultOf(call, "denied", REPEATED)));
  for (const call of repeated) await tellAfter(run, call, { status: "denied", text: REPEATED, elapsedMs: null, denied: "repeats" });
}

async function overRepeats(run: TurnRun): Promise<VoiceOutcome | null> {
  const repeats = run.mine.filter(({ body }) => body.kind === "result" && body.text === REPEATED).length;
  if (repeats < MAX_REPEATED) return null;
  await run.add([{ kind: "note", text: "The turn ended: the same call was made over and over." }]);
  return { kind: "refused", reason: "turn_ceiling", record: run.record };
}

/** What hooks say of calls, before the authority judges them (CH-071, CH-089). */
async function hookVotes(run: TurnRun, calls: readonly ToolCall[]): Promise<readonly HookVote[]> {
  const votes: HookVote[] = [];
  for (const call of calls) {
    const said = await tell(run, { hook: "before_tool_call", iteration: run.requests, call });
    votes.push(...said.map((one) => ({ ...one, call: call.id })));
  }
  return votes;
}

/** Do what a verdict says of a call. */
async function follow(
  run: TurnRun,
  call: ToolCall,
  { verdict, hooks = [], signal }: { readonly verdict: Verdict; readonly hooks?: readonly HookVote[]; readonly signal: AbortSignal },
): Promise<VoiceOutcome | null> {
  switch (verdict.kind) {
    case "deny": {
      // Whatever comes here has not begun: an answer that was used up before was lost with the process that took it.
      const [status, text] = verdict.code === "used" ? (["interrupted", ANSWER_LOST] as const) : (["denied", verdict.text] as const);
      await run.add([resultOf(call, status, text)], verdict.code === "hook" ? labelOfHooks(run, hooks) : undefined);
      await tellAfter(run, call, { status, text, elapsedMs: null, denied: verdict.code });
      return null;
    }
    case "ask":
      return await suspended(run, call, verdict.question);
    case "allow":
      await execute(run, call, { action: verdict.action, signal });
      return null;
  }
}

/** Whose words a hook's denial is, where it has any of its own: they stand in its text (SE-100). */
function labelOfHooks(run: TurnRun, hooks: readonly HookVote[]): TextLabel | undefined {
  const speaking = hooks.filter(({ verdict, fixed }) => verdict === "deny" && fixed !== true);
  return speaking.reduce<TextLabel | undefined>(
    (label, { hook }) => run.needs.gateway.labels.ofHook(hook, label ?? run.history.label),
    undefined,
  );
}

async function suspended(run: TurnRun, call: ToolCall, question: Omit<Question, "state">): Promise<VoiceOutcome> {
  await tell(run, { hook: "question_asked", kind: "approval", text: wordsBeside(run), call: call.id, question: question.call });
  return { kind: "suspended", question: { ...question, state: run.state(call.id) }, record: run.record };
}

/** Run one call: that it begins is durable before it does, and what came of it before anything follows. */
async function execute(
  run: TurnRun,
  call: ToolCall,
  how: { readonly action: AuthorizedAction; readonly signal: AbortSignal },
): Promise<void> {
  const { clock, gateway } = run.needs;
  await run.add([{ kind: "begun", call: call.id }]);
  run.does({ kind: "calling", call: call.id, tool: call.name });
  const startedMs = clock.monotonicMs();
  const output = await outputOf(run, call, how);
  const text = outputText(output.text);
  const status = output.failed ? "error" : "ok";
  await run.add([resultOf(call, status, text)], gateway.labels.ofToolOutput(call.name, run.history.label));
  await tellAfter(run, call, { status, text, result: output.text, elapsedMs: clock.monotonicMs() - startedMs, denied: null });
}

/** What a tool gave. One that throws failed; what it threw is never somebody's text. */
async function outputOf(
  run: TurnRun,
  call: ToolCall,
  { action, signal }: { readonly action: AuthorizedAction; readonly signal: AbortSignal },
): Promise<ToolOutput> {
  try {
    return await orAbort(run.needs.toolbox.run(action, signal), signal);
  } catch (error) {
    if (signal.aborted || isRuntimeError(error, "forged")) throw error;
    run.needs.log.failure("tool_failed", error);
    const why = error instanceof RuntimeError ? error.message : "it broke";
    return { text: `Error: ${call.name} failed: ${why}`, failed: true };
  }
}

interface Came {
  readonly status: ResultStatus;
  readonly text: string;
  readonly result?: string;
  readonly elapsedMs: number | null;
  readonly denied: DenyCode | "repeats" | null;
}

async function tellAfter(run: TurnRun, call: ToolCall, { status, text, result = text, elapsedMs, denied }: Came): Promise<void> {
  await tell(run, { hook: "after_tool_call", iteration: run.requests, call, status, output: text, result, elapsedMs, denied });
}

/** A result for the history. */
export function resultOf({ id, name }: Pick<ToolCall, "id" | "name">, status: ResultStatus, text: string): EntryBody {
  return { kind: "result", call: id, name, text, status };
}

/** What the model wrote beside the calls that are open. */
function wordsBeside(run: TurnRun): string {
  const answer = run.mine.findLast(({ body }) => body.kind === "answered")?.body;
  return answer?.kind === "answered" ? answer.text : "";
}

/** A call that a judgment left out is not run. */
function unjudged(call: ToolCall): Verdict {
  return { kind: "deny", call: call.id, code: "not_allowed", text: "Denied: nothing was decided about this call." };
}
