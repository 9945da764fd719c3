import type { IdSource } from "../../foundation/ids.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Store, StoreReader } from "../../store/store.ts";
import { parseSessionId } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { NewEntry, SessionEntry } from "../../vocabulary/calls/session.ts";
import { SESSION_CEILINGS } from "../../vocabulary/calls/session.ts";

/** What new sessions are made from. */
export interface RenewNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly ids: IdSource;
  readonly verbs: Pick<Store["sessions"], "fork">;
  readonly reads: StoreReader["sessions"];
  /** Whether a label says that somebody else's words are in it. */
  readonly isForeign: (label: string) => boolean;
  /** Of the runtime's own words. */
  readonly ownLabel: string;
}

/** What became of the wish for a new session: `clean` when there was nothing to leave behind. */
export type Renewed =
  | { readonly kind: "none" | "clean" | "busy" }
  | { readonly kind: "renewed"; readonly kept: number; readonly left: number; readonly found: number };

/** Stands at the fork. */
const LEFT_BEHIND = { kind: "note", text: "Texts of others stayed behind here: unread_list shows them by ref." } as const;

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

/**
 * What was found out by `inspect` behind the fork, as notes: only where nobody else's words had shaped the question, since a question
 * that they shaped could say anything by its options alone (SE-080, SE-091).
 */
export function inspectedIn(entries: readonly SessionEntry[], isForeign: (label: string) => boolean): readonly NewEntry[] {
  const asked = new Map(
    entries.flatMap(({ body }) => (body.kind === "answered" ? body.calls.map((call) => [call.id, call] as const) : [])),
  );
  return entries.flatMap(({ body, label }): readonly NewEntry[] => {
    if (body.kind !== "result" || body.name !== "inspect" || body.status !== "ok" || isForeign(label)) return [];
    const text = `Found out before, by inspect ${asked.get(body.call)?.arguments ?? ""}: ${body.text}`;
    return [{ body: { kind: "note", text }, root: null, label }];
  });
}

/**
 * Let a line go on in a new session: empty (`new`), or with everything before somebody else's words and what was inspected behind
 * it (`clean`, SE-091). The old one rests as it is, and its texts can be asked about from the new one.
 */
export async function renewSession(place: PlaceId, how: "new" | "clean", needs: RenewNeeds): Promise<Renewed> {
  const { reads, verbs, clock, ids, isForeign, ownLabel } = needs;
  const facts = reads.current(place);
  if (facts === null || facts.last === 0) return { kind: "none" };
  const entries = how === "new" ? [] : reads.entries(facts.id, 0, SESSION_CEILINGS.entries);
  const upTo = lastOwn(entries, isForeign);
  if (upTo === facts.last) return { kind: "clean" };
  const notes = how === "new" ? [] : reads.notes(facts.id).flatMap(({ name, label }) => (isForeign(label) ? [] : [name]));
  const found = inspectedIn(entries.slice(upTo), isForeign);
  const carry = how === "new" ? [] : [...found, { body: LEFT_BEHIND, root: null, label: ownLabel }];
  const row = { from: facts.id, id: parseSessionId(ids.next("s")), upTo, carry, notes, atMs: clock.nowMs() };
  const { forked } = await verbs.fork(row);
  return forked ? { kind: "renewed", kept: upTo, left: facts.last - upTo, found: found.length } : { kind: "busy" };
}
