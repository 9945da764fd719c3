import { z } from "zod";
import type { Explanation, StoreReader } from "../store/store.ts";
import type { SuppressReason } from "../vocabulary/inbound.ts";
import type { PersonOutcome } from "../vocabulary/outcome.ts";
import { PERSON_OUTCOMES } from "../vocabulary/outcome.ts";
import { outcomeOf } from "./outcomes.ts";

/** The seven stations a message passes, in order. */
export const STATIONS = ["surface", "admission", "lane", "turn", "packet", "voice", "delivery"] as const;

const STATES = ["passed", "stopped", "waiting", "not_reached"] as const;
type StationState = (typeof STATES)[number];

/** One fact: a code, an id, a number, or a list of such by name. */
export type Fact = string | number | readonly Readonly<Record<string, string | number>>[];

/** One station of the road as one message passed it. */
export interface Station {
  readonly station: (typeof STATIONS)[number];
  readonly state: StationState;
  /** Codes, ids and counts by name; never text of anybody (TR-003). */
  readonly facts: Readonly<Record<string, Fact>>;
}

/** The operator's answer to why. */
export interface WhyReport {
  readonly id: string;
  /** What the sender's own page says. */
  readonly outcome: PersonOutcome;
  /** All seven, in order. */
  readonly stations: readonly Station[];
  /** One sentence: which setting or act would have led elsewhere. */
  readonly change: string;
}

const value = z.union([z.string(), z.number()]);
const fact: z.ZodType<Fact> = z.union([value, z.array(z.record(z.string(), value))]);

/** Checks a {@link WhyReport} that came over a socket. */
export const whyReport: z.ZodType<WhyReport> = z.object({
  id: z.string(),
  outcome: z.enum(PERSON_OUTCOMES),
  stations: z.array(z.object({ station: z.enum(STATIONS), state: z.enum(STATES), facts: z.record(z.string(), fact) })),
  change: z.string(),
});

/** Tell the road of one message, for operators alone (SE-094): the person's side is `outcomeOf`. */
export function whyOf(explanation: Explanation, calls: readonly DecidedCall[] = []): WhyReport {
  return {
    id: explanation.decision.id,
    outcome: outcomeOf(explanation).outcome,
    stations: [surfaceOf, admissionOf, laneOf, turnOf, packetOf, deliveryOf]
      .map((tell) => tell(explanation))
      .toSpliced(5, 0, voiceOf(explanation, calls)),
    change: changeOf(explanation),
  };
}

type Facts = Readonly<Record<string, Fact | null>>;

/** What says nothing is left out. */
function told(name: Station["station"], state: StationState, facts: Facts): Station {
  const says = (one: [string, Fact | null]): one is [string, Fact] =>
    one[1] !== null && one[1] !== "" && !(Array.isArray(one[1]) && one[1].length === 0);
  return { station: name, state, facts: Object.fromEntries(Object.entries(facts).filter(says)) };
}

function surfaceOf({ decision, count }: Explanation): Station {
  const { surface, place, person, atMs } = decision;
  return told("surface", "passed", { surface, place, person, at: new Date(atMs).toISOString(), messages: count > 1 ? count : null });
}

function admissionOf({ decision }: Explanation): Station {
  const { outcome, reason, gate, rule, key, character } = decision;
  return told("admission", reason === null ? "passed" : "stopped", {
    outcome,
    reason,
    gate,
    rule,
    key,
    to: character,
    class: decision.class,
  });
}

function laneOf({ decision, inboxState, attempts, end, turn }: Explanation): Station {
  if (decision.reason !== null || inboxState === null) return told("lane", "not_reached", {});
  const waitedMs = turn === null ? null : turn.startedAtMs - decision.atMs;
  const stopped = inboxState === "ended" && turn === null;
  return told("lane", stopped ? "stopped" : inboxState === "open" ? "waiting" : "passed", {
    state: inboxState,
    end: stopped ? end : null,
    waited_ms: waitedMs,
    runs: attempts,
  });
}

function turnOf({ turn, end, endReason, inboxState, attempts }: Explanation): Station {
  if (turn === null) return told("turn", "not_reached", {});
  const tookMs = turn.endedAtMs === null ? null : turn.endedAtMs - turn.startedAtMs;
  const state = inboxState === "ended" ? (end === "answered" || end === "silent" ? "passed" : "stopped") : "waiting";
  return told("turn", state, {
    turn: turn.id,
    end: end ?? inboxState,
    reason: endReason,
    took_ms: tookMs,
    after_a_restart: attempts > 1 ? "yes" : null,
  });
}

function packetOf({ turn }: Explanation): Station {
  const packet = turn?.record?.packet ?? turn?.packet ?? null;
  if (packet === null) return told("packet", "not_reached", {});
  const withheld = packet.withheld.reduce((sum, { count }) => sum + count, 0);
  return told("packet", "passed", {
    packet: packet.id,
    bytes: packet.bytes,
    segments: packet.segments.map(({ kind, count, bytes }) => ({ kind, count, bytes })),
    // What was said elsewhere is counted from the start on that answered this, not from the beginning of the store.
    withheld_since_this_start: withheld,
    withheld_by_class: packet.withheld.map((one) => ({ class: one.class, count: one.count })),
  });
}

/** What was decided about one call of the turn. */
export type DecidedCall = Pick<ReturnType<StoreReader["calls"]["decisions"]>[number], "tool" | "verdict" | "rule" | "code" | "digest">;

function voiceOf({ turn, end }: Explanation, decided: readonly DecidedCall[]): Station {
  const record = turn?.record ?? null;
  const calls = decided.map(({ tool, verdict, rule, code, digest }) => ({
    tool,
    verdict,
    rule,
    digest: digest.slice(0, 12),
    ...(code === "" ? {} : { reason: code }),
  }));
  if (record === null) return told("voice", turn === null ? "not_reached" : "waiting", { calls });
  const { voice, by, usage, firstTokenMs, candidates, skipped = [] } = record;
  return told("voice", end === "failed" ? "stopped" : "passed", {
    voice,
    by,
    passed_over: skipped.map(({ by: host, reason }) => ({ by: host, reason })),
    first_token_ms: firstTokenMs === null ? null : Math.round(firstTokenMs),
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cost: usage.costMicros === null ? "unknown" : (usage.costMicros / 1_000_000).toFixed(6),
    candidates: candidates === 0 ? null : `${candidates} proposed, 0 applied`,
    chose: end === "silent" ? "silence" : null,
    calls,
  });
}

function deliveryOf({ turn, parts }: Explanation): Station {
  if (parts.length === 0) return told("delivery", "not_reached", {});
  const open = parts.some(({ state }) => state === "queued" || state === "sending");
  const arrived = parts.some(({ state }) => state === "delivered" || state === "unknown");
  const states = parts.map(({ id, state, reason }) => ({ part: id, state, ...(reason === "" ? {} : { reason }) }));
  const gate = (turn?.gate ?? []).map(({ code, count }) => ({ code, count }));
  return told("delivery", open ? "waiting" : arrived ? "passed" : "stopped", { parts: parts.length, states, gate });
}

/** What would lead elsewhere, for each reason a message was stopped; `%` stands for the decision's own key. */
const CHANGES: Readonly<Record<SuppressReason, string>> = {
  self: "nothing: a character does not answer its own account",
  object: "nothing: objects are not answered",
  system: "nothing: notices of the platform are not answered",
  muted: "unmute the sender on the platform",
  blocked: "take the person off the block list: troupe trust PERSON",
  typing: "nothing: a sign of typing is no message",
  group: "speak in a public place or a direct line",
  malformed: "nothing: the platform handed over no readable message",
  oversized: "send less text at once",
  duplicate: "nothing: the first copy of this delivery was taken",
  reflection: "nothing: it is the runtime's own line coming back",
  ambient: "say the character's name, or write to it directly",
  untrusted: "troupe trust PERSON, or set % wider",
  bot: "nothing: bots are not answered here",
  loop: "a line by a person starts the talk again",
  budget: "wait for the next window, or raise %",
  overflow: "wait until what was said before is answered",
  silent_space: "set % to another mode than silent",
  stale: "say it again: it was too old when it was heard",
  stopped: "resume the characters: troupe resume",
};

const AFTER_END: Readonly<Record<string, string>> = {
  answered: "nothing: it was answered",
  silent: "nothing: the character chose silence",
  refused: "the turn's reason names the rule that refused it",
  failed: "the turn's reason names what failed; if the host did not answer: is it running? its address stands in models.hosts",
  cancelled: "say it again",
  interrupted: "say it again: the process ended twice while it was being answered",
  expired: "say it again: it waited too long",
};

function changeOf({ decision, end }: Explanation): string {
  if (decision.reason === "budget" && decision.key === "") return "wait a moment: a person's commands have a pace of their own";
  if (decision.reason !== null) return CHANGES[decision.reason].replace("%", decision.key);
  return end === null ? "nothing yet: it is being answered" : (AFTER_END[end] ?? "nothing");
}
