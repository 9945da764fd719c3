import { openChronicle } from "../chronicle/chronicle.ts";
import type { VisibleEvents } from "../chronicle/chronicle.ts";
import { silentLog } from "../foundation/log.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import { MemoryChronicleStore } from "./memory-chronicle-store.ts";

/** Filter events as the chronicle does, for tests of whatever takes a `Visible`. */
export function visibleOf(
  character: CharacterId,
  destination: Place,
  events: readonly ChronicleEvent[],
  limit: number = 40,
): VisibleEvents {
  const store = new MemoryChronicleStore();
  store.put(...events);
  using chronicle = openChronicle({ store, log: silentLog });
  return chronicle.visibleFor(character, destination, { limit });
}
