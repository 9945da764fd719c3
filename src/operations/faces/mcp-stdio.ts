import type { Readable, Writable } from "node:stream";
import { RuntimeError } from "../../foundation/errors.ts";
import { MAX_MCP_BYTES, rpcError } from "../mcp/json-rpc.ts";
import { mcpMessage } from "../mcp/mcp-operations.ts";
import { readLines } from "./json-lines.ts";
import type { LocalClient } from "./local-client.ts";

/** What the standard streams of `troupe mcp` are carried by. */
export interface McpStdioNeeds {
  readonly input: Readable;
  readonly output: Writable;
  readonly client: Pick<LocalClient, "run">;
  readonly token: string;
}

/**
 * Carry messages, one a line, to the running process and its answers back, one after another, until the input ends.
 * @throws RuntimeError `forbidden` for a token that is nobody's, `not_running` when the process ends meanwhile, `usage` for a line that is far too long.
 */
export async function serveMcpStdio({ input, output, client, token }: McpStdioNeeds, signal: AbortSignal): Promise<void> {
  const stop = (): void => void input.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    for await (const message of readLines(input, 4 * MAX_MCP_BYTES)) {
      if (message.trim() === "") continue;
      if (Buffer.byteLength(message) > MAX_MCP_BYTES) {
        output.write(`${JSON.stringify(rpcError(null, "too_long"))}\n`);
        continue;
      }
      const reply = mcpMessage.parse(await client.run(mcpMessage.name, { token, message }, signal));
      if (reply.kind === "stranger")
        throw new RuntimeError("forbidden", "Cannot speak MCP: that token is no client's; troupe mcp add NAME makes one");
      if (reply.kind === "answer") output.write(`${reply.text}\n`);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
