import type { Clock } from "../../foundation/clock.ts";
import type { TurnId } from "../../vocabulary/ids.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import { Origin } from "../../vocabulary/origin.ts";
import type { Part, Receipt } from "../../vocabulary/part.ts";
import type { Place } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { isNamed } from "../../vocabulary/principal.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { EngagementRule } from "./engagement.ts";
import { Engagement } from "./engagement.ts";
import { LoopControl } from "./loop-control.ts";
import type { Partition } from "./partitioned-table.ts";
import { Reflections } from "./reflections.ts";

/** Whom a running turn answers. */
interface Answered {
  readonly person: PrincipalId;
  readonly partition: Partition;
}

/**
 * What delivery tells admission: the road's only way back (TR-001). It lives as long as the road, so a reconnect of a surface
 * forgets nothing (MC-022).
 */
export class Feedback {
  readonly reflections: Reflections;
  readonly engagement: Engagement;
  readonly loops: LoopControl;
  /** Turns that run now; each is taken out when it ends. */
  readonly #running = new Map<TurnId, Answered>();

  constructor(clock: Clock, rule: () => EngagementRule) {
    this.reflections = new Reflections(clock);
    this.engagement = new Engagement(clock, rule);
    this.loops = new LoopControl(clock);
  }

  /** A turn began or ended. */
  turn(turn: Turn, runs: boolean): void {
    if (!runs) this.#running.delete(turn.id);
    else if (turn.place.kind === "public") {
      this.#running.set(turn.id, { person: turn.person, partition: partitionOf(Origin.factsOf(turn.origin)) });
    }
  }

  /** A part goes to its platform now. */
  sending(part: Part): void {
    this.reflections.remember(part.place, part.body);
    if (part.action !== "") this.reflections.remember(part.place, `${part.action} ${part.body}`);
    this.loops.spoke(part.place.id);
  }

  /** A part is settled. One that was delivered begins a conversation with whom it answers (MC-023). */
  receipt(receipt: Receipt): void {
    const answered = this.#running.get(receipt.turn);
    if (answered !== undefined && receipt.state === "delivered") this.engagement.begin(receipt.character, receipt.place.id, answered);
  }

  /** A person left a place, or everyone there is out of reach. */
  left(place: Place, person: PrincipalId | null): void {
    this.engagement.end(place.id, person);
  }
}

/** Which half of a bounded table somebody's entries are in (SE-090). */
export function partitionOf({ role, invited }: Pick<OriginFacts, "role" | "invited">): Partition {
  return isNamed(role) || invited === true ? "named" : "free";
}
