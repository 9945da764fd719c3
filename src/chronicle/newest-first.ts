import { RuntimeError } from "../foundation/errors.ts";
import type { StoreReader } from "../store/store.ts";
import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { PlaceId } from "../vocabulary/place.ts";

/** Rows of the largest page; one page is one read on the main thread. */
const MAX_PAGE_ROWS = 512;

/**
 * Walk a place's committed events from the newest back, page by page, for as long as the caller wants more. There is no bound
 * on how many it passes over: "filter first, then take the newest N" would else depend on how much was hidden in between.
 */
export function* newestFirst(
  read: Pick<StoreReader, "events">,
  place: PlaceId,
  from: { readonly rows: number; readonly before?: number | undefined; readonly heardBy?: CharacterId; readonly onlyHeardBy?: CharacterId },
): Generator<ChronicleEvent, void, undefined> {
  let before = from.before;
  for (let rows = from.rows; ; rows = Math.max(rows, Math.min(rows * 2, MAX_PAGE_ROWS))) {
    // The first page also shows what others alone perceived, for the record; behind it only rows that may count are read.
    const first = from.onlyHeardBy ?? from.heardBy !== undefined;
    const page = read.events(place, rows, before, before === from.before ? first : (from.onlyHeardBy ?? from.heardBy ?? false));
    yield* page.toReversed();
    const oldest = page[0];
    if (oldest === undefined || page.length < rows) return;
    if (before !== undefined && oldest.seq >= before) throw new RuntimeError("internal", "Cannot read a place: the store repeats its rows");
    before = oldest.seq;
  }
}
