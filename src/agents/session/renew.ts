import type { IdSource } from "../../foundation/ids.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { parseSessionId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { SessionEntry } from "../../vocabulary/session.ts";
import { SESSION_CEILINGS } from "../../vocabulary/session.ts";

/** What new sessions are made from. */
export interface RenewNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly ids: IdSource;
  readonly verbs: Pick<Store["sessions"], "fork">;
  readonly reads: StoreReader["sessions"];
  /** Whether a label says that somebody else's words are in it. */
  readonly isForeign: (label: string) => boolean;
}

/** What became of the wish for a new session: `clean` when there was nothing to leave behind. */
export type Renewed =
  | { readonly kind: "none" | "clean" | "busy" }
  | { readonly kind: "renewed"; readonly kept: number; readonly left: number };

/**
 * The last entry before the first turn that somebody else's words got into; the last of all when there are none. Turns go whole: a
 * part of one would be calls without results.
 */
export function lastOwn(entries: readonly SessionEntry[], isForeign: (label: string) => boolean): number {
  const foreign = entries.find(({ label }) => isForeign(label));
  if (foreign === undefined) return entries.at(-1)?.seq ?? 0;
  const first = entries.find(({ root }) => root !== null && root === foreign.root) ?? foreign;
  return first.seq - 1;
}

/** Let a line go on in a new session: empty (`new`), or with everything before somebody else's words (`clean`, SE-091). The old one rests as it is. */
export async function renewSession(place: PlaceId, how: "new" | "clean", needs: RenewNeeds): Promise<Renewed> {
  const { reads, verbs, clock, ids, isForeign } = needs;
  const facts = reads.current(place);
  if (facts === null || facts.last === 0) return { kind: "none" };
  const upTo = how === "new" ? 0 : lastOwn(reads.entries(facts.id, 0, SESSION_CEILINGS.entries), isForeign);
  if (upTo === facts.last) return { kind: "clean" };
  const notes = how === "new" ? [] : reads.notes(facts.id).flatMap(({ name, label }) => (isForeign(label) ? [] : [name]));
  const row = { from: facts.id, id: parseSessionId(ids.next("s")), upTo, carry: [], notes, atMs: clock.nowMs() };
  const { forked } = await verbs.fork(row);
  return forked ? { kind: "renewed", kept: upTo, left: facts.last - upTo } : { kind: "busy" };
}
