import { RuntimeError } from "../../foundation/errors.ts";

/** Numbers that look random and are the same for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number from 0 to below `end`. */
  below(end: number): number;
  /** True in this share of calls. */
  chance(share: number): boolean;
  /** One of them. @throws RuntimeError `invalid_argument` when there is none. */
  pick<Value>(from: readonly Value[]): Value;
}

/** Make a source of numbers (mulberry32) from a seed of 32 bits. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    below: (end) => Math.floor(next() * end),
    chance: (share) => next() < share,
    pick(from) {
      const one = from[Math.floor(next() * from.length)];
      if (one === undefined) throw new RuntimeError("invalid_argument", "Cannot pick: there is nothing to pick from");
      return one;
    },
  };
}

/** A seed from a text (FNV-1a): different texts rarely have the same. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
