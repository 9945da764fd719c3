import { LOCAL_ACTOR } from "../operations/local-actor.ts";
import { MAX_MCP_BYTES, MCP_VERSIONS } from "../operations/mcp/json-rpc.ts";
import { mcpMessage } from "../operations/mcp/mcp-operations.ts";
import type { Operations } from "../operations/operations.ts";
import { answerFailure, bearerOf } from "../web/answers.ts";

/**
 * One message over HTTP: a POST whose answer is one JSON value, or 202 where it has none. There is no stream to listen to and no session
 * to keep; the console's guard has checked host, origin and size before (SE-086), and a console's own token opens nothing here.
 */
export async function answerMcp(operations: Pick<Operations, "run">, request: Request, signal: AbortSignal): Promise<Response> {
  const token = bearerOf(request);
  if (token === null) return answerFailure("unauthorized");
  if (request.method !== "POST") return answerFailure("method_not_allowed");
  const version = request.headers.get("mcp-protocol-version");
  if (version !== null && !MCP_VERSIONS.some((one) => one === version)) return answerFailure("bad_request");
  const message = await request.text();
  if (Buffer.byteLength(message) > MAX_MCP_BYTES) return answerFailure("too_large");
  // Carried as the command line carries it; whose right counts is told by the token in it.
  const reply = mcpMessage.parse(await operations.run(mcpMessage.name, { token, message }, LOCAL_ACTOR, signal));
  switch (reply.kind) {
    case "stranger":
      return answerFailure("unauthorized");
    case "nothing":
      return new Response(null, { status: 202 });
    case "answer":
      return new Response(reply.text, { status: 200, headers: { "content-type": "application/json" } });
  }
}
