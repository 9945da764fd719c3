import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../foundation/clock.ts";
import type { ConnectionOwner, Identify, Manner, Resume } from "./gateway-connection.ts";
import { GatewayConnection } from "./gateway-connection.ts";
import type { Dialect, Json, View } from "./shapes.ts";
import { guildJson, userJson } from "./shapes.ts";
import type { FakeWorld } from "./world.ts";
import { acceptWebSocket } from "./websocket-server.ts";

/** Bits of the kinds of events that somebody may ask for. */
export const INTENTS = {
  guilds: 0x1,
  guildMembers: 0x2,
  guildPresences: 0x100,
  guildMessages: 0x200,
  guildReactions: 0x400,
  directMessages: 0x1000,
  directReactions: 0x2000,
  messageContent: 0x8000,
} as const;
const KNOWN_BITS = 0x03ff_ffff;

/** Whether a way of asking is allowed to whoever has the application. */
export interface Privileges {
  messageContent: boolean;
  guildMembers: boolean;
  guildPresences: boolean;
}

interface Dispatched {
  readonly s: number;
  readonly t: string;
  readonly d: Json;
}

interface Session {
  readonly id: string;
  readonly intents: number;
  readonly events: Dispatched[];
  connection: GatewayConnection | null;
  valid: boolean;
}

/** What the gateway stands on. */
export interface GatewayNeeds {
  readonly world: FakeWorld;
  readonly clock: Clock;
  readonly token: () => string;
  readonly privileges: Privileges;
  readonly dialect: Dialect;
  readonly heartbeatMs: number;
  /** Its own address, once it listens. */
  readonly url: () => string;
}

/**
 * The fake gateway: sessions that outlive connections, numbered events that are kept to be told again, and every way in which a
 * connection ends.
 */
export class FakeGateway implements ConnectionOwner {
  readonly #needs: GatewayNeeds;
  readonly #connections = new Set<GatewayConnection>();
  readonly #pending = new Set<Duplex>();
  #session: Session | null = null;
  /** Manners of the next connections, one each. */
  readonly next: Manner[] = [];
  /** How many events a resume tells again though they were had. */
  overReplay = 0;
  /** Identifies and resumes that were accepted. */
  identifies = 0;
  resumes = 0;
  /** Connections that were opened in all. */
  opened = 0;
  /** Codes that clients closed with, in order. */
  readonly closedWith: number[] = [];

  constructor(needs: GatewayNeeds) {
    this.#needs = needs;
  }

  /** Connections that stand now. */
  get connections(): readonly GatewayConnection[] {
    return [...this.#connections];
  }

  /** What the last one who identified asked to hear. */
  get intents(): number {
    return this.#session?.intents ?? 0;
  }

  /** Whether somebody is connected with a session. */
  get ready(): boolean {
    return this.#session?.connection?.open === true;
  }

  /** Take a connection over from the HTTP server. */
  upgrade(request: IncomingMessage, socket: Duplex): void {
    const manner = this.next.shift() ?? {};
    socket.on("error", () => socket.destroy());
    if (manner.hang === true) {
      this.#pending.add(socket);
      return;
    }
    if (manner.refuse !== undefined) {
      socket.end(`HTTP/1.1 ${manner.refuse} Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`);
      return;
    }
    const accepted = acceptWebSocket(request, socket, (peer) => {
      const { clock, heartbeatMs } = this.#needs;
      const connection = new GatewayConnection(peer, { owner: this, clock, manner, heartbeatMs });
      this.#connections.add(connection);
      this.opened += 1;
      return connection;
    });
    if (accepted === null) socket.destroy();
  }

  /** Tell everyone who asked for such events. `make` is given how the reader may see them. */
  dispatch(t: string, intent: number, make: (view: View) => Json): void {
    const session = this.#session;
    if (session === null || !session.valid || (intent !== 0 && (session.intents & intent) === 0)) return;
    const content = (session.intents & INTENTS.messageContent) !== 0 && this.#needs.privileges.messageContent;
    this.#push(session, t, make({ dialect: this.#needs.dialect, content, event: true }));
  }

  /** Close every connection with a code. */
  closeAll(code: number): void {
    for (const connection of this.#connections) connection.close(code);
  }

  /** Tear every connection. */
  tearAll(): void {
    for (const connection of this.#connections) connection.tear();
  }

  /** Ask every client to connect again (op 7). */
  askToReconnect(): void {
    for (const connection of this.#connections) connection.send({ op: 7, d: null, s: null, t: null });
  }

  /** Say that the session is invalid (op 9); what happens until the next identify is told to nobody unless it may be resumed. */
  invalidate(resumable: boolean): void {
    if (!resumable && this.#session !== null) this.#session.valid = false;
    for (const connection of this.#connections) connection.send({ op: 9, d: resumable, s: null, t: null });
  }

  /** Forget the session, as after a time away: the next resume is refused and the gap is told to nobody. */
  forgetSession(): void {
    if (this.#session !== null) this.#session.valid = false;
  }

  /** Send raw text to every client. */
  sendRaw(text: string): void {
    for (const connection of this.#connections) connection.send(JSON.parse(text));
  }

  /** Tell events again that were told before, with their numbers: the last `count` of this kind. */
  tellAgain(t: string, count: number): void {
    const session = this.#session;
    if (session === null) return;
    for (const event of session.events.filter((one) => one.t === t).slice(-count)) session.connection?.send({ op: 0, ...event });
  }

  identify(connection: GatewayConnection, { token, intents }: Identify): void {
    const { world, privileges } = this.#needs;
    if (token !== this.#needs.token()) return connection.close(4004);
    if ((intents & ~KNOWN_BITS) !== 0) return connection.close(4013);
    const refused =
      ((intents & INTENTS.messageContent) !== 0 && !privileges.messageContent) ||
      ((intents & INTENTS.guildMembers) !== 0 && !privileges.guildMembers) ||
      ((intents & INTENTS.guildPresences) !== 0 && !privileges.guildPresences);
    if (refused) return connection.close(4014);
    this.identifies += 1;
    const session: Session = { id: randomUUID(), intents, events: [], connection, valid: true };
    this.#session = session;
    this.#push(session, "READY", {
      v: 10,
      user: userJson(world.bot),
      guilds: [...world.guilds.keys()].map((id) => ({ id, unavailable: true })),
      session_id: session.id,
      resume_gateway_url: this.#needs.url(),
      shard: [0, 1],
      application: { id: world.applicationId, flags: 0 },
    });
    for (const guild of world.guilds.values()) this.#push(session, "GUILD_CREATE", guildJson(world, guild));
  }

  resume(connection: GatewayConnection, { token, session_id: id, seq }: Resume): void {
    const session = this.#session;
    if (token !== this.#needs.token()) return connection.close(4004);
    if (session === null || session.id !== id || !session.valid) return connection.send({ op: 9, d: false, s: null, t: null });
    if (seq > session.events.length) return connection.close(4007);
    this.resumes += 1;
    session.connection = connection;
    for (const event of session.events) if (event.s > seq - this.overReplay) connection.send({ op: 0, ...event });
    this.#push(session, "RESUMED", { _trace: [] });
  }

  closed(connection: GatewayConnection, code: number): void {
    this.#connections.delete(connection);
    this.closedWith.push(code);
    const session = this.#session;
    if (session?.connection !== connection) return;
    session.connection = null;
    if (code === 1000 || code === 1001) session.valid = false;
  }

  dispose(): void {
    this.tearAll();
    for (const socket of this.#pending) socket.destroy();
  }

  #push(session: Session, t: string, d: Json): void {
    const event: Dispatched = { s: session.events.length + 1, t, d };
    session.events.push(event);
    session.connection?.send({ op: 0, ...event });
  }
}
