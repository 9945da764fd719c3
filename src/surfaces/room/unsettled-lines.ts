import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { MessageId } from "../../vocabulary/ids.ts";

const MAX_LINES = 256;

/** Characters' lines that are committed and not yet said or unsaid, the newest 256: what a change of state, which names only an id, is about. */
export class UnsettledLines {
  readonly #lines = new Map<MessageId, ChronicleEvent>();

  /** Remember a line on its way. */
  add(event: ChronicleEvent): void {
    this.#lines.set(event.id, event);
    const [oldest] = this.#lines.keys();
    if (this.#lines.size > MAX_LINES && oldest !== undefined) this.#lines.delete(oldest);
  }

  /** Let go of the lines of these turns. */
  drop(turns: ReadonlySet<string>): void {
    for (const [id, { turn }] of this.#lines) if (turn !== undefined && turns.has(turn)) this.#lines.delete(id);
  }

  /** Let go of a line and give it in its final state; null when it is not remembered. */
  settle(id: MessageId, state: ChronicleEvent["state"]): ChronicleEvent | null {
    const event = this.#lines.get(id);
    this.#lines.delete(id);
    return event === undefined ? null : { ...event, state };
  }
}
