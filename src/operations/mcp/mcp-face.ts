import { z } from "zod";
import { canonicalDigest } from "../../foundation/canonical-json.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { RateLimiter } from "../../foundation/rate-limiter.ts";
import type { McpClient, McpClients } from "./mcp-clients.ts";
import type { McpTool } from "./mcp-tool.ts";
import type { RpcAnswer, RpcId } from "./json-rpc.ts";
import { MCP_VERSIONS, readRpc, rpcError, rpcResult } from "./json-rpc.ts";

/** One call for the decision log: ids and codes only. */
export interface McpCall {
  readonly client: McpClient;
  readonly tool: string;
  readonly digest: string;
  /** Whether it asks a person for something. */
  readonly asks: boolean;
  /** False for what is not there for this client, or does not take what it was given. */
  readonly known: boolean;
}

/** What a call came to once its budgets were charged. */
export type McpVerdict = "allow" | "too_many" | "stopped";

/** What the face stands on. */
export interface McpFaceNeeds {
  readonly clock: Clock;
  readonly log: Pick<Log, "failure">;
  readonly version: string;
  readonly clients: Pick<McpClients, "knows">;
  readonly tools: readonly McpTool[];
  /** Charge a call to its client's own budget and note it, before it does anything. */
  judge(call: McpCall): Promise<McpVerdict>;
}

/** What becomes of a message. */
export type McpReply = { readonly kind: "stranger" } | { readonly kind: "nothing" } | { readonly kind: "answer"; readonly text: string };

/** Messages of one client: so many at once, then four each second. */
const PACE = { burst: 30, everyMs: 250 } as const;

const call = z.looseObject({ name: z.string().max(100), arguments: z.unknown().optional() });
const greeting = z.looseObject({ protocolVersion: z.string().max(40) });

/**
 * The face for programs that models drive (SE-082), the same over every transport: it knows who asks by the token alone, keeps no
 * session, and asks its client for nothing. There is no way through it to answer a question.
 */
export class McpFace {
  readonly #needs: McpFaceNeeds;
  readonly #pace = new Map<string, RateLimiter>();

  constructor(needs: McpFaceNeeds) {
    this.#needs = needs;
  }

  /** Answer one message of whoever has that token. Never throws for what was sent. */
  async answer(token: string, text: string, signal: AbortSignal): Promise<McpReply> {
    const client = this.#needs.clients.knows(token);
    if (client === null) return { kind: "stranger" };
    const message = readRpc(text);
    if (message.kind === "unanswered") return { kind: "nothing" };
    if (message.kind === "refused") return written(message.answer);
    if (!this.#paceOf(client).tryTake()) return written(rpcError(message.id, "too_many"));
    return written(await this.#answer(message.id, message.method, message.params, { client, signal }));
  }

  async #answer(id: RpcId, method: string, params: unknown, by: { client: McpClient; signal: AbortSignal }): Promise<RpcAnswer> {
    switch (method) {
      case "initialize":
        return rpcResult(id, this.#greet(params));
      case "ping":
        return rpcResult(id, {});
      case "tools/list":
        return rpcResult(id, { tools: this.#toolsOf(by.client).map(described) });
      case "tools/call":
        return this.#call(id, params, by);
      default:
        return rpcError(id, "no_method");
    }
  }

  #greet(params: unknown): object {
    const asked = greeting.safeParse(params);
    const wanted = asked.success ? asked.data.protocolVersion : null;
    return {
      protocolVersion: MCP_VERSIONS.find((version) => version === wanted) ?? MCP_VERSIONS[0],
      capabilities: { tools: { listChanged: false } },
      serverInfo: { name: "troupe", version: this.#needs.version },
    };
  }

  #toolsOf(client: McpClient): readonly McpTool[] {
    return this.#needs.tools.filter((tool) => tool.open(client));
  }

  async #call(id: RpcId, params: unknown, { client, signal }: { client: McpClient; signal: AbortSignal }): Promise<RpcAnswer> {
    const asked = this.#askedOf(params, client);
    // What nobody knows is noted too, under a word of ours.
    const noted = asked ?? { digest: "", tool: null };
    const { tool, digest } = noted;
    const verdict = await this.#needs.judge({
      client,
      tool: tool?.name ?? "unknown",
      digest,
      asks: tool?.proposes === true,
      known: asked !== null,
    });
    if (asked === null) return rpcError(id, "arguments");
    if (verdict !== "allow") return rpcError(id, verdict);
    try {
      const data = await asked.tool.run(asked.args, client, signal);
      return rpcResult(id, { content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data, isError: false });
    } catch (error) {
      // What went wrong may name others' words: the client hears that it did, and the log has the rest.
      this.#needs.log.failure("mcp_call_failed", error);
      return rpcError(id, "failed");
    }
  }

  /** The call that is meant; null for a tool that is not there for this client, or does not take what it was given. */
  #askedOf(params: unknown, client: McpClient): { readonly tool: McpTool; readonly args: object; readonly digest: string } | null {
    const asked = call.safeParse(params);
    const tool = asked.success ? this.#toolsOf(client).find(({ name }) => name === asked.data.name) : undefined;
    const args = asked.success && tool !== undefined ? tool.check(asked.data.arguments ?? {}) : null;
    return tool === undefined || args === null
      ? null
      : { tool, args, digest: canonicalDigest({ tool: tool.name, arguments: { ...args } }) };
  }

  #paceOf({ name }: McpClient): RateLimiter {
    const pace = this.#pace.get(name) ?? new RateLimiter(this.#needs.clock, PACE);
    this.#pace.set(name, pace);
    return pace;
  }
}

function described({ name, description, inputSchema, proposes }: McpTool): object {
  return { name, description, inputSchema, annotations: { readOnlyHint: !proposes, openWorldHint: false } };
}

function written(answer: RpcAnswer): McpReply {
  return { kind: "answer", text: JSON.stringify(answer) };
}
