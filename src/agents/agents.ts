import type { Tool } from "./tools/tool.ts";
import type { Toolbox } from "./tools/toolbox.ts";
import { createToolbox } from "./tools/toolbox.ts";

/** What works for operators with tools. */
export interface Agents {
  readonly toolbox: Toolbox;
}

/** Open it over its tools. @throws RuntimeError `invalid_argument`, `capacity` */
export function openAgents({ tools }: { readonly tools: readonly Tool[] }): Agents {
  return { toolbox: createToolbox(tools) };
}
