import { z } from "zod";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { HookName } from "../vocabulary/calls/hook-event.ts";
import { HOOK_NAMES } from "../vocabulary/calls/hook-event.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** A hook, and what it said lately. */
export interface HookView {
  readonly name: string;
  readonly file: string;
  readonly sha256: string;
  readonly events: readonly HookName[];
  readonly required: boolean;
  readonly deadlineMs: number;
  /** Why it is not heard; null while it is. */
  readonly why: string | null;
  /** Its newest words to the operator, oldest first. */
  readonly words: readonly string[];
}

/** Result of `hooks`. */
export interface HooksAnswer {
  readonly hooks: readonly HookView[];
}

/** Where hooks are held. */
export interface HooksDesk {
  view(): readonly HookView[];
}

/** `troupe hooks`: the operator's own code that hears turns with tools, and its words (CH-084, CH-093). */
export const hooks: Declared<Record<string, never>, HooksAnswer> = declare<Record<string, never>, HooksAnswer>({
  name: "hooks",
  summary: "see your own hooks, whether each is heard, and what they told you",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({
    hooks: z.array(
      z.object({
        name: z.string(),
        file: z.string(),
        sha256: z.string(),
        events: z.array(z.enum(HOOK_NAMES)),
        required: z.boolean(),
        deadlineMs: z.number(),
        why: z.string().nullable(),
        words: z.array(z.string()),
      }),
    ),
  }),
  render: ({ hooks: all }) =>
    all.length === 0 ? [line`There are no hooks. docs/guides/hooks.md tells how to write one.`] : all.flatMap(linesOf),
});

function linesOf({ name, file, events, required, why, words }: HookView): readonly Line[] {
  const word = required ? "required" : "not required";
  return [
    why === null
      ? toned("strong", line`${printable(name)} hears ${printable(events.join(", "), 300)} (${printable(word)})`)
      : toned("bad", line`${printable(name)} is not heard (${printable(word)}): ${printable(why)}`),
    line`  ${printable(file, 200)}`,
    ...(why !== null && required ? [line`  Every call of a tool is denied until it is.`] : []),
    ...words.map((one) => line`  says: ${printable(one)}`),
  ];
}

/** Bind it to the hooks of this process. */
export function bindHooks(desk: HooksDesk): Operation {
  return hooks.bind(() => Promise.resolve({ hooks: desk.view() }));
}
