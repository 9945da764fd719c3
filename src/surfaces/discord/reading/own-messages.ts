const MAX_REMEMBERED = 4_096;

/** Ids of messages that the bot itself wrote, the newest: for replies whose target the platform does not tell. */
export class OwnMessages {
  readonly #ids = new Set<string>();

  note(messageId: string): void {
    this.#ids.add(messageId);
    for (const oldest of this.#ids) {
      if (this.#ids.size <= MAX_REMEMBERED) break;
      this.#ids.delete(oldest);
    }
  }

  has(messageId: string): boolean {
    return this.#ids.has(messageId);
  }
}
