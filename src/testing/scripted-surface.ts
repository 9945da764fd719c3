import { once } from "node:events";
import type { Socket } from "node:net";
import { connect } from "node:net";
import { z } from "zod";
import { abortReason } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { TaskGroup } from "../foundation/task-group.ts";
import type { Clock } from "../foundation/clock.ts";
import type { Log } from "../foundation/log.ts";
import type { Inbox, Surface, SurfaceProfile, Timing } from "../surfaces/surface.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { parseCharacterId } from "../vocabulary/ids.ts";
import type { Part, ReadBack, SendOutcome } from "../vocabulary/part.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import type { Assurance } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { SurfaceMessage } from "./scripted-wire.ts";
import { createLineReader, toLine } from "./scripted-wire.ts";

const platformMessage = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("deliver"),
    delivery: z.string(),
    person: z.string(),
    direct: z.boolean(),
    character: z.string(),
    atMs: z.number(),
    text: z.string(),
  }),
  z.object({ type: z.literal("sent"), part: z.string(), platformId: z.string() }),
  z.object({ type: z.literal("has"), part: z.string(), platformId: z.string().nullable() }),
]);
type Delivered = Extract<z.infer<typeof platformMessage>, { type: "deliver" }>;

/** Where the scripted platform listens, and what it is able to tell. */
export interface ScriptedSurfaceOptions {
  readonly name: SurfaceName;
  readonly port: number;
  readonly readsBack: boolean;
  /** Bytes of a part, at most. */
  readonly maxBytes: number;
  /** How lines of a person are gathered. */
  readonly timing: Timing;
  /** How well it knows who writes there. */
  readonly assurance: Assurance;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connect a surface to a scripted platform. @throws RuntimeError the signal's reason on abort. */
export async function connectScriptedSurface(options: ScriptedSurfaceOptions, signal: AbortSignal): Promise<Surface> {
  const socket = connect(options.port, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect", { signal });
  return new ScriptedSurface(options, socket);
}

class ScriptedSurface implements Surface {
  readonly kind = "scripted";
  readonly name: SurfaceName;
  readonly profile: SurfaceProfile;
  readonly #socket: Socket;
  readonly #assurance: Assurance;
  readonly #tasks: TaskGroup;
  readonly #waiting = new Map<string, (message: Exclude<z.infer<typeof platformMessage>, Delivered>) => void>();
  #deliver: (message: Delivered) => void = () => {};

  constructor(options: ScriptedSurfaceOptions, socket: Socket) {
    this.name = options.name;
    this.#assurance = options.assurance;
    this.profile = {
      limits: { maxBytes: options.maxBytes },
      readsBack: options.readsBack,
      pacing: { public: { burst: 1_000, everyMs: 1 }, direct: { burst: 1_000, everyMs: 1 } },
      timing: options.timing,
      keepsAmbient: false,
    };
    this.#socket = socket;
    this.#tasks = new TaskGroup({
      clock: options.clock,
      joinMs: 1_000,
      onFailure: (error) => options.log.failure("scripted_delivery", error),
    });
    socket.on("error", () => socket.destroy());
    socket.on(
      "data",
      createLineReader((line) => this.#hear(platformMessage.parse(JSON.parse(line)))),
    );
  }

  open(inbox: Inbox, signal: AbortSignal): Promise<void> {
    this.#deliver = (message) =>
      this.#tasks.start(async () => {
        const heard = await inbox.hear(this.#eventOf(message), signal);
        this.#write({ type: "ack", delivery: message.delivery, outcome: heard.kind === "admitted" ? "admitted" : heard.reason });
      });
    this.#write({ type: "open", surface: this.name });
    return Promise.resolve();
  }

  async send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const { id, turn, index, count, place, body } = part;
    const answer = this.#answerTo(`sent ${id}`, signal);
    this.#write({ type: "send", part: id, turn, index, count, place: place.id, body });
    const message = await answer;
    return message.type === "sent" ? { kind: "delivered", platformId: message.platformId } : { kind: "unknown", reason: "no_answer" };
  }

  async readBack(part: Part, signal: AbortSignal): Promise<ReadBack> {
    const answer = this.#answerTo(`has ${part.id}`, signal);
    this.#write({ type: "read", part: part.id });
    const message = await answer;
    if (message.type !== "has") return { kind: "unreadable" };
    return message.platformId === null ? { kind: "absent" } : { kind: "present", platformId: message.platformId };
  }

  typing(): void {}

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket.destroy();
    await this.#tasks.close();
  }

  #answerTo(key: string, signal: AbortSignal): Promise<Exclude<z.infer<typeof platformMessage>, Delivered>> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new RuntimeError("closed", "Cannot send: the scripted platform is gone"));
        return;
      }
      const onAbort = (): void => {
        this.#waiting.delete(key);
        reject(abortReason(signal));
      };
      signal.addEventListener("abort", onAbort, { once: true });
      this.#waiting.set(key, (message) => {
        this.#waiting.delete(key);
        signal.removeEventListener("abort", onAbort);
        resolve(message);
      });
    });
  }

  #hear(message: z.infer<typeof platformMessage>): void {
    if (message.type === "deliver") this.#deliver(message);
    else this.#waiting.get(`${message.type} ${message.part}`)?.(message);
  }

  #eventOf(message: Delivered): Parameters<Inbox["hear"]>[0] {
    const person = parsePrincipalId(`scripted:${message.person}`);
    const character = parseCharacterId(message.character);
    return {
      surface: this.name,
      deliveryId: message.delivery,
      atMs: message.atMs,
      sender: { principal: person, displayName: message.person, kind: "person", assurance: this.#assurance },
      place: message.direct ? directPlace(this.name, character, person) : publicPlace(this.name),
      ...(message.direct ? {} : { to: character }),
      alone: false,
      text: message.text,
    };
  }

  #write(message: SurfaceMessage): void {
    if (!this.#socket.destroyed) this.#socket.write(toLine(message));
  }
}
