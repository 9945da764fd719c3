import type { Clock } from "../foundation/clock.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { MessageId, SurfaceName } from "../vocabulary/ids.ts";
import type { AsWritten, InboundEvent } from "../vocabulary/inbound.ts";
import type { InboxRow } from "../store/store.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { isNamed } from "../vocabulary/principal.ts";
import type { TriggerEntry } from "../vocabulary/trigger-entry.ts";
import { TriggerLog } from "./trigger-log.ts";

/** Messages whose turn has not begun, at most; the oldest are left out of the log then. */
const MAX_WAITING = 4_096;

interface Waiting {
  readonly person: PrincipalId;
  readonly written: AsWritten;
  /** The words that a command was read from. */
  readonly text: string;
  readonly saidAtMs: number;
}

/**
 * The log of each bot, filled from the road in its order: what was let in waits here, and becomes an entry once what was said before
 * it has been collected, and before anything is asked or answered (VS-039). A line that an earlier process heard is in no log.
 */
export class TriggerLogs {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #logs = new Map<SurfaceName, TriggerLog>();
  readonly #waiting = new Map<MessageId, Waiting>();

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** The log of a bot. */
  of(surface: SurfaceName): TriggerLog {
    const log = this.#logs.get(surface) ?? new TriggerLog(this.#clock);
    this.#logs.set(surface, log);
    return log;
  }

  /** A line was let in. */
  waiting({ id, role, person }: InboxRow, { asWritten, text, saidAtMs, atMs }: InboundEvent): void {
    if (asWritten === undefined || !isNamed(role)) return;
    this.#waiting.set(id, { person, written: asWritten, text, saidAtMs: saidAtMs ?? atMs });
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_WAITING && oldest !== undefined) this.#waiting.delete(oldest);
  }

  /** A turn begins for these lines, with what was said before them. */
  begins(rows: readonly InboxRow[], before: readonly HeardBefore[]): void {
    for (const row of rows) {
      const waited = this.#waiting.get(row.id);
      this.#waiting.delete(row.id);
      if (waited !== undefined) this.of(row.place.surface).note(entryOf(row, waited, before));
    }
  }

  /** A line ended, also one that never began. */
  ended({ id }: InboxRow): void {
    this.#waiting.delete(id);
  }

  /** Drop everything somebody wrote. */
  forget(person: PrincipalId): void {
    for (const [id, waited] of this.#waiting) if (waited.person === person) this.#waiting.delete(id);
    for (const log of this.#logs.values()) log.forget(person);
  }
}

function entryOf(row: InboxRow, { written, text, saidAtMs }: Waiting, before: readonly HeardBefore[]): TriggerEntry {
  const { channelId, guildId, authorName, content } = written;
  const isPublic = (row.heardIn ?? row.place).kind === "public";
  return {
    id: row.trigger.deliveryId ?? row.id,
    channelId,
    ...(guildId === null ? {} : { guildId }),
    authorId: accountOf(row.person),
    authorName,
    content,
    timestamp: new Date(saidAtMs).toISOString(),
    trusted: true,
    ...(row.class === "command" ? { command: text } : {}),
    ...(isPublic ? { context: before.map(contextLine) } : {}),
  };
}

function contextLine({ deliveryId, who, name, text, atMs }: HeardBefore): NonNullable<TriggerEntry["context"]>[number] {
  const authorId = who === null ? null : accountOf(who);
  return { id: deliveryId, authorId, authorName: name, content: text, timestamp: new Date(atMs).toISOString() };
}

function accountOf(person: PrincipalId): string {
  return person.slice(person.indexOf(":") + 1);
}
