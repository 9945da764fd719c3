import type { Socket } from "node:net";
import { BoundedChannel } from "../../foundation/bounded-channel.ts";
import type { LinkedSignal } from "../../foundation/cancellation.ts";
import { linkSignals } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Printable } from "../../foundation/printable.ts";
import { printable } from "../../foundation/printable.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { TerminalOutput } from "../../vocabulary/terminal-session.ts";
import { LOCAL_ACTOR } from "../local-actor.ts";
import { parseLine, readLines, sendLine } from "./json-lines.ts";
import type { LocalSocketNeeds } from "./local-socket.ts";
import type { ClientFrame, ServerFrame, WireError } from "./wire.ts";
import { MAX_REQUEST_BYTES, WIRE_VERSION, clientFrame, wireErrorOf } from "./wire.ts";

/** Commands that one connection may have open. */
const MAX_OPEN = 16;
/** Typed lines that may wait to be heard. */
const MAX_TYPED = 64;
const TOO_FAST = printable("That line was not taken: too many are waiting.");
/** How long the commands of a connection may take to end after it. */
const JOIN_MS = 4_000;

interface OpenCommand {
  readonly signal: LinkedSignal;
  /** Null unless it is an attached terminal. */
  readonly typed: BoundedChannel<string> | null;
  readonly shown: Map<number, (ok: boolean) => void>;
}

/**
 * One command at the other end of the socket.
 *
 * L1  Nothing is taken before a hello of the same version.
 * L2  The end of the connection aborts whatever it had open, and settles every wait for "shown" as not surely shown.
 * L3  A frame that is none, or a line over the bound, is answered once and ends the connection.
 */
export class LocalConnection {
  readonly #socket: Socket;
  readonly #needs: LocalSocketNeeds;
  readonly #open = new Map<number, OpenCommand>();
  readonly #work: TaskGroup;
  #greeted = false;
  #outputs = 0;

  constructor(socket: Socket, needs: LocalSocketNeeds) {
    this.#socket = socket;
    this.#needs = needs;
    this.#work = new TaskGroup({
      clock: needs.clock,
      joinMs: JOIN_MS,
      onFailure: (error) => needs.log.failure("local_command_failed", error),
    });
  }

  /** Serve until either side ends; resolves when everything the connection had open has ended. */
  async serve(signal: AbortSignal): Promise<void> {
    const stop = (): void => void this.#socket.destroy();
    signal.addEventListener("abort", stop, { once: true });
    try {
      this.#send({ type: "hello", version: WIRE_VERSION, troupe: this.#needs.version });
      for await (const line of readLines(this.#socket, MAX_REQUEST_BYTES)) this.#take(line);
    } catch (error) {
      this.#send({ type: "error", id: null, error: wireErrorOf(error) });
    } finally {
      signal.removeEventListener("abort", stop);
      this.#socket.end();
      for (const command of this.#open.values()) this.#abandon(command);
      await this.#work.close();
      this.#socket.destroy();
    }
  }

  #take(line: string): void {
    const parsed = clientFrame.safeParse(parseLine(line));
    if (!parsed.success) throw new RuntimeError("usage", "Cannot read a line of the local socket: it is no known frame");
    const frame = parsed.data;
    if (frame.type === "hello") {
      if (frame.version !== WIRE_VERSION)
        throw new RuntimeError("usage", "Cannot serve this command: it is of another version than the running process");
      this.#greeted = true;
    } else if (!this.#greeted) throw new RuntimeError("usage", "Cannot serve a command that has not said hello");
    else this.#dispatch(frame);
  }

  #dispatch(frame: Exclude<ClientFrame, { type: "hello" }>): void {
    if (frame.type === "run")
      this.#begin(frame.id, null, (signal) => this.#needs.operations.run(frame.name, frame.args ?? {}, LOCAL_ACTOR, signal));
    else if (frame.type === "attach") this.#attach(frame.id, frame.character);
    else this.#goOn(frame, this.#open.get(frame.id));
  }

  /** What belongs to an open command; a frame for one that has ended just then means nothing any more. */
  #goOn(frame: Exclude<ClientFrame, { type: "hello" | "run" | "attach" }>, command: OpenCommand | undefined): void {
    if (command === undefined) return;
    switch (frame.type) {
      case "line":
        if (command.typed?.trySend(frame.text) === false) this.#notice(frame.id, TOO_FAST);
        return;
      case "eof":
        command.typed?.close();
        return;
      case "shown":
        command.shown.get(frame.output)?.(frame.ok);
        return;
      case "cancel":
        this.#abandon(command);
    }
  }

  #attach(id: number, character: string | null): void {
    const typed = new BoundedChannel<string>(MAX_TYPED);
    this.#begin(id, typed, async (signal, command) => {
      await this.#needs.attach({ character, lines: typed, show: (output) => this.#show(id, command, output) }, signal);
      return null;
    });
  }

  #begin(id: number, typed: BoundedChannel<string> | null, work: (signal: AbortSignal, command: OpenCommand) => Promise<unknown>): void {
    const refuse = (error: WireError): void => {
      this.#send({ type: "error", id, error });
    };
    if (this.#open.has(id)) return refuse({ code: "usage", message: "Cannot begin a command: its number is taken" });
    if (this.#open.size >= MAX_OPEN)
      return refuse({ code: "capacity", message: "Cannot begin a command: too many are open on this connection" });
    const command: OpenCommand = { signal: linkSignals(this.#work.signal), typed, shown: new Map() };
    this.#open.set(id, command);
    this.#work.start(async () => {
      try {
        this.#send({ type: "result", id, result: await work(command.signal.signal, command) });
      } catch (error) {
        refuse(wireErrorOf(error));
      } finally {
        this.#open.delete(id);
        this.#abandon(command);
        command.signal[Symbol.dispose]();
      }
    });
    return undefined;
  }

  #show(id: number, command: OpenCommand, show: TerminalOutput): Promise<boolean> {
    const output = ++this.#outputs;
    if (command.signal.signal.aborted || !this.#send({ type: "output", id, output, show })) return Promise.resolve(false);
    return new Promise<boolean>((resolve) => {
      command.shown.set(output, (ok) => {
        command.shown.delete(output);
        resolve(ok);
      });
    });
  }

  /** Say something that nobody waits for. */
  #notice(id: number, text: Printable): void {
    this.#send({ type: "output", id, output: ++this.#outputs, show: { kind: "notice", text } });
  }

  #abandon(command: OpenCommand): void {
    command.signal.abort(new RuntimeError("aborted", "Cannot go on: the command has left"));
    command.typed?.[Symbol.dispose]();
    for (const settle of command.shown.values()) settle(false);
  }

  #send(frame: ServerFrame): boolean {
    return sendLine(this.#socket, frame);
  }
}
