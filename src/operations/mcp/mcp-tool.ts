import { z } from "zod";
import type { McpClient } from "./mcp-clients.ts";

/** A tool as a client's program may call it. */
export interface McpTool {
  readonly name: string;
  /** Fixed words of ours: nobody else's stand in a description (SE-082). */
  readonly description: string;
  /** The schema of its arguments, as the protocol writes it. */
  readonly inputSchema: unknown;
  /** Whether it only asks a person for something. */
  readonly proposes: boolean;
  /** Whether a client has it; to all others it is not there. */
  open(client: McpClient): boolean;
  /** The checked arguments; null for what it does not take. */
  check(args: unknown): object | null;
  /** Run it with arguments of {@link check}. Gives plain data, in which others' words are fields with their author. */
  run(args: unknown, client: McpClient, signal: AbortSignal): Promise<unknown>;
}

/** What a tool is made of. */
export interface McpToolParts<Args extends object> {
  readonly name: string;
  readonly description: string;
  readonly arguments: z.ZodType<Args>;
  readonly proposes?: boolean;
  readonly open?: (client: McpClient) => boolean;
  readonly run: (args: Args, client: McpClient, signal: AbortSignal) => Promise<unknown>;
}

/** Make a tool: its arguments are checked by the one schema that clients are shown. */
export function mcpTool<Args extends object>(parts: McpToolParts<Args>): McpTool {
  const { name, description, open = () => true } = parts;
  const schema: z.ZodType<Args> = parts.arguments;
  return {
    name,
    description,
    inputSchema: z.toJSONSchema(schema, { io: "input" }),
    proposes: parts.proposes === true,
    open,
    check(args) {
      const parsed = schema.safeParse(args);
      return parsed.success ? parsed.data : null;
    },
    run: (args, client, signal) => parts.run(schema.parse(args), client, signal),
  };
}
