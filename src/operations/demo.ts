import { z } from "zod";
import type { Declared } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Result of `demo`: what a program reads. */
export interface DemoAnswer {
  /** Whether nothing leaked, nothing was lost and nothing was said twice. */
  readonly passed: boolean;
  /** What did not hold, one sentence each. */
  readonly failures: readonly string[];
  readonly tookMs: number;
  /** Counts of what was seen, by name. */
  readonly facts: Readonly<Record<string, number>>;
  /** The road of each message, as `why` tells it; `line` names the scene's line. */
  readonly roads: readonly Readonly<Record<string, string | number>>[];
  /** Not played: what the stand-in answers where everyone shares one history. */
  readonly recordedWithOneSharedHistory: readonly { readonly said: string; readonly private: boolean; readonly answered: string }[];
}

/** `troupe demo`. */
export const demo: Declared<Record<string, never>, DemoAnswer> = declare<Record<string, never>, DemoAnswer>({
  name: "demo",
  summary: "play a scene unattended, kill the process in the middle, and count what leaked or was said twice",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    passed: z.boolean(),
    failures: z.array(z.string()),
    tookMs: z.number(),
    facts: z.record(z.string(), z.number()),
    roads: z.array(z.record(z.string(), z.union([z.string(), z.number()]))),
    recordedWithOneSharedHistory: z.array(z.object({ said: z.string(), private: z.boolean(), answered: z.string() })),
  }),
  // It tells its steps while it plays; nothing is left to say.
  render: () => [],
  exit: ({ passed }) => (passed ? "done" : "failed"),
});
