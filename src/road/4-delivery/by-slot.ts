import type { Part } from "../../vocabulary/part.ts";
import type { Leftover } from "./leftovers.ts";

/** What turns of one character left in one place. */
export interface SlotLeftovers {
  readonly character: Part["character"];
  readonly place: Part["place"];
  readonly turns: Leftover[];
}

/** Leftovers of one character in one place belong behind each other, in the order of their turns. */
export function bySlot(leftovers: readonly Leftover[]): readonly SlotLeftovers[] {
  const slots = new Map<string, SlotLeftovers>();
  for (const leftover of leftovers) {
    const part = leftover.again ?? leftover.queued[0];
    if (part === undefined) continue;
    const key = `${part.character}\n${part.place.id}`;
    const slot = slots.get(key);
    if (slot === undefined) slots.set(key, { character: part.character, place: part.place, turns: [leftover] });
    else slot.turns.push(leftover);
  }
  return [...slots.values()];
}
