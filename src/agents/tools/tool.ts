import type { z } from "zod";
import { parseBareJson, stripPrototypes } from "../../foundation/bare-json.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { ActionFacts } from "../../vocabulary/calls/authorized-action.ts";
import type { CallFacts, ToolDefinition } from "../../vocabulary/calls/tool-definition.ts";

/** What a tool gives back: its result for the model. */
export interface ToolOutput {
  readonly text: string;
  readonly failed: boolean;
}

/** A tool as it is written: what the authority judges, the schema of its arguments, and what it does. */
export interface ToolSpec<Args> extends Omit<ToolDefinition, "check" | "foretell" | "parameters"> {
  /** A strict object. */
  readonly arguments: z.ZodType<Args>;
  readonly parameters: ToolDefinition["parameters"];
  /** What else is to be judged of these arguments. */
  readonly facts?: (args: Args) => CallFacts;
  /** What follows from them, reckoned at a moment, for the card. */
  readonly foretells?: (args: Args, nowMs: number) => readonly string[];
  /** Do it. It gets nothing but what was judged, and must heed the signal. */
  readonly run: (args: Args, action: ActionFacts, signal: AbortSignal) => Promise<ToolOutput>;
}

/** A tool whose body nothing reaches but {@link runTool}, which only an authorised action's facts come to. */
export class Tool {
  readonly definition: ToolDefinition;
  readonly #body: (value: unknown, action: ActionFacts, signal: AbortSignal) => Promise<ToolOutput>;

  constructor(definition: ToolDefinition, body: (value: unknown, action: ActionFacts, signal: AbortSignal) => Promise<ToolOutput>) {
    this.definition = definition;
    this.#body = body;
  }

  /** Run the body on arguments as they were judged. Only the toolbox calls this, with facts that it got by spending an action. */
  static run(tool: Tool, action: ActionFacts, signal: AbortSignal): Promise<ToolOutput> {
    if (!(#body in tool)) throw new RuntimeError("forged", "Cannot run a tool: it is none");
    return tool.#body(parseBareJson(action.argumentsText), action, signal);
  }
}

/** Declare a tool. */
export function defineTool<Args>(spec: ToolSpec<Args>): Tool {
  const { arguments: schema, facts, foretells, run, ...rest } = spec;
  const foretell = (value: unknown, nowMs: number): readonly string[] => {
    const parsed = schema.safeParse(value);
    return parsed.success ? (foretells?.(stripPrototypes(parsed.data), nowMs) ?? []) : [];
  };
  const definition: ToolDefinition = Object.freeze({
    ...rest,
    ...(foretells === undefined ? {} : { foretell }),
    check: (value: unknown): CallFacts | null => {
      const parsed = schema.safeParse(value);
      return parsed.success ? (facts?.(stripPrototypes(parsed.data)) ?? {}) : null;
    },
  });
  return new Tool(definition, (value, action, signal) => {
    const parsed = schema.safeParse(value);
    if (!parsed.success) throw new RuntimeError("invalid_argument", "Cannot run a tool: its arguments are not of its schema");
    return run(stripPrototypes(parsed.data), action, signal);
  });
}
