import type { Clock } from "../../foundation/clock.ts";
import type { ActAnswer, ActTaken, PersonalAct } from "../../vocabulary/act.ts";
import { CommandPace } from "./command-pace.ts";
import type { Partition } from "./partitioned-table.ts";
import { PartitionedTable } from "./partitioned-table.ts";

/** Acts whose ids are remembered: one that is delivered again is no second act. */
const MAX_SEEN = 4_096;
const IGNORED: ActTaken = { kind: "ignored" };

/** What follows from an act. */
export type ActWork = (signal: AbortSignal) => Promise<ActAnswer>;

/** What acts are taken by. */
export interface ActsNeeds {
  readonly clock: Clock;
  /** Whose half of the tables a person fills. */
  readonly partitionOf: (person: PersonalAct["sender"]["principal"]) => Partition;
  /** Whoever runs this may do as much as it takes. */
  readonly isOperator: (person: PersonalAct["sender"]["principal"]) => boolean;
  /** What an act comes to; null where it is for nobody here. */
  readonly workOf: (act: PersonalAct) => ActWork | null;
}

/**
 * Takes what people do beside talking: once, at the pace of commands, and only from people. What it comes to is not decided here, and
 * nothing of it is anybody's conversation.
 */
export class Acts {
  readonly #needs: ActsNeeds;
  readonly #pace: CommandPace;
  readonly #seen = new PartitionedTable<true>(MAX_SEEN);

  constructor(needs: ActsNeeds) {
    this.#needs = needs;
    this.#pace = new CommandPace(needs.clock);
  }

  take(act: PersonalAct): ActTaken {
    if (act.sender.kind !== "person") return IGNORED;
    const key = `${act.surface}\n${act.deliveryId}`;
    if (this.#seen.get(key) !== undefined) return IGNORED;
    const work = this.#needs.workOf(act);
    if (work === null) return IGNORED;
    const { principal: person } = act.sender;
    const partition = this.#needs.partitionOf(person);
    // Refused first, remembered then: a copy of one that found no room may find it.
    if (!this.#needs.isOperator(person) && !this.#pace.tryTake({ person, place: act.place }, partition)) return IGNORED;
    this.#seen.set(key, true, partition);
    return { kind: "taken", answer: work };
  }
}
