import type { PlatformLine, TakenPart } from "../room-simulator/simulated-platform.ts";
import type { Ability, LivingRuntime, RuntimeUnderTest, World } from "./runtime-under-test.ts";

/** What a case's play has at hand. */
export interface Play {
  readonly runtime: RuntimeUnderTest;
  /** Start the runtime in a world; it is ended with the case. */
  readonly open: (world?: World) => Promise<LivingRuntime>;
  readonly signal: AbortSignal;
}

/** One case of the suite: a public report, turned into a play with one right outcome. */
export interface ConformanceCase {
  /** Its number in section A of the collected cases. */
  readonly number: number;
  /** The right outcome, in words. */
  readonly outcome: string;
  readonly needs: readonly Ability[];
  /** Play it. @throws whatever a failed assertion throws. */
  readonly play: (play: Play) => Promise<void>;
}

/** Make a case that any runtime is able to play. */
export function conformanceCase(
  number: number,
  outcome: string,
  play: ConformanceCase["play"],
  needs: readonly Ability[] = [],
): ConformanceCase {
  return { number, outcome, needs, play };
}

let deliveries = 0;

/** A public line to Mirelle from `from`, with a delivery id of its own. */
export function line(from: string, text: string, more: Partial<PlatformLine> = {}): PlatformLine {
  deliveries += 1;
  return { delivery: `d${deliveries}`, from, text, ...more };
}

/** A line from `from` in the direct line with Mirelle. */
export function whisper(from: string, text: string, more: Partial<PlatformLine> = {}): PlatformLine {
  return line(from, text, { direct: "mirelle", ...more });
}

/** The bodies of parts, in order. */
export function bodies(parts: readonly TakenPart[]): readonly string[] {
  return parts.map(({ body }) => body);
}

/** The inputs of calls that answer a line which holds `text`. */
export function inputsFor(runtime: LivingRuntime, text: string): readonly string[] {
  return runtime.calls().flatMap(({ heard, input }) => (heard.includes(text) ? [input] : []));
}
