import type { Clock } from "../foundation/clock.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { TriggerEntry } from "../vocabulary/trigger-entry.ts";

/** Entries of trusted people that are held. */
export const TRUSTED_ENTRIES = 100;
/** Entries of anybody else that could be held: reserved, and empty (TR-022). */
export const UNTRUSTED_ENTRIES = 30;
/** Nothing said is held for longer than a day (TR-043). */
const KEPT_MS = 24 * 60 * 60_000;

/** Which of the two rings. */
export type TriggerRing = "trusted" | "untrusted";

interface Held {
  readonly atMs: number;
  readonly entry: TriggerEntry;
}

/**
 * The newest messages that called one bot, in memory alone: it begins empty at each start (VS-024…VS-028). The ring of people nobody
 * trusts is reserved; nothing enters it unless `keepsUntrusted` is set, which nothing does.
 */
export class TriggerLog {
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #keepsUntrusted: boolean;
  readonly #rings: Readonly<Record<TriggerRing, Held[]>> = { trusted: [], untrusted: [] };

  constructor(clock: Pick<Clock, "nowMs">, keepsUntrusted = false) {
    this.#clock = clock;
    this.#keepsUntrusted = keepsUntrusted;
  }

  /** Add an entry; the oldest of a full ring goes. */
  note(entry: TriggerEntry): void {
    if (!entry.trusted && !this.#keepsUntrusted) return;
    const ring = this.#rings[entry.trusted ? "trusted" : "untrusted"];
    ring.push({ atMs: this.#clock.nowMs(), entry });
    if (ring.length > (entry.trusted ? TRUSTED_ENTRIES : UNTRUSTED_ENTRIES)) ring.shift();
  }

  /** The entries of a ring that came after the one of an id, oldest first; all where that is not held, and without an id. */
  since(id: string | null = null, ring: TriggerRing = "trusted"): readonly TriggerEntry[] {
    this.#sweep();
    const held = this.#rings[ring];
    return held.slice(held.findLastIndex(({ entry }) => entry.id === id) + 1).map(({ entry }) => entry);
  }

  /** The entry of a message; null where it is not held. */
  entry(id: string): TriggerEntry | null {
    this.#sweep();
    return this.#rings.trusted.find(({ entry }) => entry.id === id)?.entry ?? null;
  }

  /** Drop everything somebody wrote, also as what was said before somebody else's line. */
  forget(person: PrincipalId): void {
    const account = person.slice(person.indexOf(":") + 1);
    for (const held of Object.values(this.#rings)) {
      const left = held
        .filter(({ entry }) => entry.authorId !== account)
        .map(({ atMs, entry }) => ({ atMs, entry: without(entry, account) }));
      held.splice(0, held.length, ...left);
    }
  }

  #sweep(): void {
    const before = this.#clock.nowMs() - KEPT_MS;
    for (const held of Object.values(this.#rings)) while ((held[0]?.atMs ?? before) < before) held.shift();
  }
}

function without(entry: TriggerEntry, account: string): TriggerEntry {
  return entry.context === undefined ? entry : { ...entry, context: entry.context.filter(({ authorId }) => authorId !== account) };
}
