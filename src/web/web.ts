import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { linkSignals, throwIfAborted } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { Assets } from "./assets.ts";
import { ownHosts } from "./guard.ts";
import type { FetchHandler, Served } from "./serve-request.ts";
import { refuse, serveRequest } from "./serve-request.ts";

const MAX_CONNECTIONS = 256;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 15_000;
const KEEP_ALIVE_MS = 5_000;
const JOIN_MS = 2_000;

/** What a listener stands on. */
export interface ListenerNeeds {
  readonly clock: Clock;
  readonly log: Log;
}

/** What a listener serves, and where. */
export interface ListenerOptions {
  /** Loopback only: whatever is listened on elsewhere carries other handlers (SE-086). */
  readonly host: "127.0.0.1";
  /** 0 takes any free port. */
  readonly port: number;
  /** The configuration key of the port, named when it is taken. */
  readonly key: string;
  /** Answers what passed the guard under `/api`. */
  readonly handler: FetchHandler;
  /** The data-free shell: what GET answers everywhere else. */
  readonly assets: Assets;
}

/** An open port. Disposing it ends streams and connections within 2 s. */
export interface Listener extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
}

/**
 * Open a port and serve it behind one guard (SE-086): own Host, own Origin, same-origin fetches, JSON bodies of at most 64 KiB
 * that come within 10 s, 256 connections, headers of 16 KiB within 5 s, strict headers on every answer. It ends when it is
 * disposed or the signal aborts.
 * @throws RuntimeError `port_in_use` naming port and key; `forbidden` where the system does not let the port be opened.
 */
export async function openListener(needs: ListenerNeeds, options: ListenerOptions, signal: AbortSignal): Promise<Listener> {
  throwIfAborted(signal);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: KEEP_ALIVE_MS,
    // The guard answers a missing Host itself, with strict headers.
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options);
  const listener = new OpenListener(
    needs,
    server,
    { clock: needs.clock, hosts: ownHosts(port), assets: options.assets, handler: options.handler },
    port,
  );
  listener.follow(signal);
  return listener;
}

class OpenListener implements Listener {
  readonly url: string;
  readonly port: number;
  readonly #server: Server;
  readonly #served: Served;
  readonly #log: Log;
  readonly #tasks: TaskGroup;
  #closing: Promise<void> | null = null;
  #unfollow: () => void = () => {};

  constructor(needs: ListenerNeeds, server: Server, served: Served, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.port = port;
    this.#server = server;
    this.#served = served;
    this.#log = needs.log;
    this.#tasks = new TaskGroup({
      clock: needs.clock,
      joinMs: JOIN_MS,
      onFailure: (error) => needs.log.failure("web_request_failed", error),
    });
    server.on("request", (incoming, outgoing) => this.#take(incoming, outgoing));
    server.on("error", (error) => this.#log.failure("web_listener_failed", error));
  }

  follow(signal: AbortSignal): void {
    const close = (): void => void this[Symbol.asyncDispose]().catch((error: unknown) => this.#log.failure("web_close_failed", error));
    signal.addEventListener("abort", close, { once: true });
    this.#unfollow = () => signal.removeEventListener("abort", close);
  }

  #take(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (this.#tasks.signal.aborted) {
      refuse(outgoing, 503, "closing", "The process is stopping.");
      return;
    }
    this.#tasks.start(async (signal) => {
      using gone = linkSignals(signal);
      outgoing.once("close", () => gone.abort(new RuntimeError("aborted", "Cannot go on: the connection is closed")));
      try {
        await serveRequest(this.#served, incoming, outgoing, gone.signal);
      } catch (error) {
        this.#fail(outgoing, error);
      }
    });
  }

  /** Answer 500 if nothing has left yet, else cut the connection: half an answer must not look whole. */
  #fail(outgoing: ServerResponse, error: unknown): void {
    const peerGone = isRuntimeError(error, "aborted") || isRuntimeError(error, "deadline");
    if (!peerGone) this.#log.failure("web_request_failed", error);
    if (peerGone || outgoing.headersSent) outgoing.destroy();
    else refuse(outgoing, 500, "failed", "This could not be done.");
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#unfollow();
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeIdleConnections();
    try {
      await this.#tasks.close();
    } finally {
      this.#server.closeAllConnections();
      await closed;
    }
  }
}

function listen(server: Server, options: ListenerOptions): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => reject(listenError(error, options));
    server.once("error", onError);
    server.listen(options.port, options.host, () => {
      server.removeListener("error", onError);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new RuntimeError("internal", "Cannot listen: the port has no address"));
      else resolve(address.port);
    });
  });
}

function listenError(error: NodeJS.ErrnoException, options: ListenerOptions): RuntimeError {
  const where = `Cannot open ${options.host}:${options.port}`;
  if (error.code === "EADDRINUSE")
    return new RuntimeError("port_in_use", `${where}: the port is taken; set ${options.key} to another one`, { cause: error });
  if (error.code === "EACCES")
    return new RuntimeError("forbidden", `${where}: the system does not allow that port; set ${options.key} to another one`, {
      cause: error,
    });
  return new RuntimeError("internal", `${where}: the system refused it`, { cause: error });
}
