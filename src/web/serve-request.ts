import type { IncomingMessage, ServerResponse } from "node:http";
import { once } from "node:events";
import { withDeadline } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { Assets } from "./assets.ts";
import type { Caller } from "./caller.ts";
import { callerOf } from "./caller.ts";
import type { RequestHead, Site } from "./guard.ts";
import { judge } from "./guard.ts";
import { STRICT_HEADERS } from "./strict-headers.ts";

/** Bytes of one request body (SE-086). */
export const MAX_REQUEST_BYTES: number = 64 * 1024;
/** Milliseconds in which a request's body must have come, and in which a reader must take what is written to it. */
export const BODY_DEADLINE_MS: number = 10_000;

/** Answers one guarded request. It sees no request that failed the guard. Where it came from raises nobody's authority (SE-086). */
export type FetchHandler = (request: Request, from: Caller) => Response | Promise<Response>;

/** What a listener serves. */
export interface Served {
  readonly clock: Clock;
  readonly site: Site;
  /** Addresses of proxies whose word on the client's address counts. */
  readonly proxies: readonly string[];
  readonly assets: Assets;
  readonly handler: FetchHandler;
  /** Whether all is well; absent where nobody is told. */
  readonly isHealthy?: () => boolean;
}

/** Where a listener that tells it says whether all is well. */
export const HEALTH_PATH = "/healthz";

/** Take one request through the guard, the body bound and the handler, and write its answer. @throws RuntimeError `deadline`, `aborted` when the peer is too slow or gone: the connection must be cut. */
export async function serveRequest(
  served: Served,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const head = headOf(incoming);
  const verdict = judge(head, served.site);
  if (verdict.kind === "refused") return refuse(outgoing, verdict.status, verdict.code, verdict.message);
  if (verdict.kind === "shell") return writeShell(served, head, outgoing);
  const body = await readBody(served.clock, incoming, signal);
  if (body === null) return refuse(outgoing, 413, "too_large", `A body may have ${MAX_REQUEST_BYTES} bytes.`);
  const from = callerOf(incoming.socket.remoteAddress, head.headers["x-forwarded-for"], served.proxies);
  const response = await served.handler(toRequest(head, body, signal), from);
  await writeResponse(served.clock, response, outgoing, signal);
}

function headOf(incoming: IncomingMessage): RequestHead {
  const names = incoming.rawHeaders.filter((_, at) => at % 2 === 0);
  return {
    method: incoming.method ?? "",
    target: incoming.url ?? "",
    headers: incoming.headers,
    hostLines: names.filter((name) => name.toLowerCase() === "host").length,
  };
}

/** The whole body, or null when it is over the bound (what is over is not kept). */
async function readBody(clock: Clock, incoming: IncomingMessage, signal: AbortSignal): Promise<Uint8Array | null> {
  if (Number(incoming.headers["content-length"] ?? 0) > MAX_REQUEST_BYTES) return null;
  using deadline = withDeadline(clock, BODY_DEADLINE_MS, signal);
  const cut = (): void => void incoming.destroy();
  deadline.signal.addEventListener("abort", cut, { once: true });
  const chunks: Uint8Array[] = [];
  let total = 0;
  try {
    for await (const chunk of incoming) {
      if (!(chunk instanceof Uint8Array)) continue;
      total += chunk.length;
      if (total > MAX_REQUEST_BYTES) return null;
      chunks.push(chunk);
    }
  } catch (error) {
    throw new RuntimeError("aborted", "Cannot read the body: the peer is too slow or gone", { cause: error });
  } finally {
    deadline.signal.removeEventListener("abort", cut);
  }
  return Buffer.concat(chunks);
}

function toRequest(head: RequestHead, body: Uint8Array, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(head.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  }
  return new Request(`http://${head.headers.host ?? ""}${head.target}`, {
    method: head.method,
    headers,
    signal,
    ...(head.method === "POST" ? { body: Buffer.from(body) } : {}),
  });
}

function writeShell({ assets, isHealthy }: Served, head: RequestHead, outgoing: ServerResponse): void {
  const path = head.target.split("?")[0] ?? "";
  if (path === HEALTH_PATH && isHealthy !== undefined) return writeHealth(isHealthy(), head, outgoing);
  const asset = assets.get(path);
  if (asset === undefined) return refuse(outgoing, 404, "not_found", "Nothing stands there.");
  outgoing.writeHead(200, { ...STRICT_HEADERS, "content-type": asset.type, "content-length": asset.bytes.length });
  outgoing.end(head.method === "HEAD" ? undefined : asset.bytes);
}

/** Yes or no: what is wrong is an operator's to know. */
function writeHealth(ok: boolean, head: RequestHead, outgoing: ServerResponse): void {
  outgoing.writeHead(ok ? 200 : 503, { ...STRICT_HEADERS, "content-type": "application/json" });
  outgoing.end(head.method === "HEAD" ? undefined : JSON.stringify({ ok }));
}

/** Answer a refusal as JSON and close the connection: whatever is left of its request is not read. */
export function refuse(outgoing: ServerResponse, status: number, code: string, message: string): void {
  outgoing.writeHead(status, { ...STRICT_HEADERS, "content-type": "application/json", connection: "close" });
  outgoing.end(JSON.stringify({ code, message }));
}

async function writeResponse(clock: Clock, response: Response, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), ...STRICT_HEADERS });
  if (response.body === null) {
    outgoing.end();
    return;
  }
  // Headers leave at once, so that a stream's reader knows that it is heard.
  outgoing.flushHeaders();
  const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader();
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop, { once: true });
  // The peer may have gone while the answer was made: nothing aborts any more then.
  if (signal.aborted) stop();
  try {
    for (;;) {
      const chunk = await reader.read();
      if (chunk.done || signal.aborted) break;
      if (!outgoing.write(chunk.value)) await drained(clock, outgoing, signal);
    }
    outgoing.end();
  } catch (error) {
    await reader.cancel();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Wait until the peer has taken what was written. @throws RuntimeError `deadline` after 10 s. */
async function drained(clock: Clock, outgoing: ServerResponse, signal: AbortSignal): Promise<void> {
  using deadline = withDeadline(clock, BODY_DEADLINE_MS, signal);
  try {
    await once(outgoing, "drain", { signal: deadline.signal });
  } catch (error) {
    const reason: unknown = deadline.signal.reason;
    throw isRuntimeError(reason) ? reason : new RuntimeError("aborted", "Cannot write the answer: the peer is gone", { cause: error });
  }
}
