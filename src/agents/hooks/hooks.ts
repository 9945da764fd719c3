import { orAbort, withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { HookAnswer, HookEvent, HookName } from "../../vocabulary/calls/hook-event.ts";

/** A hook that takes longer is named in the log. */
const SLOW_MS = 100;

/** Somebody who hears what turns tell of themselves, and may act on it (CH-093). */
export interface AgentHook {
  readonly name: string;
  readonly events: ReadonlySet<HookName>;
  /** Milliseconds it may take over one event. */
  readonly deadlineMs: number;
  /** Hear of something; null for no wish. It gets a copy of its own, frozen. `steers`: whether words of its may enter the turn. */
  hear(event: HookEvent, may: { readonly steers: boolean }, signal: AbortSignal): Promise<HookAnswer | null>;
}

/** What a hook says of a call before the authority judges it. */
export interface HookVoice {
  readonly hook: string;
  readonly verdict: "ask" | "deny";
  readonly reason: string;
  /** The reason is the runtime's fixed text, and no word of the hook is in it. */
  readonly fixed?: true;
}

/** What all hooks together want after an event, in their order. */
export interface Heard {
  readonly votes: readonly HookVoice[];
  readonly steer: readonly { readonly hook: string; readonly text: string }[];
  /** The first that wants to ask whether the turn may go on. */
  readonly question: { readonly hook: string; readonly text: string } | null;
  /** The first that stops it. */
  readonly stopTurn: string | null;
  readonly stopGeneration: string | null;
  readonly present: { readonly hook: string; readonly text: string } | null;
}

/** Fires events at hooks. */
export interface Hooks {
  /** Whether anybody hears it: nothing needs to be gathered for nobody. */
  hears(hook: HookName): boolean;
  /** Tell every hook, one after the other. One that fails never breaks the turn; over a call it denies it. @throws the signal's reason on abort. */
  fire(event: HookEvent, signal: AbortSignal): Promise<Heard>;
}

/** What hooks work with. */
export interface HooksNeeds {
  readonly clock: Clock;
  readonly log: Pick<Log, "failure" | "write">;
  /** Hand a hook's words to the operator. */
  readonly notify: (hook: string, text: string) => void;
  /** Whether hooks may ask (CH-079); what they deny is denied all the same. */
  readonly asks: () => boolean;
  /** Whether words of a hook may enter a turn (SE-100): only one that an operator of its line began. */
  readonly steers: (event: HookEvent) => boolean;
}

/** Nothing that anybody wants. */
export const NOTHING_HEARD: Heard = { votes: [], steer: [], question: null, stopTurn: null, stopGeneration: null, present: null };

/** Nobody hears anything. */
export const NO_HOOKS: Hooks = { hears: () => false, fire: () => Promise.resolve(NOTHING_HEARD) };

/** Make hooks of listeners, who are told in this order (CH-096). */
export function createHooks(listeners: readonly AgentHook[], needs: HooksNeeds): Hooks {
  return {
    hears: (hook) => listeners.some(({ events }) => events.has(hook)),
    async fire(event, signal) {
      let heard = NOTHING_HEARD;
      for (const listener of listeners) {
        if (!listener.events.has(event.hook)) continue;
        heard = joined(heard, await tell(listener, event, { needs, signal }));
      }
      return heard;
    },
  };
}

interface Told {
  readonly needs: HooksNeeds;
  readonly signal: AbortSignal;
}

/** Tell one hook, and give what it wants. */
async function tell(hook: AgentHook, event: HookEvent, { needs, signal }: Told): Promise<Heard> {
  const startedMs = needs.clock.monotonicMs();
  try {
    using time = withDeadline(needs.clock, hook.deadlineMs, signal);
    // A copy for each: what one changes, nobody else sees, and not the loop.
    const copy = deepFrozen(structuredClone(event));
    const answer = await orAbort(hook.hear(copy, { steers: needs.steers(event) }, time.signal), time.signal);
    return heardOf(hook.name, event, { answer, needs });
  } catch (error) {
    if (signal.aborted) throw error;
    needs.log.failure("hook_failed", error, { hook: printable(hook.name), on: printable(event.hook) });
    return failedOn(hook.name, event);
  } finally {
    const elapsedMs = needs.clock.monotonicMs() - startedMs;
    if (elapsedMs > SLOW_MS)
      needs.log.write("warn", "hook_slow", { hook: printable(hook.name), on: printable(event.hook), ms: Math.round(elapsedMs) });
  }
}

/** What one hook wants, as far as it may. */
function heardOf(
  hook: string,
  event: HookEvent,
  { answer, needs }: { readonly answer: HookAnswer | null; readonly needs: HooksNeeds },
): Heard {
  if (answer === null) return NOTHING_HEARD;
  for (const text of answer.notify) needs.notify(hook, text);
  const isCall = event.hook === "before_tool_call";
  const ask = needs.asks() ? answer.ask : null;
  return {
    votes: isCall ? votesIn(hook, answer, { ask, speaks: needs.steers(event) }) : [],
    steer: needs.steers(event) ? answer.steer.map((text) => ({ hook, text })) : [],
    question: isCall || ask === null ? null : { hook, text: ask },
    stopTurn: answer.stopTurn ? hook : null,
    stopGeneration: answer.stopGeneration ? hook : null,
    present: answer.present === null ? null : { hook, text: answer.present },
  };
}

/** Nobody can tell what a hook that failed would have said of a call. */
function failedOn(hook: string, event: HookEvent): Heard {
  if (event.hook !== "before_tool_call") return NOTHING_HEARD;
  return { ...NOTHING_HEARD, votes: [{ hook, verdict: "deny", reason: "its check of this call failed", fixed: true }] };
}

function joined(one: Heard, other: Heard): Heard {
  return {
    votes: [...one.votes, ...other.votes],
    steer: [...one.steer, ...other.steer],
    question: one.question ?? other.question,
    stopTurn: one.stopTurn ?? other.stopTurn,
    stopGeneration: one.stopGeneration ?? other.stopGeneration,
    present: one.present ?? other.present,
  };
}

/** Where its words may not enter the turn, a hook denies without them: a reason is words as well (SE-100). */
function votesIn(
  hook: string,
  { block }: Pick<HookAnswer, "block">,
  { ask, speaks }: { readonly ask: string | null; readonly speaks: boolean },
): readonly HookVoice[] {
  const no = speaks ? { reason: block ?? "" } : ({ reason: "it said no", fixed: true } as const);
  return [
    ...(block === null ? [] : [{ hook, verdict: "deny", ...no } as const]),
    ...(ask === null ? [] : [{ hook, verdict: "ask", reason: ask } as const]),
  ];
}

function deepFrozen<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  for (const one of Object.values(value)) deepFrozen(one);
  return Object.freeze(value);
}
