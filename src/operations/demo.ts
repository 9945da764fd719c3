import { z } from "zod";
import type { Declared } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Result of `demo`: the exit code it came to. */
export interface DemoAnswer {
  readonly passed: boolean;
}

/** `troupe demo`. */
export const demo: Declared<Record<string, never>, DemoAnswer> = declare<Record<string, never>, DemoAnswer>({
  name: "demo",
  summary: "play a scene unattended, kill the process in the middle, and count what leaked or was said twice",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ passed: z.boolean() }),
  // It tells its steps while it plays; nothing is left to say.
  render: () => [],
  exit: ({ passed }) => (passed ? "done" : "failed"),
});
