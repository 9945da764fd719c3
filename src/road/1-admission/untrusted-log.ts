import type { MessageId } from "../../vocabulary/ids.ts";

/** Ids that the log can hold (TR-022). */
const CAPACITY = 30;

/** The ring of lines that nobody trusted said: ids alone. Reserved: unless `keeps` is set, nothing enters it (TR-022). */
export class UntrustedLog {
  readonly #keeps: boolean;
  readonly #ids: MessageId[] = [];

  constructor(keeps = false) {
    this.#keeps = keeps;
  }

  /** The newest ids, oldest first. */
  get ids(): readonly MessageId[] {
    return [...this.#ids];
  }

  note(id: MessageId): void {
    if (!this.#keeps) return;
    this.#ids.push(id);
    if (this.#ids.length > CAPACITY) this.#ids.shift();
  }
}
