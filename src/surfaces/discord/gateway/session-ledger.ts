import type { SessionInfo } from "@discordjs/ws";

/** A session as it is kept across processes: where it can be taken up again, and what of it is done with. */
export interface KeptSession {
  readonly id: string;
  readonly url: string;
  /** The last event that everything up to it is done with. */
  readonly seq: number;
}

/**
 * What of a session is done with. Events are numbered, and taking a session up again tells everything after the number one names: so
 * that number is that of the last event behind which nothing is still being worked on, never that of the last one received. A crash
 * then costs repetitions, which are known by their ids, and never a message.
 */
export class SessionLedger {
  #session: KeptSession | null;
  #received: number;
  /** Numbers that are done with beyond the first that is not. */
  readonly #done = new Set<number>();
  readonly #changed: () => void;

  constructor(session: KeptSession | null, changed: () => void) {
    this.#session = session;
    this.#received = session?.seq ?? 0;
    this.#changed = changed;
  }

  /** The session as it may be taken up again; null when there is none. */
  get session(): KeptSession | null {
    return this.#session;
  }

  /** Events that were received and are still being worked on. */
  get open(): number {
    return this.#session === null ? 0 : Math.max(0, this.#received - this.#session.seq - this.#done.size);
  }

  /** A new session began; nothing of the one before can be told again. */
  begin(id: string, url: string, seq: number): void {
    this.#session = { id, url, seq: seq - 1 };
    this.#received = seq - 1;
    this.#done.clear();
    this.#changed();
  }

  /** The session cannot be taken up again. */
  lose(): void {
    if (this.#session === null) return;
    this.#session = null;
    this.#received = 0;
    this.#done.clear();
    this.#changed();
  }

  /** An event came in. Call what is returned once it is done with; a repetition of one that is done has nothing to do. */
  take(seq: number): () => void {
    const session = this.#session;
    this.#received = Math.max(this.#received, seq);
    return () => {
      if (this.#session === null || this.#session.id !== session?.id || seq <= this.#session.seq) return;
      this.#done.add(seq);
      let last = this.#session.seq;
      while (this.#done.delete(last + 1)) last += 1;
      if (last === this.#session.seq) return;
      this.#session = { ...this.#session, seq: last };
      this.#changed();
    };
  }

  /** The session in the library's form, for one shard. */
  get info(): SessionInfo | null {
    if (this.#session === null) return null;
    const { id, url, seq } = this.#session;
    return { sessionId: id, resumeURL: url, sequence: seq, shardId: 0, shardCount: 1 };
  }
}
