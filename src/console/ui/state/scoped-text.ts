import type { KeptText } from "./kept-text.ts";

/**
 * The texts of one room: what is being written in it, and what it has not taken yet, belongs to no other. The first room has
 * none of its own name, so that what a page without one kept is still found.
 */
export function scopedText(kept: KeptText, room: string | null): KeptText {
  const named = (key: string): string => (room === null ? key : `${key}.${room}`);
  return {
    get: (key) => kept.get(named(key)),
    set: (key, value) => kept.set(named(key), value),
    remove: (key) => kept.remove(named(key)),
  };
}
