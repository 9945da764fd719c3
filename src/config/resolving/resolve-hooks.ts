import { resolve } from "node:path";
import type { HookName } from "../../vocabulary/calls/hook-event.ts";
import { MAX_HOOKS } from "../schema/hooks-schema.ts";
import type { RawConfig } from "../schema/raw-config.ts";
import type { Report } from "./resolve-config.ts";

/** A file of the operator's own that hears turns with tools. */
export interface HookConfig {
  readonly name: string;
  /** Absolute. */
  readonly file: string;
  readonly sha256: string;
  readonly events: readonly HookName[];
  /** Whether every call is denied while it cannot be loaded (CH-084). */
  readonly required: boolean;
  readonly deadlineMs: number;
}

/** Make the hooks of what the file says, in its order. Whether each can be loaded is found at the start: then it need not end the runtime. */
export function resolveHooks({ hooks }: Pick<RawConfig, "hooks">, directory: string, report: Report): readonly HookConfig[] {
  const entries = Object.entries(hooks);
  if (entries.length > MAX_HOOKS) report(["hooks"], `must be at most ${MAX_HOOKS}`);
  return entries.map(([name, { file, sha256, events, required, deadline_ms: deadlineMs }]) => ({
    name,
    file: resolve(directory, file),
    sha256,
    events,
    required: required ?? events.includes("before_tool_call"),
    deadlineMs,
  }));
}
