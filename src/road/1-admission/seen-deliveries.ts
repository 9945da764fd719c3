import type { Heard } from "../../vocabulary/inbound.ts";
import type { MessageId, SurfaceName } from "../../vocabulary/ids.ts";
import type { Partition } from "./partitioned-table.ts";
import { PartitionedTable } from "./partitioned-table.ts";

/** A delivery that was taken: its message, and the promise that ends with its commit. */
export interface Seen {
  readonly id: MessageId;
  readonly durable: Promise<Heard>;
}

/**
 * The bounded history of deliveries (MC-020, TR-052), kept across generations of a connection. Free identities push out only each
 * other's (SE-090); what went from here is still known to the store for a day.
 *
 * D1  A delivery is remembered only after every refusal, so a refused one can be delivered again.
 * D2  A duplicate waits for the first copy's commit; were it acknowledged earlier, a crash would lose the message.
 * D3  A commit that fails is forgotten at once, so the platform's next delivery is taken.
 */
export class SeenDeliveries {
  readonly #seen: PartitionedTable<Seen>;

  constructor(capacity: number) {
    this.#seen = new PartitionedTable(capacity);
  }

  get size(): number {
    return this.#seen.size;
  }

  find(surface: SurfaceName, deliveryId: string): Seen | undefined {
    return this.#seen.get(keyOf(surface, deliveryId));
  }

  /** Remember a delivery until its commit fails or newer ones push it out. */
  remember(surface: SurfaceName, deliveryId: string, seen: Seen, partition: Partition): void {
    const key = keyOf(surface, deliveryId);
    this.#seen.set(key, seen, partition);
    seen.durable.catch(() => {
      if (this.#seen.get(key) === seen) this.#seen.delete(key);
    });
  }
}

function keyOf(surface: SurfaceName, deliveryId: string): string {
  return `${surface}\n${deliveryId}`;
}
