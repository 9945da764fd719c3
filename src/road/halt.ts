import type { Store, InboxRow } from "../store/store.ts";
import type { Admitted } from "./1-admission/admission.ts";
import type { Lanes } from "./2-lanes/lanes.ts";
import type { Ended, Turns } from "./3-turns/turns.ts";

/** Who brings everything to a stand, and by which way. */
export type HaltRow = Parameters<Store["halt"]>[0];

/** What it takes. */
export interface HaltNeeds {
  readonly ledger: { halt(row: HaltRow): Promise<{ readonly ended: readonly InboxRow[] }> };
  readonly observer: { ended(ended: Ended): void };
}

/**
 * Bring everything to a stand (TR-073). The commit comes first: from then on no turn's result is taken, so that it does not matter
 * how long one takes to notice that it was cut short.
 */
export async function halt(
  { ledger, observer }: HaltNeeds,
  { lanes, turns }: { readonly lanes: Lanes<Admitted>; readonly turns: Turns },
  row: HaltRow,
): Promise<{ readonly ended: number }> {
  const { ended } = await ledger.halt(row);
  for (const line of lanes.clear()) line.release();
  turns.cutAll();
  for (const one of ended) {
    turns.remove(one.id);
    observer.ended({ row: one, end: "cancelled", reason: "stopped", words: false, endedAtMs: row.atMs });
  }
  return { ended: ended.length };
}
