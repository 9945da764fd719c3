import { z } from "zod";
import { canonicalDigest, canonicalJson } from "../../foundation/canonical-json.ts";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { parseAnswer } from "../../vocabulary/calls/approval-answer.ts";
import type { GrantId } from "../../vocabulary/ids.ts";
import { parseGrantId } from "../../vocabulary/ids.ts";
import type { VoiceOutcome, VoiceRecord } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";

const shape = z.object({
  schedule: z.string().max(40),
  does: z.enum(["say", "session"]),
  grant: z.string().max(40).nullable(),
  late: z.boolean(),
});
/** How long a person may think about a time that was missed. */
const ASK_MS = 12 * 60 * 60_000;

/** What a schedule left for its turn. */
export interface ScheduleState {
  readonly schedule: string;
  readonly does: "say" | "session";
  readonly grant: GrantId | null;
  /** Whether its person is to be asked first. */
  readonly late: boolean;
}

/** What a schedule left for a turn; null for a turn of another kind. */
export function scheduleStateOf({ kind, resumed }: Pick<Turn, "kind" | "resumed">): ScheduleState | null {
  if (resumed === undefined || (kind !== "schedule" && kind !== "resume")) return null;
  let value: unknown = null;
  try {
    value = JSON.parse(resumed.state);
  } catch {
    return null; // What cannot be read is no schedule's.
  }
  const parsed = shape.safeParse(value);
  if (!parsed.success) return null;
  const { grant, ...rest } = parsed.data;
  return { ...rest, grant: grant === null ? null : parseGrantId(grant) };
}

/** A voice as this folder sees it. */
interface Voice {
  run(turn: Turn, signal: AbortSignal): Promise<VoiceOutcome>;
}

const RECORD: VoiceRecord = {
  voice: "operation",
  by: "schedule",
  packet: null,
  usage: { promptTokens: 0, completionTokens: 0, costMicros: 0 },
  firstTokenMs: null,
  candidates: 0,
};

/** The voice of schedules: it says the words as they are, hands them to the agent, or asks first whether a missed time still counts. */
export function createScheduledVoice({ clock, agent }: { readonly clock: Pick<Clock, "nowMs">; readonly agent: Voice }): Voice {
  return {
    async run(turn, signal) {
      const state = scheduleStateOf(turn);
      if (state === null) return { kind: "refused", reason: "not_found", record: RECORD };
      if (turn.kind === "resume" && !isAllowed(turn.resumed?.answer ?? "")) return { kind: "silence", record: RECORD };
      if (state.late && turn.kind === "schedule") return asked(turn, state, clock.nowMs());
      if (state.does === "session") return await agent.run({ ...turn, kind: "schedule" }, signal);
      const reply = {
        label: "speak",
        action: "",
        speech: turn.trigger.text,
        influence: [turn.person],
        scaffold: [],
        canaries: [],
      } as const;
      return { kind: "reply", reply: { ...reply, visibleText: turn.trigger.text }, record: RECORD };
    },
  };
}

function asked({ trigger }: Turn, { schedule, does, grant }: ScheduleState, nowMs: number): VoiceOutcome {
  const wish = { kind: "missed", schedule, dueAtMs: trigger.atMs };
  const text = `This was due at ${new Date(trigger.atMs).toISOString().slice(0, 16)}Z, while nobody was here: ${trigger.text}\nShall it happen now?`;
  const state = canonicalJson({ schedule, does, grant, late: false });
  return {
    kind: "suspended",
    question: { digest: canonicalDigest(wish), call: canonicalJson(wish), state, expiresAtMs: nowMs + ASK_MS, text },
    record: RECORD,
  };
}

function isAllowed(answer: string): boolean {
  try {
    return parseAnswer(answer).answer === "allow";
  } catch (error) {
    if (error instanceof RuntimeError) return false;
    throw error;
  }
}
