import assert from "node:assert/strict";
import { test } from "node:test";
import { messageIdOf, personOf } from "../../testing/store-rows.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import type { DirectStore } from "../../testing/store-writer.ts";
import { parseCharacterId, parseSessionId, parseSurfaceName } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import { sessionsLedger } from "./sessions.ts";

const MIRELLE = parseCharacterId("mirelle");
const PLACE = directPlace(parseSurfaceName("terminal"), MIRELLE, LOCAL_OWNER).id;
const ID = parseSessionId("s-000001");
const ANN = personOf(1);

function add(store: DirectStore, after: number, atMs: number, ...influence: readonly Influence[]): void {
  const label = JSON.stringify({ influence, readers: [`person:${LOCAL_OWNER}`] });
  const entries = [{ body: { kind: "said", text: `words ${atMs}`, by: messageIdOf(1) }, root: messageIdOf(1), label } as const];
  assert.equal(store.run({ verb: "appendEntries", row: { session: ID, after, entries, atMs, charges: [] } }).kind, "appended");
}

test("SE-091 the chip of a session names whose words it carries and since when, also as it grows and after somebody was forgotten", () => {
  using store = openDirectStore();
  store.run({ verb: "openSession", row: { id: ID, character: MIRELLE, place: PLACE, person: LOCAL_OWNER, atMs: 1 } });
  const ledger = sessionsLedger(store, () => null);
  const carries = (): unknown => ledger.list(5, null)[0]?.carries;
  assert.deepEqual(carries(), []);
  add(store, 0, 10, LOCAL_OWNER);
  assert.deepEqual(carries(), [], "the own person's are nobody else's");
  add(store, 1, 20, LOCAL_OWNER, ANN);
  assert.deepEqual(carries(), [{ whose: ANN, sinceMs: 20 }]);
  add(store, 2, 30, ANN, personOf(2));
  const both = [
    { whose: ANN, sinceMs: 20 },
    { whose: personOf(2), sinceMs: 30 },
  ];
  assert.deepEqual(carries(), both);
  assert.deepEqual(carries(), both, "what was read stays read");
  const subject = { person: ANN, pseudonym: parsePrincipalId("forgotten:1"), atMs: 40 };
  store.run({ verb: "forgetEnd", row: subject });
  add(store, 1, 50, LOCAL_OWNER, personOf(3));
  add(store, 2, 60, LOCAL_OWNER);
  add(store, 3, 70, LOCAL_OWNER);
  assert.deepEqual(carries(), [{ whose: personOf(3), sinceMs: 50 }], "also where it has grown beyond what it was");
});

test("SE-091 entries of a session come as the newest, before one, or behind one; a session is named by its beginning", () => {
  using store = openDirectStore();
  store.run({ verb: "openSession", row: { id: ID, character: MIRELLE, place: PLACE, person: LOCAL_OWNER, atMs: 1 } });
  for (let after = 0; after < 6; after += 1) add(store, after, after, LOCAL_OWNER);
  const ledger = sessionsLedger(store, () => null);
  const seqs = (span: Parameters<typeof ledger.entries>[1]): readonly number[] => ledger.entries(ID, span).map(({ seq }) => seq);
  assert.deepEqual(seqs({ last: 2 }), [5, 6]);
  assert.deepEqual(seqs({ last: 2, before: 5 }), [3, 4]);
  assert.deepEqual(seqs({ last: 9, before: 3 }), [1, 2]);
  assert.deepEqual(seqs({ last: 9, before: 1 }), []);
  assert.deepEqual(seqs({ last: 2, after: 3 }), [4, 5]);
  assert.deepEqual(seqs({ last: 2, after: 6 }), []);
  assert.deepEqual(
    ledger.named("s-0000", null).map(({ id }) => id),
    [ID],
  );
  assert.deepEqual([ledger.named(ID, ANN), ledger.list(5, ANN)], [[], []], "another operator's is none");
  assert.deepEqual(ledger.list(5, LOCAL_OWNER).length, 1);
  for (const none of ["", "s-", "x", "s-1"]) assert.deepEqual(ledger.named(none, null), [], none);
});
