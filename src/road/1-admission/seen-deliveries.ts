import type { Heard } from "../../vocabulary/inbound.ts";
import type { MessageId, SurfaceName } from "../../vocabulary/ids.ts";

/** A delivery that was taken: its message, and the promise that ends with its commit. */
export interface Seen {
  readonly id: MessageId;
  readonly durable: Promise<Heard>;
}

/**
 * The bounded history of deliveries (MC-020, TR-052), kept across generations of a connection.
 *
 * D1  A delivery is remembered only after every refusal, so a refused one can be delivered again.
 * D2  A duplicate waits for the first copy's commit; were it acknowledged earlier, a crash would lose the message.
 * D3  A commit that fails is forgotten at once, so the platform's next delivery is taken.
 */
export class SeenDeliveries {
  readonly #seen = new Map<string, Seen>();
  readonly #capacity: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#seen.size;
  }

  find(surface: SurfaceName, deliveryId: string): Seen | undefined {
    return this.#seen.get(keyOf(surface, deliveryId));
  }

  /** Remember a delivery until its commit fails or newer ones push it out. */
  remember(surface: SurfaceName, deliveryId: string, seen: Seen): void {
    const key = keyOf(surface, deliveryId);
    this.#seen.set(key, seen);
    for (const oldest of this.#seen.keys()) {
      if (this.#seen.size <= this.#capacity) break;
      this.#seen.delete(oldest);
    }
    seen.durable.catch(() => {
      if (this.#seen.get(key) === seen) this.#seen.delete(key);
    });
  }
}

function keyOf(surface: SurfaceName, deliveryId: string): string {
  return `${surface}\n${deliveryId}`;
}
