import type { Voice } from "../../road/3-turns/voice.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { Reply, VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";

/** Begins the state of a turn that says what was allowed; a session's state is an object of JSON and never begins so. */
const MARK = "mcp reply ";

/** What a person allowed to be said. */
export interface Allowed {
  readonly client: string;
  readonly text: string;
  readonly influence: readonly Influence[];
}

/** The state of the turn that says it. */
export function proposedState({ client, text, influence }: Allowed): string {
  return MARK + JSON.stringify([client, text, influence]);
}

/** The voice of a turn that says what a program proposed and a person allowed; null for every other turn. It has no words but those. */
export function proposedVoice(turn: Turn): Voice | null {
  const state = turn.resumed?.state;
  if (turn.kind !== "resume" || state?.startsWith(MARK) !== true) return null;
  return { run: () => Promise.resolve(saidOf(turn, state.slice(MARK.length))) };
}

function saidOf({ person }: Turn, state: string): VoiceOutcome {
  const value: unknown = JSON.parse(state);
  const [client, text, influence] = isList(value) ? value : [];
  if (typeof client !== "string" || typeof text !== "string" || !isInfluence(influence))
    return { kind: "refused", reason: "state_corrupt", record: recordOf("mcp") };
  const reply: Reply = {
    label: "speak",
    action: "",
    speech: text,
    influence: [...new Set<Influence>([...influence, person])],
    scaffold: [],
    canaries: [],
    visibleText: "",
  };
  return { kind: "reply", reply, record: recordOf(`mcp:${client}`) };
}

function isInfluence(value: unknown): value is readonly Influence[] {
  return isList(value) && value.every((one) => typeof one === "string");
}

function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value);
}

/** Who spoke, for why: no model of ours was asked. */
function recordOf(by: string): VoiceRecord {
  return {
    voice: "agent",
    by,
    packet: null,
    usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
    firstTokenMs: null,
    candidates: 0,
  };
}
