import type { Clock } from "../../foundation/clock.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { PersonView, ViewerRole } from "./protocol.ts";
import type { Viewer } from "./viewer.ts";

/** How long somebody who left stays listed as away. */
const AWAY_MS = 30 * 60_000;
const MAX_AWAY = 128;

interface Present {
  readonly name: string;
  readonly role: ViewerRole;
  pages: number;
  sinceMs: number;
}

/**
 * Who is in the room: those with a page open. Empty at each start. People who left stay listed for 30 minutes, at most 128 of
 * them, the longest away going first.
 */
export class People {
  readonly #clock: Clock;
  readonly #people = new Map<PrincipalId, Present>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A page opened. True when the person was not here before. */
  arrive(viewer: Viewer): boolean {
    const known = this.#people.get(viewer.principal);
    if (known !== undefined && known.pages > 0) {
      known.pages += 1;
      return false;
    }
    this.#people.delete(viewer.principal);
    this.#people.set(viewer.principal, { name: viewer.name, role: viewer.role, pages: 1, sinceMs: this.#clock.nowMs() });
    return true;
  }

  /** A page closed. True when it was the person's last. */
  depart(principal: PrincipalId): boolean {
    const known = this.#people.get(principal);
    if (known === undefined || known.pages === 0) return false;
    known.pages -= 1;
    if (known.pages > 0) return false;
    known.sinceMs = this.#clock.nowMs();
    this.#prune();
    return true;
  }

  /** Whether nobody but this person is here (TR-020). */
  alone(principal: PrincipalId): boolean {
    for (const [other, { pages }] of this.#people) if (pages > 0 && other !== principal) return false;
    return true;
  }

  /** Names of those who are here. */
  names(): readonly string[] {
    return [...this.#people.values()].filter(({ pages }) => pages > 0).map(({ name }) => name);
  }

  /** Pages this person has open. */
  pagesOf(principal: PrincipalId): number {
    return this.#people.get(principal)?.pages ?? 0;
  }

  /** Let go of somebody who has no page open. */
  forget(principal: PrincipalId): void {
    if (this.#people.get(principal)?.pages === 0) this.#people.delete(principal);
  }

  /** Everyone, as one reader sees it. */
  view(reader: PrincipalId): readonly PersonView[] {
    this.#prune();
    return [...this.#people].map(([principal, { name, role, pages, sinceMs }]) => ({
      id: principal,
      name,
      role,
      you: principal === reader,
      here: pages > 0,
      sinceMs,
    }));
  }

  #prune(): void {
    const nowMs = this.#clock.nowMs();
    const away = [...this.#people].filter(([, { pages }]) => pages === 0).toSorted(([, a], [, b]) => b.sinceMs - a.sinceMs);
    for (const [at, [principal, { sinceMs }]] of away.entries()) {
      if (at >= MAX_AWAY || nowMs - sinceMs > AWAY_MS) this.#people.delete(principal);
    }
  }
}
