import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { SurfaceName, TurnId } from "../../vocabulary/ids.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

const MAX_TRIES = 5;
const FIRST_WAIT_MS = 2_000;

type Taken = Awaited<ReturnType<Store["conversations"]["takeBack"]>>;
type PostedPart = ReturnType<StoreReader["conversations"]["takingBack"]>[number];

/** What taking back works with. */
export interface TakeBacksNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: TaskGroup;
  readonly surface: (name: SurfaceName) => Surface | undefined;
  readonly ledger: Pick<Store["conversations"], "takeBack" | "tookBack"> & Pick<StoreReader["conversations"], "takingBack">;
}

/**
 * Takes back what was said (TR-081).
 *
 * B1  It is kept that a line is taken back, and the line is unsaid, before its platform is asked for anything.
 * B2  Deleting twice is deleting once, so whatever a kill leaves open the next start asks for again.
 */
export class TakeBacks {
  readonly #needs: TakeBacksNeeds;

  constructor(needs: TakeBacksNeeds) {
    this.#needs = needs;
  }

  /** Take back what a turn said; resolves once that is kept, and the platform is asked behind it. */
  async take(turn: TurnId, by: PrincipalId): Promise<Taken["kind"]> {
    const { clock, ledger } = this.#needs;
    const result = await ledger.takeBack({ turn, by, atMs: clock.nowMs() });
    if (result.kind === "taken") this.#deleteAll(result.parts);
    return result.kind;
  }

  /** Go on with what an earlier process left. */
  resume(): void {
    this.#deleteAll(this.#needs.ledger.takingBack());
  }

  #deleteAll(parts: readonly PostedPart[]): void {
    const { tasks } = this.#needs;
    if (parts.length > 0 && !tasks.signal.aborted)
      tasks.start(async (signal) => {
        for (const part of parts) await this.#delete(part, signal);
      });
  }

  async #delete(part: PostedPart, signal: AbortSignal): Promise<void> {
    const { clock, log, ledger } = this.#needs;
    const surface = this.#needs.surface(part.place.surface);
    for (let tries = 0; surface?.takeBack !== undefined && tries < MAX_TRIES; tries += 1) {
      const outcome = await surface.takeBack(part, signal);
      if (outcome.kind !== "later") {
        const gone = outcome.kind === "gone";
        if (!gone) log.write("warn", "part_not_taken_back", { part: printable(part.part), reason: printable(outcome.reason) });
        return ledger.tookBack({ part: part.part, gone });
      }
      await clock.sleep(Math.max(outcome.afterMs, FIRST_WAIT_MS * 2 ** tries), signal);
    }
    // It stays to be done: the next start asks again.
    log.write("warn", "part_not_taken_back", { part: printable(part.part), reason: printable("no_answer") });
  }
}
