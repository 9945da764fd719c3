import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { linkSignals, throwIfAborted } from "../foundation/cancellation.ts";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../foundation/errors.ts";
import type { Log } from "../foundation/log.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { Assets } from "./assets.ts";
import { addressKey } from "./caller.ts";
import { GuestGraph } from "./guest-graph.ts";
import { loopbackSite, publicSite } from "./guard.ts";
import type { FetchHandler, Served } from "./serve-request.ts";
import { refuse, serveRequest } from "./serve-request.ts";

const MAX_CONNECTIONS = 256;
/** Connections of one address, where others come in. */
export const MAX_CONNECTIONS_OF_ONE: number = 48;
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
  readonly reach: Reach;
  /** 0 takes any free port. */
  readonly port: number;
  /** The configuration key of the port, named when it is taken. */
  readonly key: string;
  /** The data-free shell: what GET answers everywhere else. */
  readonly assets: Assets;
  /** Whether all is well, told under `/healthz` to whoever can reach the port, as one word and nothing else; absent answers nothing there. */
  readonly isHealthy?: () => boolean;
}

/**
 * Who can reach a listener, and what answers there under `/api`. Where others come in only a guest's handlers can be (SE-086): no
 * other handler is of that type.
 */
export type Reach =
  | { readonly kind: "loopback"; readonly handler: FetchHandler }
  | {
      readonly kind: "public";
      readonly handler: GuestGraph;
      /** The address to listen on. */
      readonly address: string;
      /** The origin that guests open. */
      readonly origin: string;
      /** Addresses of proxies whose word on the client's address counts. */
      readonly proxies: readonly string[];
    };

/** An open port. Disposing it ends streams and connections within 2 s. */
export interface Listener extends AsyncDisposable {
  /** The origin that its pages have: `http://127.0.0.1:<port>`, or the public one. */
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
  const listener = new OpenListener(needs, server, servedBy(needs, options, port), { url: urlOf(options, port), port });
  if (options.reach.kind === "public") boundEachAddress(server, options.reach.proxies);
  listener.follow(signal);
  return listener;
}

function servedBy({ clock }: ListenerNeeds, { reach, assets, isHealthy }: ListenerOptions, port: number): Served {
  if (reach.kind === "loopback") {
    const served = { clock, assets, site: loopbackSite(port), proxies: [], handler: reach.handler };
    return isHealthy === undefined ? served : { ...served, isHealthy };
  }
  return { clock, assets, site: publicSite(reach.origin), proxies: reach.proxies, handler: GuestGraph.handlerOf(reach.handler) };
}

function urlOf({ reach }: ListenerOptions, port: number): string {
  return reach.kind === "public" ? reach.origin : `http://127.0.0.1:${port}`;
}

/** One address can't take all connections from the others; a proxy has everyone's. */
function boundEachAddress(server: Server, proxies: readonly string[]): void {
  const open = new Map<string, number>();
  const unbounded = new Set(proxies.map(addressKey));
  server.on("connection", (socket) => {
    const from = addressKey(socket.remoteAddress ?? "");
    if (unbounded.has(from)) return;
    const count = (open.get(from) ?? 0) + 1;
    if (count > MAX_CONNECTIONS_OF_ONE) {
      socket.destroy();
      return;
    }
    open.set(from, count);
    socket.once("close", () => {
      const left = (open.get(from) ?? 1) - 1;
      if (left === 0) open.delete(from);
      else open.set(from, left);
    });
  });
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

  constructor(needs: ListenerNeeds, server: Server, served: Served, at: { readonly url: string; readonly port: number }) {
    this.url = at.url;
    this.port = at.port;
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
    server.listen(options.port, addressOf(options), () => {
      server.removeListener("error", onError);
      const address = server.address();
      if (address === null || typeof address === "string") reject(new RuntimeError("internal", "Cannot listen: the port has no address"));
      else resolve(address.port);
    });
  });
}

function addressOf({ reach }: ListenerOptions): string {
  return reach.kind === "public" ? reach.address : "127.0.0.1";
}

function listenError(error: NodeJS.ErrnoException, options: ListenerOptions): RuntimeError {
  const address = addressOf(options);
  const where = `Cannot open ${address.includes(":") ? `[${address}]` : address}:${options.port}`;
  if (error.code === "EADDRNOTAVAIL")
    return new RuntimeError(
      "invalid_argument",
      `${where}: this computer has no such address; set ${options.key.replace(/port$/, "listen")}`,
      {
        cause: error,
      },
    );
  if (error.code === "EADDRINUSE")
    return new RuntimeError("port_in_use", `${where}: the port is taken; set ${options.key} to another one`, { cause: error });
  if (error.code === "EACCES")
    return new RuntimeError("forbidden", `${where}: the system does not allow that port; set ${options.key} to another one`, {
      cause: error,
    });
  return new RuntimeError("internal", `${where}: the system refused it`, { cause: error });
}
