import { orAbort, throwIfAborted } from "../../foundation/cancellation.ts";
import { canonicalDigest, canonicalJson } from "../../foundation/canonical-json.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { AgentAnswer, AgentRequest } from "../../vocabulary/calls/agent-model.ts";
import { mayRead } from "../../vocabulary/label.ts";
import type { WindowExceeded } from "../../vocabulary/model.ts";
import type { Reply, VoiceOutcome } from "../../vocabulary/reply.ts";
import { readersOf } from "../../vocabulary/label.ts";
import type { EntryBody } from "../../vocabulary/calls/session.ts";
import { TextLabel } from "../../vocabulary/calls/text-label.ts";
import { messagesOf, newestMessages } from "../session/messages.ts";
import { GenerationProgress } from "../hooks/generation-progress.ts";
import { tell } from "./hook-points.ts";
import { callsIn } from "./repeats.ts";
import type { AnsweredCall } from "./settle-calls.ts";
import { settleCalls } from "./settle-calls.ts";
import { isStrayCall } from "./stray-call.ts";
import type { TurnRun } from "./turn-run.ts";

/** Calls that came as text are told to the model so often; then the turn ends. */
const MAX_STRAY = 2;
/** Fewest messages that a request is cut down to. */
const FEWEST_MESSAGES = 4;
/** Questions of hooks whether one turn may go on. */
const MAX_HOOK_QUESTIONS = 3;
/** Answers of one turn that hooks may stop. */
const MAX_CUTS = 3;
const CUT_WORDS = "A hook of the owner stopped that answer";
const CUT_BY_HOOK = new RuntimeError("aborted", "Cannot go on with this answer: a hook stopped it");
/** How long somebody may think about whether a turn goes on. */
const CONTINUE_MS = 60 * 60_000;

const STRAY = "That was a call written as text: nothing was run. Call the tool itself, or answer in words.";
/** Stands in a history where a person said that the turn should go on. */
export const GO_ON = "The person says: go on.";

/**
 * The loop of a turn with tools (MC-039): prepare, gate, execute, record. Each round asks the model once, keeps what it says before
 * anything follows from it, and brings every call of it to a result. Ends with words, a question, or a bound.
 */
export async function runLoop(run: TurnRun, answered: AnsweredCall | null, signal: AbortSignal): Promise<VoiceOutcome> {
  const done = saidBefore(run);
  if (done !== null) return done;
  let answer = answered;
  for (;;) {
    const ended = await settleCalls(run, answer, signal);
    if (ended !== null) return ended;
    answer = null;
    await run.takeSteered();
    const bound = (await atBound(run)) ?? (await hookAsks(run));
    if (bound !== null) return bound;
    const said = await ask(run, signal);
    if (said === null) continue;
    const outcome = await record(run, said);
    if (outcome !== null) return outcome;
  }
}

/** Words that an earlier start kept and could not hand on any more: they are said now, and nothing is asked again. */
function saidBefore(run: TurnRun): VoiceOutcome | null {
  const last = run.mine.at(-1)?.body;
  return last?.kind === "answered" && last.calls.length === 0 ? replied(run, last.text) : null;
}

/** What a turn has had since it began, or since its person said that it should go on. */
function had({ mine }: TurnRun): { readonly requests: number; readonly calls: number } {
  const since = mine.slice(mine.findLastIndex(({ body }) => body.kind === "note" && body.text === GO_ON) + 1);
  return { requests: since.filter(({ body }) => body.kind === "answered").length, calls: callsIn(since).length };
}

/** Whether the turn has reached what it may do without being asked (TR-057, MC-079). */
export function isAtBound(run: TurnRun): boolean {
  const { requests, calls } = had(run);
  const most = run.ceilings.askAfterRequests ?? run.ceilings.requests;
  return calls >= run.ceilings.calls || (most !== null && requests >= most);
}

async function atBound(run: TurnRun): Promise<VoiceOutcome | null> {
  if (!isAtBound(run)) return null;
  if (run.ceilings.askAfterRequests !== null) return await mayGoOn(run);
  await run.add([{ kind: "note", text: "The turn ended: it had as many requests or calls as a turn may have." }]);
  return { kind: "refused", reason: "turn_ceiling", record: run.record };
}

/** Ask the person whether it should go on (CH-148). */
async function mayGoOn(run: TurnRun): Promise<VoiceOutcome> {
  const { requests, calls } = had(run);
  await tell(run, { hook: "question_asked", kind: "continue", text: "", call: null, question: "" });
  return asking(run, had(run), `I asked the model ${requests} times and made ${calls} calls for this. Shall I go on?`);
}

/** Ask the person what a hook wants to have asked: whether the turn may go on. After so many in one turn the hook's doubt is a no. */
async function hookAsks(run: TurnRun): Promise<VoiceOutcome | null> {
  const question = run.takeQuestion();
  if (question === null) return null;
  const note = `A hook asked the person whether the turn may go on (${question.hook}).`;
  const asked = run.mine.filter(({ body }) => body.kind === "note" && body.text.startsWith("A hook asked the person ")).length;
  if (asked >= MAX_HOOK_QUESTIONS) {
    await run.add([{ kind: "note", text: "The turn ended: hooks asked too often whether it may go on." }]);
    return { kind: "refused", reason: "turn_ceiling", record: run.record };
  }
  await run.add([{ kind: "note", text: note }]);
  return asking(run, { hook: question.hook, asked }, `Your hook ${question.hook} asks: ${question.text} Shall I go on?`);
}

/** Put the turn aside until its person says whether it goes on. */
function asking(run: TurnRun, about: Readonly<Record<string, string | number>>, text: string): VoiceOutcome {
  const { history, root } = run.facts;
  const wish = { kind: "continue", session: history.id, root, ...about };
  const expiresAtMs = run.needs.clock.nowMs() + CONTINUE_MS;
  const question = { digest: canonicalDigest(wish), call: canonicalJson(wish), state: run.state(null), expiresAtMs, text };
  return { kind: "suspended", question, record: run.record };
}

/** Ask the model once; null when its person cut it short with a line. @throws RuntimeError `budget_spent`, `model_*`. */
async function ask(run: TurnRun, signal: AbortSignal): Promise<AgentAnswer | null> {
  throwIfAborted(signal);
  if (run.requests > 0) {
    const charges = run.needs.reserve(run.facts.turn);
    if (charges === null) throw new RuntimeError("budget_spent", "Cannot go on: the calls of the day are used up");
    if (charges.length > 0) await run.add([], run.history.label, charges);
  }
  const messages = messagesOf(run.history.entries);
  let most = run.ceilings.requestMessages;
  await tell(run, { hook: "before_generation", iteration: run.requests, messages: newestMessages(messages, most) });
  if (await cutByHook(run)) return null;
  for (;;) {
    const sent = newestMessages(messages, most);
    run.does({ kind: "thinking" });
    const answer = await generate(run, sent, signal);
    if (answer === null || answer.kind === "answer") return answer;
    // The window is smaller than the history: less of its beginning, and once more. What is kept stays whole.
    most = Math.floor(sent.length / 2);
    if (most < FEWEST_MESSAGES)
      throw new RuntimeError("model_window", "Cannot get an answer: the newest lines do not fit into the model's window");
  }
}

/** One request; null when a line or a hook cut its answer short. */
async function generate(run: TurnRun, sent: AgentRequest["messages"], signal: AbortSignal): Promise<AgentAnswer | WindowExceeded | null> {
  using generation = run.facts.live.generation();
  const { hooks, clock } = run.needs;
  const progress = new GenerationProgress(run.requests, clock, async (body) => {
    await tell(run, body);
    if (run.isCut) generation.abort(CUT_BY_HOOK);
  });
  const request = requestOf(run, sent);
  const heard: AgentRequest = hooks.hears("generation_progress") ? { ...request, heard: (piece) => progress.take(piece) } : request;
  try {
    // Also a model that hears no signal must not hold up a stop.
    const answer = await orAbort(run.facts.model.converse(heard, generation.signal), generation.signal);
    await progress.end();
    throwIfAborted(signal);
    return (await cutByHook(run)) ? null : answer;
  } catch (error) {
    await progress.end();
    if (!generation.signal.aborted || signal.aborted) throw error;
    await cutByHook(run);
    return null;
  }
}

/** Whether a hook wanted no such answer: the model is told, and asked again a few times. */
async function cutByHook(run: TurnRun): Promise<boolean> {
  const by = run.takeCut();
  if (by === null) return false;
  const cuts = run.mine.filter(({ body }) => body.kind === "note" && body.text.startsWith(CUT_WORDS)).length;
  await run.add([{ kind: "note", text: `${CUT_WORDS} (${by}). Answer otherwise, or more briefly.` }]);
  if (cuts + 1 >= MAX_CUTS) throw new RuntimeError("turn_ceiling", "Cannot go on: hooks stopped every answer of the model");
  return true;
}

function requestOf(run: TurnRun, messages: AgentRequest["messages"]): AgentRequest {
  const { needs, facts } = run;
  return {
    system: needs.system(facts.turn),
    messages,
    tools: needs.gateway.tools(run.context()),
    maxOutputTokens: needs.maxOutputTokens(),
    format: "plain",
  };
}

/** Keep what the model said; the turn's end when it was words. */
async function record(run: TurnRun, answer: AgentAnswer): Promise<VoiceOutcome | null> {
  run.note(answer);
  const { needs, history, ceilings } = run;
  const calls = history.named(answer.calls);
  await tell(run, { hook: "after_generation", iteration: run.requests, text: answer.text, calls });
  const body: EntryBody = { kind: "answered", text: answer.text, calls };
  if (calls.length > 0) {
    const over = calls.slice(ceilings.requestCalls).map(({ id, name }): EntryBody => ({
      kind: "result",
      call: id,
      name,
      status: "denied",
      text: "Denied: too many calls in one answer.",
    }));
    await run.add([body, ...over]);
    return null;
  }
  const tools = new Set(needs.toolbox.definitions.map(({ name }) => name));
  if (!isStrayCall(answer.text, tools)) {
    await run.add([body]);
    return replied(run, answer.text);
  }
  const strays = run.mine.filter(({ body: one }) => one.kind === "note" && one.text === STRAY).length;
  await run.add([body, { kind: "note", text: STRAY }]);
  return strays < MAX_STRAY ? null : { kind: "refused", reason: "model_format", record: run.record };
}

/** Words for the turn's own line, if whoever reads there may have all that went into them (SE-083). */
function replied(run: TurnRun, speech: string): VoiceOutcome {
  const { turn } = run.facts;
  const { influence, readers } = TextLabel.factsOf(run.history.label);
  if (!mayRead(readers, readersOf(turn.place))) return { kind: "refused", reason: "forbidden", record: run.record };
  const { entries } = run.history;
  const reply: Reply = {
    label: "speak",
    action: "",
    speech,
    influence,
    scaffold: [],
    canaries: [],
    // Made only where the gate finds something to compare with it.
    get visibleText() {
      return messagesOf(entries)
        .map(({ text }) => text)
        .join("\n");
    },
  };
  return { kind: "reply", reply, record: run.record };
}
