import { z } from "zod";
import type { Clock } from "../../foundation/clock.ts";
import type { WebSocketPeer } from "./websocket-server.ts";

const payload = z.object({ op: z.int(), d: z.unknown() });
const identify: z.ZodType<Identify> = z.object({ token: z.string(), intents: z.int(), shard: z.tuple([z.int(), z.int()]).optional() });
const resume: z.ZodType<Resume> = z.object({ token: z.string(), session_id: z.string(), seq: z.int() });

/** What somebody who connected asks for. */
export interface Identify {
  readonly token: string;
  readonly intents: number;
  readonly shard?: readonly [number, number] | undefined;
}
/** What somebody who lost a connection asks for. */
export interface Resume {
  readonly token: string;
  readonly session_id: string;
  readonly seq: number;
}

/** Bytes of one payload, and payloads in a minute, that Discord takes. */
const MAX_PAYLOAD_BYTES = 4_096;
const MAX_SENDS_A_MINUTE = 120;
const MINUTE_MS = 60_000;

/** How the gateway behaves towards one connection. Everything else is as it should be. */
export interface Manner {
  /** Nothing is said after the connection stands. */
  readonly noHello?: boolean;
  /** An identify is taken and never answered. */
  readonly noReady?: boolean;
  /** The connection is refused with this HTTP status, before it stands. */
  readonly refuse?: number;
  /** The connection is never answered at all. */
  readonly hang?: boolean;
  /** Close with this code as soon as somebody identifies. */
  readonly closeAtIdentify?: number;
  /** Tear the connection when somebody resumes. */
  readonly tearAtResume?: boolean;
  /** Say this in place of the first payload. */
  readonly firstPayload?: string;
  /** Heartbeats stay unanswered. */
  readonly deaf?: boolean;
}

/** What a connection hands on, once it is well-formed. */
export interface ConnectionOwner {
  identify(connection: GatewayConnection, data: Identify): void;
  resume(connection: GatewayConnection, data: Resume): void;
  closed(connection: GatewayConnection, code: number): void;
}

/** One connection to the fake gateway: the payloads, before any session is known. */
export class GatewayConnection {
  readonly manner: Manner;
  readonly #peer: WebSocketPeer;
  readonly #owner: ConnectionOwner;
  readonly #clock: Clock;
  /** Heartbeats that came, with the number each named. */
  readonly heartbeats: (number | null)[] = [];
  readonly openedAtMs: number;
  #sends: number[] = [];

  constructor(peer: WebSocketPeer, needs: { owner: ConnectionOwner; clock: Clock; manner: Manner; heartbeatMs: number }) {
    this.#peer = peer;
    this.#owner = needs.owner;
    this.#clock = needs.clock;
    this.manner = needs.manner;
    this.openedAtMs = needs.clock.monotonicMs();
    if (this.manner.firstPayload !== undefined) peer.send(this.manner.firstPayload);
    else if (this.manner.noHello !== true)
      this.send({ op: 10, d: { heartbeat_interval: needs.heartbeatMs, _trace: [] }, s: null, t: null });
  }

  get open(): boolean {
    return this.#peer.open;
  }

  send(data: object): void {
    this.#peer.send(JSON.stringify(data));
  }

  close(code: number): void {
    this.#peer.close(code);
  }

  tear(): void {
    this.#peer.destroy();
  }

  text(text: string): void {
    if (Buffer.byteLength(text) > MAX_PAYLOAD_BYTES) {
      this.close(4002);
      return;
    }
    const nowMs = this.#clock.monotonicMs();
    this.#sends = [...this.#sends.filter((atMs) => nowMs - atMs < MINUTE_MS), nowMs];
    if (this.#sends.length > MAX_SENDS_A_MINUTE) {
      this.close(4008);
      return;
    }
    const parsed = payload.safeParse(jsonOf(text));
    if (parsed.success) this.#take(parsed.data.op, parsed.data.d);
    else this.close(4002);
  }

  closed(code: number): void {
    this.#owner.closed(this, code);
  }

  #take(op: number, data: unknown): void {
    switch (op) {
      case 1:
        this.heartbeats.push(typeof data === "number" ? data : null);
        if (this.manner.deaf !== true) this.send({ op: 11, d: null, s: null, t: null });
        return;
      case 2: {
        const wanted = identify.safeParse(data);
        if (!wanted.success) this.close(4002);
        else if (this.manner.closeAtIdentify !== undefined) this.close(this.manner.closeAtIdentify);
        else if (this.manner.noReady !== true) this.#owner.identify(this, wanted.data);
        return;
      }
      case 3:
        return;
      case 6: {
        const wanted = resume.safeParse(data);
        if (!wanted.success) this.close(4002);
        else if (this.manner.tearAtResume === true) this.tear();
        else this.#owner.resume(this, wanted.data);
        return;
      }
      default:
        this.close(4001);
    }
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
