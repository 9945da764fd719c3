import type { ScriptStep } from "./room-script.ts";
import type { TakenPart } from "./simulated-platform.ts";

/** What became of one message of the script. */
export interface MessageFate {
  readonly delivery: string;
  readonly platform: string;
  readonly person: string;
  readonly group: string;
  readonly direct: boolean;
  readonly saidAtMs: number;
  /** An end state of the road, `suppressed`, `open`, or `lost` when it was neither acknowledged nor kept. */
  readonly fate: string;
  /** Why, as a code; "" where there is nothing to say. */
  readonly reason: string;
  /** The turn that answered it; null when none did. Messages of one turn share it. */
  readonly turn: string | null;
  /** Milliseconds from being said to the first part of its answer; null without one. */
  readonly answeredAfterMs: number | null;
  /** Earlier lines of the same person that the model had before it when it was last asked this one; null when it never was. */
  readonly remembered: number | null;
}

/** How one person fared. */
export interface PersonReport {
  readonly person: string;
  readonly group: string;
  readonly said: number;
  readonly answered: number;
  /** Milliseconds; null when nothing was answered. */
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
}

/** What the order of parts is told by. */
type PlacedPart = Pick<TakenPart, "part" | "turn" | "index" | "place">;

/** A whole run as data. */
export interface RoomReport {
  readonly seed: number;
  readonly messages: readonly MessageFate[];
  readonly people: readonly PersonReport[];
  /** Messages by what became of them. */
  readonly fates: Readonly<Record<string, number>>;
  /** Suppressed messages by reason. */
  readonly suppressed: Readonly<Record<string, number>>;
  /** Deliveries, copies among them. */
  readonly deliveries: number;
  readonly parts: number;
  /** Parts that a platform took more than once: their ids. */
  readonly partsTwice: readonly string[];
  /** What broke the order of parts or of answers, in words. */
  readonly orderViolations: readonly string[];
  readonly restarts: number;
  readonly modelCalls: number;
  /** Model calls that were open at the same time, at most. */
  readonly modelCallsAtOnce: number;
  /** Millionths of a currency in which a million tokens cost one. */
  readonly spendMicros: number;
  /** Fixed texts that went out in a character's place. */
  readonly fixedTexts: number;
  /** What operators were told of: the code of each notice, in order. */
  readonly notices: readonly string[];
}

/** Latency at a share of the sorted values; null for none. */
export function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? null;
}

/** How each person fared, in the order in which they first spoke. */
export function reportPeople(messages: readonly MessageFate[]): readonly PersonReport[] {
  const byPerson = Map.groupBy(messages, ({ person }) => person);
  return [...byPerson].map(([person, own]) => {
    const latencies = own.flatMap(({ answeredAfterMs }) => (answeredAfterMs === null ? [] : [answeredAfterMs]));
    return {
      person,
      group: own[0]?.group ?? "",
      said: own.length,
      answered: latencies.length,
      p50Ms: percentile(latencies, 0.5),
      p95Ms: percentile(latencies, 0.95),
    };
  });
}

/** How often each word stands there. */
export function countWords(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

/** Ids of parts that stand in a ledger more than once. */
export function partsTwice(ledger: readonly Pick<TakenPart, "part">[]): readonly string[] {
  const seen = new Set<string>();
  return ledger.flatMap(({ part }) => (seen.has(part) || !seen.add(part) ? [part] : []));
}

/**
 * What breaks the order in the ledger of a platform: parts of a turn that another turn's parts of the same place interrupt, parts
 * that go backwards, and answers to a person in a place that overtake each other.
 */
export function orderViolations(ledger: readonly TakenPart[], messages: readonly MessageFate[]): readonly string[] {
  return [...brokenTurns(ledger), ...overtakenTurns(ledger, messages)];
}

/** What breaks the order of parts: another turn's parts between those of a turn in its place, and parts that go backwards. */
export function brokenTurns(ledger: readonly PlacedPart[]): readonly string[] {
  const last = new Map<string, PlacedPart>();
  const over = new Set<string>();
  return ledger.flatMap((part) => {
    const before = last.get(part.place);
    last.set(part.place, part);
    if (before !== undefined && before.turn !== part.turn) over.add(before.turn);
    if (over.has(part.turn)) return [`part ${part.part} came after another turn had spoken in its place`];
    const backwards = before?.turn === part.turn && part.index < before.index;
    return backwards ? [`part ${part.part} came after part ${before.part}`] : [];
  });
}

function overtakenTurns(ledger: readonly TakenPart[], messages: readonly MessageFate[]): readonly string[] {
  const firstOf = new Map<string, { readonly person: string; readonly at: number }>();
  for (const [at, { turn, person }] of messages.entries()) {
    if (turn !== null && !firstOf.has(turn)) firstOf.set(turn, { person, at });
  }
  const reached = new Map<string, number>();
  const spoken = new Set<string>();
  return ledger.flatMap(({ turn, place }) => {
    const first = firstOf.get(turn);
    if (first === undefined || spoken.has(turn)) return [];
    spoken.add(turn);
    const lane = `${place}\n${first.person}`;
    const latest = reached.get(lane) ?? -1;
    reached.set(lane, Math.max(first.at, latest));
    return first.at < latest ? [`turn ${turn} was overtaken by a later message of its person`] : [];
  });
}

/** Steps that are messages of their own: copies and edits are not. */
export function messagesOf(steps: readonly ScriptStep[]): readonly ScriptStep[] {
  return steps.filter(({ again }) => !again);
}
