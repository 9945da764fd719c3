import { RuntimeError } from "../../foundation/errors.ts";
import type { Timing } from "../../surfaces/surface.ts";
import type { Limits } from "../../vocabulary/limits.ts";

/** One waiting line, and when it came in on the monotonic clock. */
export interface Line<Item> {
  readonly item: Item;
  readonly atMs: number;
}

/** How lines are gathered, as the lanes ask it. */
export interface Fragments<Item> {
  timing(item: Item): Timing;
  /** Whether two lines of one lane may be one turn at all. */
  mayJoin(first: Item, next: Item): boolean;
  /** Bytes of the line's words. */
  bytes(item: Item): number;
}

/** Bytes of the line break between two lines of a thought. */
const BREAK = 1;

/**
 * The lines that the first one begins a thought with: itself, and those behind it that may join, up to the bounds of TR-050. A
 * line that may not join ends the thought, so that lines never overtake each other. `lines` is not empty.
 */
export function thoughtOf<Item>(lines: readonly Line<Item>[], fragments: Fragments<Item>, limits: Limits): readonly [Item, ...Item[]] {
  const [first, ...rest] = lines;
  if (first === undefined) throw new RuntimeError("internal", "Cannot gather a thought: no line waits");
  const thought: [Item, ...Item[]] = [first.item];
  const most = mostOf(first.item, fragments, limits);
  let bytes = most > 1 ? fragments.bytes(first.item) : 0;
  for (const { item } of rest) {
    if (thought.length >= most || !fragments.mayJoin(first.item, item)) break;
    bytes += BREAK + fragments.bytes(item);
    if (bytes > limits.fragmentBytes) break;
    thought.push(item);
  }
  return thought;
}

/**
 * When the thought at the head of a lane is whole, on the monotonic clock: at once when it can take no more, else once its person
 * has been quiet for `quietMs`, at the latest `holdMs` after its first line.
 */
export function dueAtMs<Item>(lines: readonly Line<Item>[], fragments: Fragments<Item>, limits: Limits): number {
  const [first] = lines;
  if (first === undefined) return Number.POSITIVE_INFINITY;
  const { quietMs, holdMs } = fragments.timing(first.item);
  const thought = quietMs === 0 || holdMs === 0 ? [first.item] : thoughtOf(lines, fragments, limits);
  const last = lines[thought.length - 1] ?? first;
  const isFull = thought.length < lines.length || thought.length >= mostOf(first.item, fragments, limits);
  return isFull ? first.atMs : Math.min(last.atMs + quietMs, first.atMs + holdMs);
}

function mostOf<Item>(item: Item, fragments: Fragments<Item>, limits: Limits): number {
  // A line that may not even join itself stands alone: a resumed turn, or one of a command.
  return fragments.mayJoin(item, item) ? Math.min(limits.fragments, fragments.timing(item).fragments) : 1;
}
