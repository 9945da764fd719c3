import type { FetchingStrategyOptions, SessionInfo } from "@discordjs/ws";
import { WebSocketShard } from "@discordjs/ws";
import { onNextTurn } from "../../../foundation/clock.ts";

/** A numbered event. */
export interface DispatchedEvent {
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** What a connection asks while it stands, and tells. */
export interface ShardListener {
  /** The session to take up; null to begin a new one. */
  session(): SessionInfo | null;
  /** Resolves once a new session may be begun. */
  mayIdentify(signal: AbortSignal): Promise<void>;
  resumed(): void;
  /** One event, in the order of their numbers. */
  dispatch(event: DispatchedEvent): void;
  acknowledged(): void;
  /** Once: the connection is over, with the code it was closed with. */
  closed(code: number): void;
  /** Something in the library failed that would otherwise end the process. */
  broke(): void;
}

/** What of the library runs by itself and leaves its failures to nobody. */
const UNWATCHED = ["internalConnect", "onMessage", "onClose", "heartbeat", "destroy"] as const;
const NEVER = new Promise<never>(() => {});
/** Closed in good order, so that the session can be taken up again. */
export const CLOSE_TO_RESUME = 4200;

/**
 * One connection of the library, used once. The library connects again by itself in ways that overlap, and what fails while it does so
 * would end the process (`void` promises, an `error` event nobody listens to). Here a connection that is over stays over: whatever
 * the library still wants of it waits for ever, and its failures are told.
 *
 * It reaches for members that the types call private; the version is pinned, and a test looks whether they are still there.
 */
export class ContainedShard {
  readonly #shard: WebSocketShard;
  readonly #listener: ShardListener;
  readonly #gathered: DispatchedEvent[] = [];
  #over = false;

  constructor(options: FetchingStrategyOptions, listener: ShardListener) {
    this.#listener = listener;
    this.#shard = new WebSocketShard(
      {
        options,
        // Asked before each connection and at each heartbeat: one that is over gets no answer, so nothing follows.
        retrieveSessionInfo: () => (this.#over ? NEVER : listener.session()),
        updateSessionInfo: () => {},
        waitForIdentify: (_id, signal) => (this.#over ? NEVER : listener.mayIdentify(signal)),
      },
      0,
    );
    for (const name of UNWATCHED) this.#watch(name);
    this.#listen();
  }

  /** Whether the library still has what is reached for; else it is another version. */
  static get intact(): boolean {
    return UNWATCHED.every((name) => typeof Reflect.get(WebSocketShard.prototype, name) === "function");
  }

  connect(): void {
    this.#shard.connect().then(
      () => {},
      () => this.#broke(),
    );
  }

  /** End it: closed with the code if it stands, torn if it does not close by `graceMs`. Tells nothing any more. */
  end(code: number, wait: (ms: number, then: () => void) => Disposable, graceMs: number): void {
    this.#over = true;
    const socket = this.#socket();
    this.#shard.destroy({ code }).then(
      () => {},
      () => {},
    );
    if (socket !== null) wait(graceMs, () => void socket.terminate());
  }

  #listen(): void {
    const tell = (act: () => void): void => {
      if (!this.#over) act();
    };
    this.#shard.on("resumed", () => tell(() => this.#listener.resumed()));
    this.#shard.on("heartbeat", () => tell(() => this.#listener.acknowledged()));
    this.#shard.on("dispatch", (payload: unknown) => this.#gather(payload));
    this.#shard.on("closed", (code: unknown) => this.#closed(typeof code === "number" ? code : 1006));
    // An event of this name without a listener is thrown; the code comes with `closed`.
    this.#shard.on("error", () => {});
    this.#shard.on("socketError", () => {});
  }

  /**
   * Gather the events of this turn of the loop and tell them by number: the library lets a later one pass an earlier one that it has
   * more to do with.
   */
  #gather(payload: unknown): void {
    const event = eventOf(payload);
    if (this.#over || event === null) return;
    if (this.#gathered.push(event) === 1) onNextTurn(() => this.#flush());
  }

  #flush(): void {
    const events = this.#gathered.splice(0).toSorted((a, b) => a.s - b.s);
    for (const event of events) if (!this.#over) this.#listener.dispatch(event);
  }

  #closed(code: number): void {
    if (this.#over) return;
    this.#flush();
    this.#over = true;
    this.#listener.closed(code);
  }

  #broke(): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.broke();
  }

  /** Let a member of the library fail into our hands. */
  #watch(name: (typeof UNWATCHED)[number]): void {
    const inner = memberOf(this.#shard, name);
    if (inner === null) return;
    const outer = async (...given: unknown[]): Promise<unknown> => {
      try {
        return await inner(...given);
      } catch {
        this.#broke();
        return undefined;
      }
    };
    Object.defineProperty(this.#shard, name, { value: outer });
  }

  /** The socket, with a listener for its failures: without one, a connection that fails after its end would end the process. */
  #socket(): { readonly terminate: Member } | null {
    const socket: unknown = Reflect.get(this.#shard, "connection");
    if (typeof socket !== "object" || socket === null) return null;
    const [on, terminate] = [memberOf(socket, "on"), memberOf(socket, "terminate")];
    if (on === null || terminate === null) return null;
    on("error", () => {});
    return { terminate };
  }
}

type Member = (...given: unknown[]) => unknown;

/** What the library has under a name, if it can be called. */
function memberOf(owner: object, name: string): Member | null {
  const member: unknown = Reflect.get(owner, name);
  if (typeof member !== "function") return null;
  return (...given) => {
    const result: unknown = Reflect.apply(member, owner, given);
    return result;
  };
}

function eventOf(payload: unknown): DispatchedEvent | null {
  if (typeof payload !== "object" || payload === null) return null;
  const t: unknown = Reflect.get(payload, "t");
  const s: unknown = Reflect.get(payload, "s");
  const d: unknown = Reflect.get(payload, "d");
  return typeof t === "string" && typeof s === "number" && Number.isSafeInteger(s) ? { t, s, d } : null;
}
