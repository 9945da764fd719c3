import type { Clock } from "../../foundation/clock.ts";
import type { Log } from "../../foundation/log.ts";
import { printable } from "../../foundation/printable.ts";
import type { TaskGroup } from "../../foundation/task-group.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { AnswerButton } from "../../vocabulary/act.ts";
import type { Part } from "../../vocabulary/part.ts";
import type { SettledCard } from "../../vocabulary/calls/settled-card.ts";

const MAX_TRIES = 5;
const FIRST_WAIT_MS = 2_000;
/** A message older than this keeps its buttons, which do nothing. */
const SINCE_MS = 7 * 86_400_000;

/** What is drawn under questions where a platform has buttons, and what is told there afterwards. */
export interface CardPolicy {
  /** The buttons of a question's last part; none where it asks nothing any more. */
  buttons(part: Part): readonly AnswerButton[];
  /** What became of a question. */
  settled(card: SettledCard): string;
}

/** What cards work with. */
export interface CardsNeeds {
  readonly clock: Clock;
  readonly log: Log;
  readonly tasks: TaskGroup;
  readonly surfaces: () => Iterable<Surface>;
  readonly ledger: Pick<Store["calls"], "closedCard"> & Pick<StoreReader["calls"], "settledCards">;
  /** Nothing is ever drawn when it is left out. */
  readonly policy: CardPolicy | undefined;
}

/**
 * Keeps the messages of questions true (SE-084).
 *
 * C1  Buttons are drawn from the question as it stands when its last part leaves, so that a restart draws the same ones.
 * C2  Whatever settled a question, its message is changed behind it; what a kill or an outage leaves open is asked for again.
 */
export class Cards {
  readonly #needs: CardsNeeds;
  #busy = false;
  #again = false;

  constructor(needs: CardsNeeds) {
    this.#needs = needs;
  }

  /** The part as it leaves. */
  drawn(part: Part): Part {
    const { policy } = this.#needs;
    if (policy === undefined || part.place.kind !== "direct" || part.index !== part.count - 1) return part;
    if (!this.#closing().some(({ name }) => name === part.place.surface)) return part;
    const buttons = policy.buttons(part);
    return buttons.length === 0 ? part : { ...part, buttons };
  }

  /** Questions may have been settled: see to their messages. Returns at once. */
  look(): void {
    const { tasks, policy } = this.#needs;
    this.#again = true;
    if (this.#busy || policy === undefined || tasks.signal.aborted) return;
    this.#busy = true;
    tasks.start(async (signal) => {
      try {
        while (this.#again) {
          this.#again = false;
          await this.#closeAll(policy, signal);
        }
      } finally {
        this.#busy = false;
      }
    });
  }

  #closing(): readonly Surface[] {
    return [...this.#needs.surfaces()].filter((surface) => surface.closeCard !== undefined);
  }

  async #closeAll(policy: CardPolicy, signal: AbortSignal): Promise<void> {
    const { clock, ledger } = this.#needs;
    const surfaces = this.#closing();
    if (surfaces.length === 0) return;
    const names = surfaces.map(({ name }) => name);
    for (const card of ledger.settledCards(names, clock.nowMs() - SINCE_MS)) {
      const surface = surfaces.find(({ name }) => name === card.place.surface);
      if (surface !== undefined) await this.#close(surface, { card, words: policy.settled(card) }, signal);
    }
  }

  async #close(
    surface: Surface,
    { card, words }: { readonly card: SettledCard; readonly words: string },
    signal: AbortSignal,
  ): Promise<void> {
    const { clock, log, ledger } = this.#needs;
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const outcome = (await surface.closeCard?.(card, words, signal)) ?? { kind: "refused", reason: "no_way" };
      if (outcome.kind !== "later") {
        if (outcome.kind === "refused") log.write("info", "card_left", { part: printable(card.part), reason: printable(outcome.reason) });
        return ledger.closedCard({ part: card.part, closed: outcome.kind === "closed" });
      }
      await clock.sleep(Math.max(outcome.afterMs, FIRST_WAIT_MS * 2 ** tries), signal);
    }
    // It stays to be done: the next look asks again.
    log.write("warn", "card_left", { part: printable(card.part), reason: printable("no_answer") });
  }
}
