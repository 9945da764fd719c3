import type { MessageId } from "../../vocabulary/ids.ts";

/** Lines that are remembered; one that was taken away longer ago has ended. */
const MAX_REMEMBERED = 4_096;

/** Lines that were taken away where they were said, the newest: a line may be on its way into a turn when word of that comes. */
export class RemovedLines {
  readonly #ids = new Set<MessageId>();

  note(id: MessageId): void {
    this.#ids.add(id);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MAX_REMEMBERED) break;
      this.#ids.delete(oldest);
    }
  }

  has(id: MessageId): boolean {
    return this.#ids.has(id);
  }
}
