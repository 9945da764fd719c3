import type { Clock } from "../../foundation/clock.ts";
import { abortReason } from "../../foundation/clock.ts";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { Inbox, Surface, SurfaceProfile } from "../../surfaces/surface.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import { parseCharacterId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { Heard, InboundEvent, SenderKind } from "../../vocabulary/inbound.ts";
import type { Part, ReadBack, SendOutcome } from "../../vocabulary/part.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";

/** One line that somebody says on a platform. */
export interface PlatformLine {
  /** The platform's id of it; the same when it is delivered again. */
  readonly delivery: string;
  /** The speaker's account: letters, digits, `_` and `-`. */
  readonly from: string;
  /** What the platform shows as the speaker's name; the account by default. Data, never identity. */
  readonly name?: string;
  /** `person` by default, also for bots of platforms that mark none. */
  readonly kind?: SenderKind;
  /** A free identity: anybody may make one without leaving a name. Not one by default. */
  readonly free?: boolean;
  /** The character of the direct line it is said in; said in public by default. */
  readonly direct?: string;
  readonly text: string;
  /** Characters that the platform's own markup mentions, or `everyone`, or `others`. */
  readonly mentions?: readonly string[];
  /** The character whose line it answers. */
  readonly replyTo?: string;
}

/** What a platform does with a part: takes it, surely refuses it, takes it and never answers, or never takes nor answers. */
export type Taking = "take" | "refuse" | "take_in_silence" | "lose";

/** One part as the platform's own ledger has it. */
export interface TakenPart {
  readonly part: string;
  readonly turn: string;
  readonly index: number;
  readonly count: number;
  readonly character: string;
  readonly place: string;
  readonly body: string;
  readonly action: string;
  readonly atMs: number;
}

/** How a simulated platform behaves. */
export interface PlatformOptions {
  /** A lower-case word. */
  readonly name: string;
  readonly clock: Clock;
  readonly profile?: Partial<SurfaceProfile>;
  /** What becomes of a part, by part and by how many came before on this platform; it is taken by default. */
  readonly taking?: (part: Part, before: number) => Taking;
  /** Milliseconds a send takes; 0 by default. */
  readonly sendMs?: number;
  /** Names of people who are there. */
  readonly people?: readonly string[];
}

const PROFILE: SurfaceProfile = {
  limits: { maxBytes: 1_000 },
  readsBack: true,
  pacing: { public: { burst: 3, everyMs: 1_500 }, direct: { burst: 5, everyMs: 1_000 } },
  timing: { quietMs: 0, holdMs: 0, fragments: 1 },
  keepsAmbient: false,
};

/**
 * A chat platform in memory that outlives the runtimes that connect to it: it keeps every part it took, repeats included, and
 * every line until it is acknowledged.
 */
export class SimulatedPlatform {
  readonly name: SurfaceName;
  /** Parts in the order they were taken. */
  readonly ledger: TakenPart[] = [];
  /** What each delivery was acknowledged as, the first time. */
  readonly acknowledged: Map<string, Heard> = new Map();
  readonly #options: PlatformOptions;
  readonly #pending = new Map<string, PlatformLine>();
  readonly #listeners: ((taken: TakenPart) => void)[] = [];
  #life: Life | null = null;
  #sends = 0;
  #activity = 0;

  constructor(options: PlatformOptions) {
    this.name = parseSurfaceName(options.name);
    this.#options = options;
  }

  /** Rises with everything a runtime does to the platform. */
  get activity(): number {
    return this.#activity;
  }

  /** Lines that were delivered and not acknowledged. */
  get unacknowledged(): readonly PlatformLine[] {
    return [...this.#pending.values()];
  }

  /** The surface for one life of a runtime; an earlier one hears and sends nothing from then on. */
  connect(): Surface {
    const life = new Life(
      this.name,
      { ...PROFILE, ...this.#options.profile },
      {
        send: (part, signal) => this.#take(part, signal),
        readBack: (part) => this.#find(part),
        people: () => this.#options.people ?? [],
      },
    );
    this.#life = life;
    return life;
  }

  /** Call `listener` with each part that is taken. */
  onTaken(listener: (taken: TakenPart) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Deliver a line once; it stays unacknowledged when the runtime is gone before it answers.
   * Resolves with what it was acknowledged as, null when it was not.
   */
  async deliver(line: PlatformLine, signal: AbortSignal): Promise<Heard | null> {
    if (!this.acknowledged.has(line.delivery)) this.#pending.set(line.delivery, line);
    const inbox = this.#life?.inbox ?? null;
    if (inbox === null) return null;
    try {
      const heard = await inbox.hear(eventOf(line, this.name, this.#options.clock.nowMs()), signal);
      this.#activity += 1;
      this.#pending.delete(line.delivery);
      if (!this.acknowledged.has(line.delivery)) this.acknowledged.set(line.delivery, heard);
      return heard;
    } catch (error) {
      if (isRuntimeError(error)) return null;
      throw error;
    }
  }

  /** Somebody takes a line away: it is delivered no more, and the runtime is told. */
  remove(delivery: string): void {
    this.#pending.delete(delivery);
    this.#life?.inbox?.removed?.(this.name, delivery);
  }

  /** Tell the runtime that a person left the public place, or that everyone did. */
  left(from: string | null): void {
    this.#life?.inbox?.left?.(publicPlace(this.name), from === null ? null : accountOf(from, false));
  }

  /** The runtime dies: what it says from now on reaches nobody. */
  disconnect(): void {
    this.#life?.end();
    this.#life = null;
  }

  async #take(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    const taking = this.#options.taking?.(part, this.#sends) ?? "take";
    this.#sends += 1;
    this.#activity += 1;
    if (this.#options.sendMs !== undefined) await this.#options.clock.sleep(this.#options.sendMs, signal);
    if (taking === "refuse") return { kind: "failed", reason: "refused" };
    if (taking !== "lose") this.#write(part);
    if (taking === "take") return { kind: "delivered", platformId: `x-${part.id}` };
    return never(signal);
  }

  #write(part: Part): void {
    const { id, turn, index, count, character, place, body, action } = part;
    const taken = { part: id, turn, index, count, character, place: place.id, body, action, atMs: this.#options.clock.nowMs() };
    this.ledger.push(taken);
    for (const listener of this.#listeners) listener(taken);
  }

  #find(part: Part): ReadBack {
    this.#activity += 1;
    if (this.#options.profile?.readsBack === false) return { kind: "unreadable" };
    return this.ledger.some((one) => one.part === part.id) ? { kind: "present", platformId: `x-${part.id}` } : { kind: "absent" };
  }
}

interface World {
  send(part: Part, signal: AbortSignal): Promise<SendOutcome>;
  readBack(part: Part): ReadBack;
  people(): readonly string[];
}

/** One connection; after its end it sends into the void. */
class Life implements Surface {
  readonly kind = "simulated";
  readonly name: SurfaceName;
  readonly profile: SurfaceProfile;
  readonly #world: World;
  inbox: Inbox | null = null;
  #ended = false;

  constructor(name: SurfaceName, profile: SurfaceProfile, world: World) {
    this.name = name;
    this.profile = profile;
    this.#world = world;
  }

  open(inbox: Inbox): Promise<void> {
    this.inbox = inbox;
    return Promise.resolve();
  }

  send(part: Part, signal: AbortSignal): Promise<SendOutcome> {
    return this.#ended ? never(signal) : this.#world.send(part, signal);
  }

  readBack(part: Part): Promise<ReadBack> {
    return Promise.resolve(this.#world.readBack(part));
  }

  typing(): void {}

  people(): readonly string[] {
    return this.#world.people();
  }

  end(): void {
    this.#ended = true;
    this.inbox = null;
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.end();
    return Promise.resolve();
  }
}

/** An answer that never comes: only the owner's signal ends the wait. */
function never(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => reject(abortReason(signal));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
}

/** The principal of an account on a simulated platform; a free identity is a member of a room. */
export function accountOf(from: string, free: boolean): InboundEvent["sender"]["principal"] {
  return parsePrincipalId(`${free ? "room" : "scripted"}:${from}`);
}

function eventOf(line: PlatformLine, surface: SurfaceName, atMs: number): InboundEvent {
  const free = line.free === true;
  const principal = accountOf(line.from, free);
  const { mentions, replyTo } = line;
  return {
    surface,
    deliveryId: line.delivery,
    atMs,
    sender: {
      principal,
      displayName: line.name ?? line.from,
      kind: line.kind ?? "person",
      assurance: free ? "anonymous" : "platform",
    },
    place: line.direct === undefined ? publicPlace(surface) : directPlace(surface, parseCharacterId(line.direct), principal),
    alone: false,
    text: line.text,
    ...(mentions === undefined ? {} : { mentions: mentionsOf(mentions) }),
    ...(replyTo === undefined ? {} : { replyTo: parseCharacterId(replyTo) }),
  };
}

function mentionsOf(words: readonly string[]): NonNullable<InboundEvent["mentions"]> {
  const characters: CharacterId[] = words.filter((word) => word !== "everyone" && word !== "others").map(parseCharacterId);
  return { characters, others: words.includes("others"), everyone: words.includes("everyone") };
}

/** Refuse a platform that nobody named. @throws RuntimeError `not_found` */
export function platformNamed(platforms: readonly SimulatedPlatform[], name: string): SimulatedPlatform {
  const found = platforms.find((one) => one.name === name);
  if (found === undefined) throw new RuntimeError("not_found", "Cannot deliver: there is no such platform");
  return found;
}
