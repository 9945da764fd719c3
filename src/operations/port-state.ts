import { createServer } from "node:net";
import { throwIfAborted } from "../foundation/cancellation.ts";
import type { PortAt, PortState } from "../config/checking/check-config.ts";

/**
 * Whether a port could be opened now, found by opening it for a moment. `own` are the ports that the running process
 * of this state folder has said it holds.
 */
export async function portState(at: PortAt, own: readonly number[], signal: AbortSignal): Promise<PortState> {
  throwIfAborted(signal);
  const code = await tryPort(at);
  if (code === null) return "free";
  if (code === "EADDRNOTAVAIL") return "no_address";
  if (code === "EACCES") return "forbidden";
  return own.includes(at.port) ? "own" : "taken";
}

function tryPort({ port, address }: PortAt): Promise<string | null> {
  return new Promise<string | null>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.once("listening", () => server.close(() => resolve(null)));
    server.listen({ port, host: address, exclusive: true });
  });
}
