import type { Clock } from "../../foundation/clock.ts";
import { throwIfAborted } from "../../foundation/cancellation.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { IdSource } from "../../foundation/ids.ts";
import type { Log } from "../../foundation/log.ts";
import { TaskGroup } from "../../foundation/task-group.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import type { Lifecycle, LifecycleState } from "../../vocabulary/lifecycle.ts";
import type { Part, ReadBack, SendOutcome } from "../../vocabulary/part.ts";
import type { Place } from "../../vocabulary/place.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { answerFailure } from "../../web/answers.ts";
import { mintGuestGraph } from "../../web/guest-graph.ts";
import type { FetchHandler } from "../../web/serve-request.ts";
import type { Listener, Reach } from "../../web/web.ts";
import { openListener } from "../../web/web.ts";
import type { Inbox, Surface, SurfaceProfile } from "../surface.ts";
import { AddressLimits } from "./address-limits.ts";
import { createGuestRoutes } from "./guest-routes.ts";
import { Members } from "./members.ts";
import type { Lines, Outcomes, RoomConfig, RoomStore, Voices } from "./ports.ts";
import type { EndReason } from "./protocol.ts";
import { Redemption } from "./redemption.ts";
import type { StageHandler } from "./stage-routes.ts";
import { createStageRoutes } from "./stage-routes.ts";
import { Stage } from "./stage.ts";

const JOIN_MS = 2_000;

/** What the road must know of a room: its record is the database, so a restart sends again what may not have been shown. */
export const ROOM_PROFILE: SurfaceProfile = {
  limits: { maxCodePoints: 2_000 },
  readsBack: true,
  pacing: { public: { burst: 3, everyMs: 1_500 }, direct: { burst: 5, everyMs: 1_000 } },
  timing: { quietMs: 900, holdMs: 4_000, fragments: 8 },
  keepsAmbient: true,
};

/** What a room stands on. */
export interface RoomNeeds {
  readonly config: RoomConfig;
  readonly store: RoomStore;
  readonly lines: Lines;
  readonly outcomes: Outcomes;
  readonly voices: Voices;
  readonly floor: { readonly clock: Clock; readonly ids: IdSource; readonly log: Log };
}

/** A web room. Disposing it ends its pages first, then its listener. */
export interface Room extends Surface {
  readonly title: string;
  /** Where guests come in; null until it has its port. */
  readonly url: string | null;
  /**
   * Take the port, before anything an earlier process left is touched: a taken port then costs nothing (TR-085). Until
   * {@link Surface.open} every request is answered 503. @throws RuntimeError `port_in_use`
   */
  takePort(signal: AbortSignal): Promise<void>;
  /** As it was configured. */
  readonly config: RoomConfig;
  /** The port it holds; null until then. */
  readonly port: number | null;
  /** Show somebody out at once: every page of theirs is told why and closed. */
  dismiss(person: PrincipalId, reason: Extract<EndReason, "revoked" | "expired">): void;
  /** The stage's routes for a viewer whom the caller vouches for: the console's way in. Guests can't reach it. */
  readonly serve: StageHandler;
}

/**
 * Make a room as a surface: browsers are members with a secret (SE-087), each page is told what its reader may know. Its port
 * is taken by {@link Room.takePort}, or else by {@link Surface.open}.
 */
export function openRoom(needs: RoomNeeds, signal: AbortSignal): Room {
  throwIfAborted(signal);
  return new WebRoom(needs);
}

class WebRoom implements Room {
  readonly kind = "room";
  readonly profile: SurfaceProfile = ROOM_PROFILE;
  readonly name: SurfaceName;
  readonly title: string;
  readonly serve: StageHandler;
  readonly #needs: RoomNeeds;
  readonly #stage: Stage;
  readonly #guests: FetchHandler;
  readonly #tasks: TaskGroup;
  #listener: Listener | null = null;
  #hears = false;
  #inbox: Inbox | null = null;
  #lifecycle: Lifecycle;

  constructor(needs: RoomNeeds) {
    const { config, floor, store } = needs;
    this.#needs = needs;
    this.#lifecycle = { state: "stopped", sinceMs: floor.clock.nowMs(), reason: "", retryAtMs: null, generation: 0 };
    this.name = config.name;
    this.title = config.title;
    this.#tasks = new TaskGroup({
      clock: floor.clock,
      joinMs: JOIN_MS,
      onFailure: (error) => floor.log.failure("room_task_failed", error),
    });
    this.#stage = new Stage({
      ...needs,
      clock: floor.clock,
      optedOut: (person) => store.read.optedOut(person),
      onPresence: (person, here) => this.#keepPresence(person, here),
    });
    this.serve = createStageRoutes({ stage: this.#stage, clock: floor.clock, log: floor.log, tasks: this.#tasks });
    const members = new Members({ config, store, clock: floor.clock, ids: floor.ids });
    const redemption = new Redemption({ config, store, clock: floor.clock, members });
    const limits = new AddressLimits(floor.clock, config.outside !== null);
    this.#guests = createGuestRoutes({ title: config.title, members, redemption, limits, stage: this.serve, log: floor.log });
  }

  get config(): RoomConfig {
    return this.#needs.config;
  }

  get port(): number | null {
    return this.#listener?.port ?? null;
  }

  dismiss(person: PrincipalId, reason: EndReason): void {
    this.#stage.dismiss(person, reason);
  }

  get url(): string | null {
    return this.#listener?.url ?? null;
  }

  async open(inbox: Inbox, signal: AbortSignal): Promise<void> {
    if (this.#hears) throw new RuntimeError("internal", "Cannot open the room: it is open");
    this.#stage.hearInto(inbox);
    this.#inbox = inbox;
    this.#hears = true;
    if (this.#listener === null) await this.takePort(signal);
    this.#enter("online");
  }

  async takePort(signal: AbortSignal): Promise<void> {
    const { config, floor } = this.#needs;
    const handler: FetchHandler = (request, from) => (this.#hears ? this.#guests(request, from) : answerFailure("closing"));
    const reach: Reach =
      config.outside === null ? { kind: "loopback", handler } : { kind: "public", handler: mintGuestGraph(handler), ...config.outside };
    this.#listener = await openListener(
      floor,
      { reach, port: config.port, key: `surfaces.${config.name}.port`, assets: config.assets },
      signal,
    );
    // Until the road lets people in, every request is answered that it is not open.
    if (!this.#hears) this.#enter("connecting");
  }

  /** Shown to whoever is here; who comes later reads it in the record. */
  send(part: Part, _signal: AbortSignal): Promise<SendOutcome> {
    this.#stage.show(part);
    return Promise.resolve({ kind: "delivered", platformId: part.id });
  }

  readBack(part: Part, _signal: AbortSignal): Promise<ReadBack> {
    return Promise.resolve(this.#stage.hasShown(part) ? { kind: "present", platformId: part.id } : { kind: "absent" });
  }

  typing(character: CharacterId, place: Place, on: boolean): void {
    this.#stage.typing(character, place, on);
  }

  people(): readonly string[] {
    return this.#stage.names();
  }

  lifecycle(): Lifecycle {
    return this.#lifecycle;
  }

  #enter(state: LifecycleState): void {
    const generation = this.#lifecycle.generation + (state === "online" ? 1 : 0);
    this.#lifecycle = { ...this.#lifecycle, state, sinceMs: this.#needs.floor.clock.nowMs(), generation };
  }

  #keepPresence(person: PrincipalId, here: boolean): void {
    // Whoever closed the last page is in no conversation any more (MC-026).
    if (!here) this.#inbox?.left?.(publicPlace(this.name), person);
    if (this.#tasks.signal.aborted) return;
    const atMs = this.#needs.floor.clock.nowMs();
    const row = { place: publicPlace(this.name).id, person, atMs, leftAtMs: here ? null : atMs };
    this.#tasks.start(() => this.#needs.store.setPresence(row));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#enter("shutting-down");
    // Pages are told first, so that their last line leaves before the connections close.
    this.#stage[Symbol.dispose]();
    await using _listener = this.#listener;
    await this.#tasks.close();
  }
}
