import { z } from "zod";
import { HOOK_NAMES } from "../../vocabulary/calls/hook-event.ts";
import { key } from "./key.ts";
import type { RawHook } from "./raw-config.ts";
import { later, line, name, whole } from "./schema-parts.ts";

/** Hooks of one configuration: each has a thread of its own. */
export const MAX_HOOKS = 8;

const hook = z.strictObject({
  file: key(
    line(1_024),
    later("Its file: one JavaScript module that exports a function and imports nothing. Relative to the configuration file."),
  ),
  sha256: key(
    z.string().regex(/^[0-9a-f]{64}$/, "must be the file's SHA-256, 64 digits of 0-9 a-f; troupe check shows it"),
    later("SHA-256 of exactly this file: only these bytes are run. `troupe check` shows it."),
  ),
  events: key(
    z.array(z.enum(HOOK_NAMES)).min(1).max(HOOK_NAMES.length),
    later("What it hears: " + HOOK_NAMES.map((one) => `\`${one}\``).join(", ") + "."),
  ),
  required: key(
    z.boolean().optional(),
    later("Whether every call is denied while it cannot be loaded.", { otherwise: "`true` for one that hears `before_tool_call`" }),
  ),
  deadline_ms: key(
    whole(10, 10_000).default(1_000),
    later("Milliseconds that it may take over one event; then it is ended, and a call it was asked about denied."),
  ),
});

/** The operator's own code that hears turns with tools (CH-087). */
export const hooks: z.ZodType<Record<string, RawHook>> = key(
  z.record(name(), hook).default({}),
  later(`Code of your own that hears turns with tools and may act on them, by a short name each, in their order, at most ${MAX_HOOKS}.`),
);
