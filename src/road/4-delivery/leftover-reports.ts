import type { StoreReader } from "../../store/store.ts";
import type { DeliveryObservation } from "../../vocabulary/delivery-observation.ts";
import { deliveryOutcome } from "../../vocabulary/delivery-observation.ts";
import type { Part } from "../../vocabulary/part.ts";
import type { Leftover } from "./leftovers.ts";
import { sendLeftover } from "./leftovers.ts";
import type { Outbox } from "./outbox.ts";

/** The one observation of each reply whose sending an earlier process began (MC-062): what the store holds of its parts decides. */
export class LeftoverReports {
  readonly #ledger: { readonly generation: number } & Pick<StoreReader, "deliveryOf">;
  readonly #report: (observation: DeliveryObservation) => void;

  constructor(
    ledger: { readonly generation: number } & Pick<StoreReader, "deliveryOf">,
    report: (observation: DeliveryObservation) => void,
  ) {
    this.#ledger = ledger;
    this.#report = report;
  }

  /** Report the turns whose parts were all settled by asking the platform: those of `sending` with nothing left. */
  concluded(sending: readonly Part[], leftovers: readonly Leftover[]): void {
    const left = new Set(leftovers.map((leftover) => (leftover.again ?? leftover.queued[0])?.turn));
    for (const part of sending) if (!left.has(part.turn)) this.#observe(part);
  }

  /** Send what turns left, one after another, and report each. */
  async sendAll(outbox: Outbox, leftovers: readonly Leftover[], signal: AbortSignal): Promise<void> {
    for (const leftover of leftovers) {
      await sendLeftover(outbox, leftover, signal);
      const part = leftover.again ?? leftover.queued[0];
      if (part !== undefined) this.#observe(part);
    }
  }

  #observe({ turn, character, place }: Part): void {
    const found = this.#ledger.deliveryOf(turn);
    if (found === null) return;
    const delivered = found.parts.filter((state) => state === "delivered").length;
    const sent = { count: found.parts.length, delivered, late: found.parts.includes("expired") };
    this.#report({
      trigger: found.inbox,
      turn,
      character,
      place,
      person: found.person,
      generation: this.#ledger.generation,
      outcome: deliveryOutcome("answered", "", sent),
      parts: delivered,
    });
  }
}
