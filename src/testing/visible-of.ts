import { openChronicle } from "../chronicle/chronicle.ts";
import type { VisibleEvents } from "../chronicle/chronicle.ts";
import { MEMORY } from "../chronicle/memory.ts";
import { silentLog } from "../foundation/log.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { ManualClock } from "./manual-clock.ts";
import { MemoryChronicleStore } from "./memory-chronicle-store.ts";

/** Filter events as the chronicle does, for tests of whatever takes a `Visible`. Without `nowMs` nothing is forgotten. */
export function visibleOf(
  character: CharacterId,
  destination: Place,
  events: readonly ChronicleEvent[],
  options: { readonly limit?: number; readonly nowMs?: number } = {},
): VisibleEvents {
  const { limit = 40, nowMs } = options;
  const store = new MemoryChronicleStore();
  store.put(...events);
  const memory = nowMs === undefined ? { directMs: Infinity, publicMs: Infinity } : MEMORY;
  using chronicle = openChronicle({ store, clock: new ManualClock(nowMs ?? 0), log: silentLog, memory });
  return chronicle.visibleFor(character, destination, { limit });
}
