import type { Clock } from "../../foundation/clock.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { Partition } from "./partitioned-table.ts";

/** How long a conversation goes on without a name, and with how many (MC-026, TR-050). */
export interface EngagementRule {
  /** Milliseconds after the last exchange. */
  readonly windowMs: number;
  /** People at once, per character and place. */
  readonly people: number;
}

/** The rule that holds where configuration says nothing. */
export const STANDARD_ENGAGEMENT: EngagementRule = { windowMs: 60_000, people: 3 };

const MAX_PLACES = 4_096;

interface Talk {
  readonly character: CharacterId;
  readonly person: PrincipalId;
  readonly partition: Partition;
  untilMs: number;
}

/**
 * Who is in conversation with which character in public, so that a follow-up needs no name (MC-023, MC-026).
 *
 * E1  A conversation begins only with a part that was delivered to that person's line, never with what they say.
 * E2  It ends `windowMs` after the last part or follow-up, when the person leaves, or when the place is out of reach.
 * E3  At most `people` at once per character and place; a newcomer waits, except that a named person takes the place of the
 *     free identity whose window ends first (SE-090).
 *
 * Kept in memory alone: after a restart a name is needed once.
 */
export class Engagement {
  readonly #clock: Clock;
  readonly #rule: () => EngagementRule;
  /** Conversations of a place, the one that was renewed last at the end. Never an empty list. */
  readonly #places = new Map<PlaceId, Talk[]>();

  constructor(clock: Clock, rule: () => EngagementRule) {
    this.#clock = clock;
    this.#rule = rule;
  }

  /** Conversations that are kept, the ended ones of untouched places among them. */
  get size(): number {
    let size = 0;
    for (const talks of this.#places.values()) size += talks.length;
    return size;
  }

  /** A part reached the person it answers: begin or renew. */
  begin(character: CharacterId, place: PlaceId, who: { readonly person: PrincipalId; readonly partition: Partition }): void {
    const { windowMs, people } = this.#rule();
    if (windowMs <= 0 || people <= 0) return;
    const open = this.#open(place).filter((talk) => talk.character !== character || talk.person !== who.person);
    const same = open.filter((talk) => talk.character === character);
    const gives =
      same.length < people ? null : who.partition === "free" ? undefined : soonest(same.filter((talk) => talk.partition === "free"));
    const untilMs = this.#clock.monotonicMs() + windowMs;
    if (gives !== undefined) this.#keep(place, [...open.filter((talk) => talk !== gives), { character, ...who, untilMs }]);
  }

  /** The character the person is in conversation with here, the last one when there are several; null when none. */
  with(place: PlaceId, person: PrincipalId): CharacterId | null {
    const nowMs = this.#clock.monotonicMs();
    return this.#places.get(place)?.findLast((talk) => talk.person === person && talk.untilMs > nowMs)?.character ?? null;
  }

  /** A line of somebody in conversation was admitted: the window slides. Changes nothing for anybody else (E1). */
  renew(character: CharacterId, place: PlaceId, person: PrincipalId): void {
    const open = this.#open(place);
    const talk = open.find((one) => one.character === character && one.person === person);
    if (talk === undefined) return;
    talk.untilMs = this.#clock.monotonicMs() + this.#rule().windowMs;
    this.#keep(place, [...open.filter((one) => one !== talk), talk]);
  }

  /** End a person's conversations here, or everybody's. */
  end(place: PlaceId, person: PrincipalId | null): void {
    this.#keep(place, person === null ? [] : this.#open(place).filter((talk) => talk.person !== person));
  }

  #open(place: PlaceId): readonly Talk[] {
    const nowMs = this.#clock.monotonicMs();
    return this.#places.get(place)?.filter((talk) => talk.untilMs > nowMs) ?? [];
  }

  #keep(place: PlaceId, talks: Talk[]): void {
    this.#places.delete(place);
    if (talks.length > 0) this.#places.set(place, talks);
    for (const oldest of this.#places.keys()) {
      if (this.#places.size <= MAX_PLACES) break;
      this.#places.delete(oldest);
    }
  }
}

function soonest(talks: readonly Talk[]): Talk | undefined {
  return talks.toSorted((a, b) => a.untilMs - b.untilMs)[0];
}
