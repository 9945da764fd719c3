import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { orAbort, withDeadline } from "../../foundation/cancellation.ts";
import type { Clock } from "../../foundation/clock.ts";
import { abortReason } from "../../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { TerminalOutput, TerminalSession } from "../../vocabulary/terminal-session.ts";
import { parseLine, readLines, sendLine } from "./json-lines.ts";
import type { SocketPath } from "./socket-path.ts";
import { secureSocketFolder } from "./socket-path.ts";
import type { ClientFrame, ServerFrame } from "./wire.ts";
import { MAX_ANSWER_BYTES, WIRE_VERSION, serverFrame } from "./wire.ts";

/** How long a running process may take to say hello. */
const HELLO_MS = 5_000;
/** How long the client's own tasks may take to end. */
const JOIN_MS = 2_000;

/** A command's line to the running process. */
export interface LocalClient extends AsyncDisposable {
  /** Version of the running process. */
  readonly version: string;
  /** Run an operation there. @throws RuntimeError with the code it failed with; `not_running` when the process ends meanwhile. */
  run(name: string, args: unknown, signal: AbortSignal): Promise<unknown>;
  /** Lend it a terminal until the typed lines end and all is answered, or the signal aborts. @throws RuntimeError like {@link run}. */
  attach(session: TerminalSession, signal: AbortSignal): Promise<void>;
}

/** Connect to the process that holds a state folder. @throws RuntimeError `not_running`, with the cure, when nobody answers. */
export async function connectLocal(at: SocketPath, clock: Clock, signal: AbortSignal): Promise<LocalClient> {
  if (at.elsewhere) await secureSocketFolder(at).catch(() => Promise.reject(notRunning()));
  const socket = await connected(at.path, signal);
  const client = new Client(socket, clock);
  try {
    using deadline = withDeadline(clock, HELLO_MS, signal);
    await client.greet(deadline.signal);
    return client;
  } catch (error) {
    await client[Symbol.asyncDispose]();
    if (isRuntimeError(error, "deadline"))
      throw new RuntimeError(
        "not_running",
        "Cannot reach the running process: it holds the socket and does not answer. Stop it, then: troupe run",
        { cause: error },
      );
    throw error;
  }
}

function notRunning(cause?: unknown): RuntimeError {
  return new RuntimeError("not_running", "Cannot reach a running process for this state folder: none answers. Start one: troupe run", {
    cause,
  });
}

function unreachable(error: NodeJS.ErrnoException): RuntimeError {
  if (error instanceof RuntimeError) return error;
  const denied = error.code === "EACCES" || error.code === "EPERM";
  return denied
    ? new RuntimeError("forbidden", "Cannot reach the running process: the state folder is another user's", { cause: error })
    : notRunning(error);
}

function connected(path: string, signal: AbortSignal): Promise<Socket> {
  return new Promise<Socket>((resolve, reject) => {
    const socket = createConnection(path);
    const onAbort = (): void => void socket.destroy(abortReason(signal));
    signal.addEventListener("abort", onAbort, { once: true });
    socket.once("connect", () => {
      signal.removeEventListener("abort", onAbort);
      resolve(socket);
    });
    socket.once("error", (error) => {
      signal.removeEventListener("abort", onAbort);
      reject(unreachable(error));
    });
    if (signal.aborted) onAbort();
  });
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: RuntimeError): void;
  show(output: TerminalOutput): Promise<boolean>;
}

class Client implements LocalClient {
  version = "";
  readonly #socket: Socket;
  readonly #tasks: TaskGroup;
  readonly #pending = new Map<number, Pending>();
  readonly #hello = Promise.withResolvers<void>();
  #lastId = 0;

  constructor(socket: Socket, clock: Clock) {
    this.#socket = socket;
    this.#tasks = new TaskGroup({ clock, joinMs: JOIN_MS, onFailure: (error) => this.#fail(error) });
    socket.on("error", () => socket.destroy());
    // Whoever waits for the hello hears of a failure; nobody else must.
    this.#hello.promise.catch(() => undefined);
    this.#tasks.start(() => this.#read());
  }

  async greet(signal: AbortSignal): Promise<void> {
    this.#send({ type: "hello", version: WIRE_VERSION });
    await orAbort(this.#hello.promise, signal);
  }

  run(name: string, args: unknown, signal: AbortSignal): Promise<unknown> {
    return this.#ask(
      (id) => ({ type: "run", id, name, args }),
      () => Promise.resolve(false),
      signal,
    );
  }

  async attach(session: TerminalSession, signal: AbortSignal): Promise<void> {
    let attached = 0;
    const done = this.#ask(
      (id) => {
        attached = id;
        return { type: "attach", id, character: session.character };
      },
      (output) => session.show(output),
      signal,
    );
    this.#tasks.start(async () => {
      for await (const text of session.lines) this.#send({ type: "line", id: attached, text });
      this.#send({ type: "eof", id: attached });
    });
    await done;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    this.#fail(notRunning());
    await this.#tasks.close();
  }

  async #ask(frameOf: (id: number) => ClientFrame, show: Pending["show"], signal: AbortSignal): Promise<unknown> {
    if (signal.aborted) throw abortReason(signal);
    const id = ++this.#lastId;
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(id, { resolve: answer.resolve, reject: answer.reject, show });
    const onAbort = (): void => {
      this.#send({ type: "cancel", id });
      answer.reject(abortReason(signal));
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      if (!this.#send(frameOf(id))) throw gone();
      return await answer.promise;
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#pending.delete(id);
    }
  }

  async #read(): Promise<void> {
    for await (const line of readLines(this.#socket, MAX_ANSWER_BYTES)) {
      const parsed = serverFrame.safeParse(parseLine(line));
      if (!parsed.success)
        throw new RuntimeError("not_running", "Cannot talk to the running process: it is of another version. Restart it: troupe run");
      await this.#take(parsed.data);
    }
    this.#fail(gone());
  }

  async #take(frame: ServerFrame): Promise<void> {
    if (frame.type === "hello") {
      if (frame.version !== WIRE_VERSION)
        throw new RuntimeError("not_running", "Cannot talk to the running process: it is of another version. Restart it: troupe run");
      this.version = frame.troupe;
      this.#hello.resolve();
      return;
    }
    if (frame.type === "error" && frame.id === null) throw new RuntimeError(frame.error.code, frame.error.message);
    const pending = frame.id === null ? undefined : this.#pending.get(frame.id);
    if (frame.type === "result") pending?.resolve(frame.result);
    else if (frame.type === "error") pending?.reject(new RuntimeError(frame.error.code, frame.error.message));
    else
      this.#send({
        type: "shown",
        id: frame.id,
        output: frame.output,
        ok: pending === undefined ? false : await orAbort(pending.show(frame.show), this.#tasks.signal),
      });
  }

  #fail(error: unknown): void {
    const reason = error instanceof RuntimeError ? error : gone(error);
    this.#hello.reject(reason);
    for (const pending of this.#pending.values()) pending.reject(reason);
    this.#socket.destroy();
  }

  #send(frame: ClientFrame): boolean {
    return sendLine(this.#socket, frame);
  }
}

function gone(cause?: unknown): RuntimeError {
  return new RuntimeError("not_running", "Cannot go on: the running process has ended. Start it again: troupe run", { cause });
}
