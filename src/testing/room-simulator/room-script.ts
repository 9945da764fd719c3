import { createRandom } from "./random.ts";
import type { Random } from "./random.ts";
import type { PlatformLine } from "./simulated-platform.ts";

/** People who behave alike. */
export interface PeopleGroup {
  /** A lower-case word; its people are `<group>1`, `<group>2`, … */
  readonly group: string;
  readonly count: number;
  /** `named` people are trusted by the owner; `guest` is a free identity. */
  readonly standing: "named" | "guest";
  /** Thoughts of each person; one may be several lines. */
  readonly messages: number;
  /** Milliseconds between two thoughts of a person, on average. */
  readonly everyMs: number;
  /** Milliseconds after the beginning before which they have not come; each comes at some moment within `everyMs` of it. */
  readonly arriveMs?: number;
  /** Share of thoughts said in a direct line; the others are said in public. */
  readonly directShare?: number;
  /** Share of thoughts that are said in two to four lines, a third of a second apart. */
  readonly fragmentShare?: number;
  /** Share of thoughts in public that speak to nobody. */
  readonly ambientShare?: number;
  /** Share of lines that the platform delivers again with other words, as an edit. */
  readonly editShare?: number;
}

/** Bots that answer whatever the character says in public, and speak to it. */
export interface BotGroup {
  /** How many bots stand in the ring beside the character; 1 makes a pair. */
  readonly ring: number;
  /** Whether the platform marks them as bots. */
  readonly marked: boolean;
  /** Milliseconds a bot takes to answer. */
  readonly afterMs: number;
  /** Rounds after which the script itself ends them, so that a run ends with any runtime. */
  readonly maxRounds: number;
}

/** What the way between a platform and the runtime does to deliveries. */
export interface Losses {
  /** Share of lines that are delivered twice at once. */
  readonly duplicateShare?: number;
  /** Share of lines whose acknowledgement is lost: they are delivered again five seconds later. */
  readonly lostAckShare?: number;
}

/** A line with the moment at which it is delivered. */
export interface ScriptStep {
  readonly atMs: number;
  readonly platform: string;
  readonly group: string;
  readonly line: PlatformLine;
  /** Whether it is delivered a further time: no message of its own. */
  readonly again: boolean;
  /** Number of the thought it belongs to, from 0: the lines of one thought share it. */
  readonly thought: number;
}

/** What a script is made from. */
export interface ScriptOptions {
  readonly seed: number;
  readonly platforms: readonly string[];
  readonly people: readonly PeopleGroup[];
  readonly losses?: Losses;
}

const CHARACTER = "mirelle";
const FRAGMENT_EVERY_MS = 330;
const REDELIVERED_AFTER_MS = 5_000;
const TOPICS = ["the ferry", "the lamp on the quay", "soup", "the fog", "your brother's boat", "the rent", "a room for the night"] as const;

/** Write the script of a room: the same options give the same steps, in order of time. */
export function writeScript(options: ScriptOptions): readonly ScriptStep[] {
  const steps: ScriptStep[] = [];
  let thought = 0;
  for (const [at, group] of options.people.entries()) {
    for (let number = 1; number <= group.count; number += 1) {
      // A person's words hang on the seed, the group and the number alone: one more group changes nobody else.
      const random = createRandom(options.seed * 1_000_003 + at * 65_537 + number);
      const person = { group, from: `${group.group}${number}`, platform: random.pick(options.platforms) };
      for (const lines of thoughtsOf(person, random)) {
        for (const step of lines) steps.push({ ...step, thought });
        thought += 1;
      }
    }
  }
  const random = createRandom(options.seed + 1);
  return [...steps, ...lost(steps, options.losses ?? {}, random)].toSorted((a, b) => a.atMs - b.atMs);
}

interface Person {
  readonly group: PeopleGroup;
  readonly from: string;
  readonly platform: string;
}

type Step = Omit<ScriptStep, "thought">;

function thoughtsOf(person: Person, random: Random): readonly (readonly Step[])[] {
  const { group } = person;
  const thoughts: Step[][] = [];
  let atMs = (group.arriveMs ?? 0) + random.below(Math.max(1, group.everyMs));
  for (let number = 0; number < group.messages; number += 1) {
    thoughts.push(linesOf(person, `${person.from}-${number}`, Math.round(atMs), random));
    atMs += group.everyMs * (0.5 + random.next());
  }
  return thoughts;
}

function linesOf(person: Person, id: string, atMs: number, random: Random): Step[] {
  const { group, from, platform } = person;
  const direct = random.chance(group.directShare ?? 0);
  const ambient = !direct && random.chance(group.ambientShare ?? 0);
  const pieces = random.chance(group.fragmentShare ?? 0) ? 2 + random.below(3) : 1;
  const steps: Step[] = [];
  for (let piece = 0; piece < pieces; piece += 1) {
    const topic = random.pick(TOPICS);
    const text = ambient ? `they say ${topic} is no more (${id}.${piece})` : `Mirelle, tell me of ${topic} (${id}.${piece})`;
    const line: PlatformLine = {
      delivery: `${id}.${piece}`,
      from,
      text,
      ...(group.standing === "guest" ? { free: true } : {}),
      ...(direct ? { direct: CHARACTER } : {}),
    };
    const at = atMs + piece * FRAGMENT_EVERY_MS;
    steps.push({ atMs: at, platform, group: group.group, line, again: false });
    if (random.chance(group.editShare ?? 0)) {
      steps.push({ atMs: at + 700, platform, group: group.group, line: { ...line, text: `${text}, I mean` }, again: true });
    }
  }
  return steps;
}

function lost(steps: readonly ScriptStep[], losses: Losses, random: Random): readonly ScriptStep[] {
  return steps.flatMap((step) => {
    const twice = random.chance(losses.duplicateShare ?? 0);
    const late = random.chance(losses.lostAckShare ?? 0);
    return [
      ...(twice ? [{ ...step, again: true }] : []),
      ...(late ? [{ ...step, again: true, atMs: step.atMs + REDELIVERED_AFTER_MS }] : []),
    ];
  });
}
