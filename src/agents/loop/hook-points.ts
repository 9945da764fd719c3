import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { EventBody, HookEventOf } from "../../vocabulary/calls/hook-event.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { HookVoice } from "../hooks/hooks.ts";
import type { TurnRun } from "./turn-run.ts";

/** Tell hooks of something and note what they want of the turn. Gives their votes over a call. @throws the signal's reason where one stops the turn. */
export async function tell(run: TurnRun, body: EventBody): Promise<readonly HookVoice[]> {
  const { hooks } = run.needs;
  const { live } = run.facts;
  if (!hooks.hears(body.hook)) return [];
  const heard = await hooks.fire({ ...eventOf(run), ...body }, live.signal);
  run.wish(heard);
  if (heard.stopTurn === null) return heard.votes;
  live.stop();
  throwIfAborted(live.signal);
  return [];
}

/** Tell hooks of a turn that has ended: nothing stops it any more, and it waits for them no longer than each may take. Gives what is shown in place of the reply. */
export async function tellEnd(run: TurnRun, body: Extract<EventBody, { hook: "after_turn" | "session_end" }>): Promise<Presented | null> {
  const { hooks } = run.needs;
  if (!hooks.hears(body.hook)) return null;
  return (await hooks.fire({ ...eventOf(run), ...body }, NEVER)).present;
}

/** What is shown in place of a reply, and by which hook. */
export interface Presented {
  readonly hook: string;
  readonly text: string;
}

const NEVER = new AbortController().signal;

/** What every event of a turn says. */
export function eventOf({ facts: { turn, root, history, starter } }: TurnRun): HookEventOf {
  const { principal, role } = Origin.factsOf(turn.origin);
  const of = { session: history.id, character: turn.character, turn: turn.id, root, starter };
  return role === "operator" ? of : { ...of, author: `p:${principal}` };
}
