import type { MindAnswer, ModelCall } from "../room-simulator/simulated-model.ts";
import type { PlatformLine, TakenPart, Taking } from "../room-simulator/simulated-platform.ts";

/** What a runtime may be able to do or not; a case that needs more than a runtime has does not apply to it. */
export const ABILITIES = [
  /** Hear that a line was deleted or edited. */
  "deletions",
  /** Say why a message was not answered, by gate and configuration key. */
  "explanations",
  /** Refuse a configuration and say where it is wrong. */
  "configuration",
  /** Answer on a command line. */
  "command_line",
  /** Call tools in a character's turn. */
  "tools",
  /** Ask a platform whether a part arrived. */
  "read_back",
  /** Cut text into parts by a function of its own. */
  "splitter",
] as const;
/** One of {@link ABILITIES}. */
export type Ability = (typeof ABILITIES)[number];

/** A platform of a world, as its runtime is to see it. */
export interface WorldPlatform {
  /** A lower-case word. */
  readonly name: string;
  /** UTF-8 bytes of a part, at most; 1,000 by default. */
  readonly maxBytes?: number;
  /** Whether it can tell that it has a part; it can by default. */
  readonly readsBack?: boolean;
  /** Milliseconds between parts in one place beyond a burst of three; 0, no pace at all, by default. */
  readonly everyMs?: number;
  /** How a person's lines are gathered into one turn; each is a turn of its own by default. */
  readonly gathering?: { readonly quietMs: number; readonly holdMs: number; readonly fragments: number };
  /** Names of people who are there, as the platform shows them. */
  readonly people?: readonly string[];
  /** What becomes of a part, by how many came before; it is taken by default. */
  readonly taking?: (part: Pick<TakenPart, "index" | "body">, before: number) => Taking;
}

/** Accounts that the owner of a world trusts, unless it names others. */
export const REGULARS: readonly string[] = ["ann", "ben", "cy", "dot", "eli", "echo", "delta"];

/** What a case plays in: two characters, platforms, a model, and rules. */
export interface World {
  /** By id; each answers to its name. `mirelle` by default. */
  readonly characters?: readonly { readonly id: string; readonly name: string; readonly private?: string }[];
  /** One platform `harbour` by default. */
  readonly platforms?: readonly WorldPlatform[];
  /** The model; it says `Yes.` to everything by default. */
  readonly mind?: (call: ModelCall) => MindAnswer;
  /** Accounts that the owner trusts; {@link REGULARS} by default. Everybody else is a stranger. */
  readonly named?: readonly string[];
  /** Model calls a day for one person, at most; far more than any case makes by default. */
  readonly callsPerDayPerPerson?: number;
  /** A secret of the installation that must never be said. */
  readonly secret?: string;
}

/** What a delivery was acknowledged as. */
export interface Acknowledgement {
  readonly admitted: boolean;
  /** Why not, as the runtime calls it; "" when admitted. */
  readonly reason: string;
}

/** Why a message was answered or not, as the runtime's operator is told. */
export interface Told {
  readonly reason: string;
  readonly gate: string;
  /** The configuration key that decides it; "" where none does. */
  readonly key: string;
}

/** A runtime that runs in a world. Its platforms and their ledgers outlive it. */
export interface LivingRuntime extends AsyncDisposable {
  /** Deliver a line on a platform, `harbour` unless told otherwise; null when the runtime does not acknowledge it before it needs time to pass. */
  deliver(line: PlatformLine, platform?: string): Promise<Acknowledgement | null>;
  /** Take a delivered line away where it was said. Needs `deletions`. An edit is the same delivery with other words: {@link deliver} it. */
  remove(delivery: string, platform?: string): Promise<void>;
  /** Let so much time pass, and everything happen that is due. */
  pass(ms: number): Promise<void>;
  /** Parts that a platform took, in order, repeats included; without the line by which a runtime may introduce itself. */
  sent(platform?: string): readonly TakenPart[];
  /** Every call of the model, with the exact text it got. */
  calls(): readonly ModelCall[];
  /** Whatever runs dies now, and the runtime is started again over what it kept; unacknowledged lines are delivered again. */
  restart(): Promise<void>;
  /** Lines of the runtime's own log so far. */
  log(): readonly string[];
  /** What operators were told of, by the runtime's own codes. */
  notices(): readonly string[];
  /** The text of its configuration file as it stands now. */
  configuration(): string;
  /** Why a delivery fared as it did. */
  why(delivery: string, platform?: string): Told | null;
}

/** What a command line came to. */
export interface CommandRun {
  readonly exitCode: number;
  readonly output: string;
  readonly processorMs: number;
}

/** What a runtime offers beside living in a world. */
export interface RuntimeUnderTest {
  readonly name: string;
  /** What it cannot do, with the reason in words. */
  readonly lacks: Readonly<Partial<Record<Ability, string>>>;
  /** Start it in a world of its own. */
  open(world: World, signal: AbortSignal): Promise<LivingRuntime>;
  /** Problems of a configuration, each in words with its place; empty when it is good. Needs `configuration`. */
  checkConfiguration(text: string): readonly string[];
  /** An example configuration that is good. */
  readonly goodConfiguration: string;
  /**
   * Run a command line; gives its exit code, what it printed, and the milliseconds of processor time it took: what it takes on a
   * machine that does nothing else. Needs `command_line`.
   */
  runCommand(words: readonly string[], signal: AbortSignal): Promise<CommandRun>;
  /** Cut a text into parts of at most so many UTF-8 bytes. Needs `splitter`. @throws RangeError for a limit that can hold no character. */
  split(text: string, maxBytes: number): readonly string[];
}
