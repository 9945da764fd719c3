import { orAbort } from "../foundation/cancellation.ts";
import type { VoiceOutcome, VoiceRecord } from "../vocabulary/reply.ts";
import type { Turn } from "../vocabulary/turn.ts";
import type { LiveTurn, LiveTurns, SteeredLine } from "./live-turns.ts";
import type { Renewed } from "./session/renew.ts";

/** What an operator does to the own line: to the turn that runs there, and to its session (TR-007, SE-091). */
export type Control =
  | { readonly kind: "stop" }
  | { readonly kind: "new" | "clean" }
  | { readonly kind: "steer" | "cut"; readonly text: string };

/** The names of controls, as they are said with a slash. */
export const CONTROLS = ["stop", "new", "clean", "steer", "cut"] as const;

const STOP = /^\/?stop[.!]*$/iu;
const RENEWS = /^\/(new|clean)$/u;
const SAID_IN = /^\/(steer|cut)\s+([\s\S]*\S)\s*$/u;

/** Read a control off a line: `stop`, `/steer WORDS`, `/cut WORDS`, `/new`, `/clean`; null when it is none. */
export function parseControl(text: string): Control | null {
  if (STOP.test(text.trim())) return { kind: "stop" };
  const renews = RENEWS.exec(text.trim())?.[1];
  if (renews === "new" || renews === "clean") return { kind: renews };
  const [, kind, words] = SAID_IN.exec(text.trim()) ?? [];
  if (words === undefined) return null;
  return { kind: kind === "cut" ? "cut" : "steer", text: words };
}

/** What controls work on. */
export interface ControlNeeds {
  readonly live: Pick<LiveTurns, "of">;
  readonly controlOf: (turn: Turn) => Control | null;
  /** End the turns of a line that wait for an answer; gives how many there were. */
  readonly stopWaiting: (turn: Turn) => Promise<number>;
  readonly renew: (turn: Turn, how: "new" | "clean") => Promise<Renewed>;
}

const RECORD: VoiceRecord = {
  voice: "operation",
  by: "control",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};

function renewedText(renewed: Renewed): string {
  switch (renewed.kind) {
    case "none":
      return "(There is nothing to leave behind.)";
    case "clean":
      return "(Nobody else's words are in it.)";
    case "busy":
      return "(It could not be done: try again.)";
    case "renewed":
      return `(A new session: ${renewed.kept} entries came along, ${renewed.left} stayed behind${carried(renewed.found)}.)`;
  }
}

function carried(found: number): string {
  return found === 0 ? "" : `; of these, ${found === 1 ? "one answer" : `${found} answers`} of inspect came along`;
}

/** The voice of controls: no model, and one sentence of the runtime. It waits behind nothing, so it reaches the turn that runs. */
export function createControlVoice({ live, controlOf, stopWaiting, renew }: ControlNeeds): {
  run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome>;
} {
  const answer = async (turn: Turn, signal: AbortSignal): Promise<string> => {
    const control = controlOf(turn);
    const running = live.of(turn.character, turn.place.id);
    if (control === null) return "(Nothing was changed.)";
    if (control.kind === "stop") {
      running?.stop();
      const waiting = await stopWaiting(turn);
      return running === null && waiting === 0 ? "(Nothing runs here.)" : "(Stopped.)";
    }
    if ("text" in control) return await said(turn, control, { running, signal });
    return running === null ? renewedText(await renew(turn, control.kind)) : "(Something runs here: stop it first.)";
  };
  const said = async (
    turn: Turn,
    control: Extract<Control, { readonly text: string }>,
    { running, signal }: { readonly running: LiveTurn | null; readonly signal: AbortSignal },
  ): Promise<string> => {
    const line: SteeredLine = { text: control.text, by: turn.trigger.id, origin: turn.origin };
    const taken = running === null ? false : await orAbort(control.kind === "cut" ? running.cut(line) : running.steer(line), signal);
    return taken ? "(Taken up.)" : "(Nothing runs here any more: say it without a command.)";
  };
  return {
    async run(turn, signal) {
      const speech = await answer(turn, signal);
      const reply = { label: "speak", action: "", speech, influence: [turn.person], scaffold: [], canaries: [], visibleText: "" } as const;
      return { kind: "reply", reply, record: RECORD };
    },
  };
}
