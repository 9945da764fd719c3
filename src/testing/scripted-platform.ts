import { once } from "node:events";
import type { Server, Socket } from "node:net";
import { createServer } from "node:net";
import { z } from "zod";
import { abortReason } from "../foundation/clock.ts";
import type { PlatformMessage } from "./scripted-wire.ts";
import { createLineReader, toLine } from "./scripted-wire.ts";

/** One thing people said on the platform. The same `delivery` may be delivered again; the platform keeps it until it is acknowledged. */
export interface ScriptedLine {
  readonly delivery: string;
  readonly person: string;
  readonly direct: boolean;
  readonly character: string;
  readonly text: string;
}

/** One part as the platform's own ledger has it. */
export interface LedgerEntry {
  readonly part: string;
  readonly turn: string;
  readonly index: number;
  readonly count: number;
  readonly place: string;
  readonly body: string;
}

/** What the platform does at its n-th send: kill the runtime before it has the part, or after, and answer nothing. */
export interface KillAtSend {
  readonly n: number;
  readonly when: "before" | "after";
  readonly kill: () => void;
}

/** Sends that one life of a runtime has made; platforms that share it count together. */
export interface SendCount {
  count: number;
}

const surfaceMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("open"), surface: z.string() }),
  z.object({ type: z.literal("ack"), delivery: z.string(), outcome: z.string() }),
  z.object({
    type: z.literal("send"),
    part: z.string(),
    turn: z.string(),
    index: z.int(),
    count: z.int(),
    place: z.string(),
    body: z.string(),
  }),
  z.object({ type: z.literal("read"), part: z.string() }),
]);

/**
 * A chat platform with a ledger of its own, outside the runtime's process (DESIGN, "Tests"). It delivers every line until it is
 * acknowledged, delivers some again for no reason, and never forgets a part it took. It tells nobody that a part came twice:
 * the test counts.
 */
export class ScriptedPlatform implements AsyncDisposable {
  /** Parts in the order they were taken, repeats included. */
  readonly ledger: LedgerEntry[] = [];
  /** Outcome of the first acknowledgement of each delivery. */
  readonly acknowledged: Map<string, string> = new Map();
  readonly #lines: ScriptedLine[];
  readonly #readsBack: boolean;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Those on which a runtime hears. */
  readonly #open = new Set<Socket>();
  readonly #duplicateEvery: number;
  readonly #sends: SendCount;
  #killAt: KillAtSend | null = null;
  #dead = false;
  readonly #waiting = new Set<() => void>();

  constructor(options: { lines: readonly ScriptedLine[]; readsBack: boolean; duplicateEvery: number; sends?: SendCount }) {
    this.#sends = options.sends ?? { count: 0 };
    this.#lines = [...options.lines];
    this.#readsBack = options.readsBack;
    this.#duplicateEvery = options.duplicateEvery;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** Listen on a free loopback port. */
  async listen(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  /** Sends of this life of the runtime, to every platform that counts with this one. */
  get sends(): number {
    return this.#sends.count;
  }

  /** Have somebody say one more line, delivered like all others. */
  say(line: ScriptedLine): void {
    this.#lines.push(line);
    for (const socket of this.#open) this.#write(socket, { type: "deliver", ...line, atMs: Date.now() });
  }

  /** Begin another life of the runtime: what it did not acknowledge is delivered to it again. */
  nextLife(killAt: KillAtSend | null): void {
    this.#sends.count = 0;
    this.#killAt = killAt;
    this.#dead = false;
  }

  /** Resolve when `done` holds; it is asked after each thing the runtime says. */
  async until(done: () => boolean, signal: AbortSignal): Promise<void> {
    while (!done()) {
      if (signal.aborted) throw abortReason(signal);
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          signal.removeEventListener("abort", wake);
          this.#waiting.delete(wake);
          resolve();
        };
        signal.addEventListener("abort", wake, { once: true });
        this.#waiting.add(wake);
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#open.delete(socket);
    });
    socket.on(
      "data",
      createLineReader((line) => {
        this.#hear(socket, surfaceMessage.parse(JSON.parse(line)));
        for (const wake of this.#waiting) wake();
      }),
    );
  }

  #hear(socket: Socket, message: z.infer<typeof surfaceMessage>): void {
    // What a killed process had still in the socket is read after its death; a real network would lose or keep it as well.
    switch (message.type) {
      case "open":
        this.#open.add(socket);
        this.#deliverAll(socket);
        return;
      case "ack":
        if (!this.acknowledged.has(message.delivery)) this.acknowledged.set(message.delivery, message.outcome);
        return;
      case "read":
        this.#answerRead(socket, message.part);
        return;
      case "send":
        this.#take(socket, message);
    }
  }

  #deliverAll(socket: Socket): void {
    for (const [at, line] of this.#lines.entries()) {
      const again = at % this.#duplicateEvery === this.#duplicateEvery - 1;
      const pending = !this.acknowledged.has(line.delivery);
      const times = (pending ? 1 : 0) + (again ? 1 : 0);
      for (let n = 0; n < times; n += 1) this.#write(socket, { type: "deliver", ...line, atMs: Date.now() });
    }
  }

  #answerRead(socket: Socket, part: string): void {
    const has = this.#readsBack && this.ledger.some((entry) => entry.part === part);
    this.#write(socket, { type: "has", part, platformId: has ? `x-${part}` : null });
  }

  #take(socket: Socket, entry: LedgerEntry): void {
    if (this.#dead) return;
    this.#sends.count += 1;
    const dies = this.#killAt !== null && this.#sends.count === this.#killAt.n;
    if (dies && this.#killAt?.when === "before") {
      this.#die();
      return;
    }
    const { part, turn, index, count, place, body } = entry;
    this.ledger.push({ part, turn, index, count, place, body });
    if (dies) {
      this.#die();
      return;
    }
    this.#write(socket, { type: "sent", part, platformId: `x-${part}` });
  }

  #die(): void {
    this.#dead = true;
    this.#killAt?.kill();
  }

  #write(socket: Socket, message: PlatformMessage): void {
    if (!socket.destroyed) socket.write(toLine(message));
  }
}
