import type { Line } from "./fragments.ts";
import type { Kind } from "./slot.ts";
import type { Standing } from "./standing.ts";
import { isBefore } from "./standing.ts";

/**
 * Turns of one person that keep the order of their place before others come in between. Lines that wait are one turn, save that what a
 * process died with, what waited behind it and what was said since are three: only a flood has more.
 */
const TURNS_IN_ORDER = 3;

/** One line that waits, and where it stands. */
export interface WaitingLine<Item> extends Line<Item>, Standing {}

/** What waits of one person for one character in one place. */
export interface Lane<Item> {
  readonly key: string;
  readonly slot: string;
  readonly kind: Kind;
  /** In order; empty only before the first line and after the last. */
  readonly lines: WaitingLine<Item>[];
  /** Whether the lane stands in its slot's row, and where. */
  queued: boolean;
  stands: Standing;
  /** Turns that ran since it last gave way to the others of its place, or since it began. */
  turns: number;
  /** What it gives way to; null while it stands where its first line does. */
  behind: Standing | null;
  /** When its thought is whole; known while the lane is held. */
  dueAtMs: number;
  /** Set only while the lane is held for more fragments. */
  timer: Disposable | null;
}

/** A lane of these keys without a line. */
export function emptyLane<Item>(keys: Pick<Lane<Item>, "key" | "slot" | "kind">): Lane<Item> {
  return { ...keys, lines: [], queued: false, stands: { position: null, arrival: 0 }, turns: 0, behind: null, dueAtMs: 0, timer: null };
}

/** Where a lane stands among those of its place: where its first line does, save that it gives way. */
export function standingOf<Item>({ lines: [first], behind, stands }: Lane<Item>): Standing {
  if (first === undefined) return stands;
  return behind !== null && isBefore(first, behind) ? behind : first;
}

/** Count a turn; after so many the lane goes behind all others that wait in its place, of which `last` is the last. */
export function giveWay<Item>(lane: Lane<Item>, last: Standing | null, arrival: number): void {
  lane.behind = null;
  lane.turns += 1;
  if (lane.turns < TURNS_IN_ORDER) return;
  lane.turns = 0;
  if (last !== null) lane.behind = { position: last.position, arrival };
}
