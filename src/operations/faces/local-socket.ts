import { chmod, lstat, unlink } from "node:fs/promises";
import type { Server, Socket } from "node:net";
import { createConnection, createServer } from "node:net";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { Log } from "../../foundation/log.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { TerminalSession } from "../../vocabulary/terminal-session.ts";
import type { Operations } from "../operations.ts";
import { LocalConnection } from "./local-connection.ts";
import type { SocketPath } from "./socket-path.ts";
import { secureSocketFolder } from "./socket-path.ts";

/** Commands and chats connected at the same time. */
const MAX_CONNECTIONS = 32;
/** How long open commands may take to end when the process stops. */
const JOIN_MS = 5_000;

/** What the local socket needs. */
export interface LocalSocketNeeds {
  readonly at: SocketPath;
  readonly version: string;
  readonly operations: Pick<Operations, "run">;
  /** Take a person's terminal in until it leaves. */
  attach(session: TerminalSession, signal: AbortSignal): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Listen for the commands of this process's own user on a socket that only that user reaches (0600, in a 0700 folder); whoever
 * gets through is the owner at the own computer (SE-081). Disposing it ends every command and removes the socket.
 * @throws RuntimeError `state_busy` when another process answers there; `state_unwritable` when the place cannot be used.
 */
export async function openLocalSocket(needs: LocalSocketNeeds, signal: AbortSignal): Promise<AsyncDisposable> {
  throwIfAborted(signal);
  await secureSocketFolder(needs.at);
  const tasks = new TaskGroup({
    clock: needs.clock,
    joinMs: JOIN_MS,
    onFailure: (error) => needs.log.failure("local_connection_failed", error),
  });
  const server = createServer((socket) => accept(socket, tasks, needs));
  await listenOrReplaceStale(server, needs.at);
  if (needs.at.folder !== null) await chmod(needs.at.path, 0o600);
  server.on("error", (error) => needs.log.failure("local_socket_failed", error));
  return {
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await tasks.close();
      await closed;
    },
  };
}

function accept(socket: Socket, tasks: TaskGroup, needs: LocalSocketNeeds): void {
  // Without a listener a broken connection would end the process; the reader hears of it by its end.
  socket.on("error", () => socket.destroy());
  if (tasks.signal.aborted || tasks.size >= MAX_CONNECTIONS) {
    socket.destroy();
    return;
  }
  tasks.start((signal) => new LocalConnection(socket, needs).serve(signal));
}

/** Bind; where a socket stands in the way that nobody answers on, it is what a killed process left, and is removed once. */
async function listenOrReplaceStale(server: Server, at: SocketPath): Promise<void> {
  try {
    await listen(server, at.path);
  } catch (error) {
    if (!isRuntimeError(error, "state_busy")) throw error;
    if (at.folder === null || (await answers(at.path))) throw error;
    const found = await lstat(at.path).catch(() => null);
    if (found?.isSocket() === false)
      throw new RuntimeError("state_unwritable", "Cannot listen for local commands: what stands at the socket's path is no socket");
    await unlink(at.path).catch((cause: unknown) => {
      throw new RuntimeError("state_unwritable", "Cannot listen for local commands: the old socket cannot be removed", { cause });
    });
    await listen(server, at.path);
  }
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const onError = (error: NodeJS.ErrnoException): void => {
      server.off("listening", onListening);
      const busy = error.code === "EADDRINUSE";
      const why = busy ? "another process does" : "the socket cannot be made in the state folder";
      reject(new RuntimeError(busy ? "state_busy" : "state_unwritable", `Cannot listen for local commands: ${why}`, { cause: error }));
    };
    const onListening = (): void => {
      server.off("error", onError);
      resolve();
    };
    server.once("error", onError);
    server.once("listening", onListening);
    // The socket is bound within this call: nobody else may reach it even for the moment before `chmod`.
    const before = process.umask(0o177);
    server.listen(path);
    process.umask(before);
  });
}

/** Whether anybody takes a connection there, whatever they say. */
function answers(path: string): Promise<boolean> {
  return new Promise<boolean>((resolve) => {
    const socket = createConnection(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    // Only a refusal proves that nobody is there: a full queue or a missing right does not.
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code !== "ECONNREFUSED" && error.code !== "ENOENT"));
  });
}
