import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { line, toned } from "../foundation/line.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Declared, Operation } from "./operation.ts";
import { OPERATORS_LINE, OWNER_ONLY, declare } from "./operation.ts";

/** By which way everything was brought to a stand. */
export type HaltVia = "command" | "signal" | "file";

/** Result of `halt`. */
export interface HaltAnswer {
  /** Messages and turns that ended with it. */
  readonly ended: number;
}

/** Result of `rearm`. */
export interface RearmAnswer {
  readonly rearmed: true;
}

/** What brings everything to a stand, and takes it up again. */
export interface HaltLedger {
  halt(row: { readonly by: PrincipalId; readonly via: HaltVia; readonly atMs: number }): Promise<{ readonly ended: number }>;
  rearm(row: { readonly by: PrincipalId; readonly atMs: number }): Promise<{ readonly rearmed: boolean }>;
  /** Whether the file lies there that would halt it again at once. */
  fileThere(): boolean;
}

/** `troupe halt` (TR-073). */
export const halt: Declared<{ readonly via?: HaltVia | undefined }, HaltAnswer> = declare<
  { readonly via?: HaltVia | undefined },
  HaltAnswer
>({
  name: "halt",
  summary: "stop everything at once: turns, waiting messages, open questions; only rearm undoes it",
  arguments: z.strictObject({ via: z.enum(["command", "signal", "file"]).optional().describe("by which way it came, for the audit") }),
  positional: [],
  who: OPERATORS_LINE,
  result: z.object({ ended: z.int() }),
  render: ({ ended }) => [
    toned("bad", line`Halted: ${ended} messages and turns were ended, and nothing begins, also after a restart.`),
    line`To go on: troupe rearm, at this computer's terminal.`,
  ],
});

/** `troupe rearm`: at the terminal alone, never from a page. */
export const rearm: Declared<Record<string, never>, RearmAnswer> = declare<Record<string, never>, RearmAnswer>({
  name: "rearm",
  summary: "go on after halt; only at this computer's terminal",
  arguments: z.strictObject({}),
  positional: [],
  who: { ...OWNER_ONLY, terminal: true },
  result: z.object({ rearmed: z.literal(true) }),
  render: () => [toned("good", line`Going on: from the next message there are answers again.`)],
});

/** Bind both. */
export function bindHalt(ledger: HaltLedger, clock: Clock): readonly Operation[] {
  return [
    halt.bind(async ({ via = "command" }, { actor }) => await ledger.halt({ by: actor.principal, via, atMs: clock.nowMs() })),
    rearm.bind(async (_, { actor }) => {
      if (ledger.fileThere())
        throw new RuntimeError("usage", "Cannot go on: the file named halt still lies in the state folder; remove it first");
      const { rearmed } = await ledger.rearm({ by: actor.principal, atMs: clock.nowMs() });
      if (!rearmed) throw new RuntimeError("not_found", "Cannot go on: nothing is halted");
      return { rearmed };
    }),
  ];
}
