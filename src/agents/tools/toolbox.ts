import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { AuthorizedAction } from "../../vocabulary/calls/authorized-action.ts";
import { spendAction } from "../../vocabulary/calls/authorized-action.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import { definitionDigest } from "../../vocabulary/calls/definition-digest.ts";
import type { ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";
import type { ToolOutput } from "./tool.ts";
import { Tool } from "./tool.ts";

/** Every tool there is, and the one way to run one. */
export interface Toolbox {
  /** In the order of their names. */
  readonly definitions: readonly ToolDefinition[];
  /** Use an action up and do what it allows (SE-084). @throws RuntimeError `forged`; before any body was entered. */
  run(action: AuthorizedAction, signal: AbortSignal): Promise<ToolOutput>;
}

/** Put tools together. @throws RuntimeError `invalid_argument` for two of one name, `capacity` for too many (MC-040). */
export function createToolbox(tools: readonly Tool[]): Toolbox {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  if (byName.size !== tools.length) throw new RuntimeError("invalid_argument", "Cannot take these tools: two have one name");
  if (byName.size > CEILINGS.tools) throw new RuntimeError("capacity", `Cannot take these tools: at most ${CEILINGS.tools} are allowed`);
  const digests = new Map(tools.map(({ definition }) => [definition.name, definitionDigest(definition)]));
  return {
    definitions: tools.map(({ definition }) => definition).toSorted((one, other) => (one.name < other.name ? -1 : 1)),
    async run(action, signal) {
      // A turn that was cut short begins nothing more.
      throwIfAborted(signal);
      const facts = spendAction(action);
      const tool = byName.get(facts.tool);
      if (tool === undefined || digests.get(facts.tool) !== facts.definition)
        throw new RuntimeError("forged", "Cannot run a call: its tool is not the one that was judged");
      return await Tool.run(tool, facts, signal);
    },
  };
}
