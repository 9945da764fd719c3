import { CHUNKING_CASES } from "./cases/chunking.ts";
import { CONTEXT_CASES } from "./cases/context.ts";
import { COST_CASES } from "./cases/cost.ts";
import { DURABILITY_CASES } from "./cases/durability.ts";
import { LOOP_CASES } from "./cases/loops.ts";
import { QUEUE_CASES } from "./cases/queues.ts";
import { SPEECH_CASES } from "./cases/speech.ts";
import type { ConformanceCase } from "./case.ts";
import type { RuntimeUnderTest } from "./runtime-under-test.ts";

/** How a runtime fared in one case. */
export interface CaseScore {
  /** `A<number>`. */
  readonly case: string;
  /** The right outcome. */
  readonly outcome: string;
  readonly result: "pass" | "fail" | "not_applicable";
  /** Why it failed or does not apply; "" when it passed. */
  readonly why: string;
}

/** How a runtime fared in all cases. */
export interface Score {
  readonly runtime: string;
  readonly passed: number;
  readonly failed: number;
  readonly notApplicable: number;
  readonly cases: readonly CaseScore[];
}

/** Every case, in order of its number. */
export const CONFORMANCE_CASES: readonly ConformanceCase[] = [
  ...LOOP_CASES,
  ...CONTEXT_CASES,
  ...SPEECH_CASES,
  ...DURABILITY_CASES,
  ...QUEUE_CASES,
  ...CHUNKING_CASES,
  ...COST_CASES,
].toSorted((a, b) => a.number - b.number);

/** Why a case does not apply to a runtime; null when it does. */
export function notApplicable(runtime: RuntimeUnderTest, { needs }: ConformanceCase): string | null {
  const lacking = needs.flatMap((ability) => runtime.lacks[ability] ?? []);
  return lacking.length === 0 ? null : lacking.join("; ");
}

/** Play one case and end every runtime it started. @throws whatever a failed assertion throws. */
export async function playCase(runtime: RuntimeUnderTest, one: ConformanceCase, signal: AbortSignal): Promise<void> {
  await using opened = new AsyncDisposableStack();
  await one.play({ runtime, signal, open: async (world = {}) => opened.use(await runtime.open(world, signal)) });
}

/**
 * Play every case against a runtime, one after the other, and score it: one line a case. `only` names the numbers of the cases to
 * play, where not all are wanted.
 */
export async function runConformance(
  runtime: RuntimeUnderTest,
  signal: AbortSignal,
  options: { readonly only?: readonly number[] } = {},
): Promise<Score> {
  const cases: CaseScore[] = [];
  for (const one of CONFORMANCE_CASES.filter(({ number }) => options.only?.includes(number) ?? true)) {
    signal.throwIfAborted();
    cases.push(await scoreCase(runtime, one, signal));
  }
  const count = (result: CaseScore["result"]): number => cases.filter((one) => one.result === result).length;
  return { runtime: runtime.name, passed: count("pass"), failed: count("fail"), notApplicable: count("not_applicable"), cases };
}

async function scoreCase(runtime: RuntimeUnderTest, one: ConformanceCase, signal: AbortSignal): Promise<CaseScore> {
  const score = { case: `A${one.number}`, outcome: one.outcome };
  const lacking = notApplicable(runtime, one);
  if (lacking !== null) return { ...score, result: "not_applicable", why: lacking };
  try {
    await playCase(runtime, one, signal);
    return { ...score, result: "pass", why: "" };
  } catch (error) {
    return { ...score, result: "fail", why: error instanceof Error ? (error.message.split("\n")[0] ?? "") : "it threw no error" };
  }
}
