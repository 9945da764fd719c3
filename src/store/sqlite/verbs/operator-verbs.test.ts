import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { STORE_TIME_MS, personOf } from "../../../testing/store-rows.ts";
import type { DirectStore } from "../../../testing/store-writer.ts";
import { openDirectStore } from "../../../testing/store-writer.ts";
import { parseCharacterId, parseSurfaceName } from "../../../vocabulary/ids.ts";
import type { Pause } from "../../../vocabulary/pause.ts";
import { publicPlace } from "../../../vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../../vocabulary/principal.ts";
import { MAX_AUDITS } from "./operator-verbs.ts";

/** Write what no verb writes. */
function damage(store: DirectStore, sql: string): void {
  const db = new DatabaseSync(store.path);
  db.exec(sql);
  db.close();
}

const MIRELLE = parseCharacterId("mirelle");
const PARLOUR = parseSurfaceName("parlour");
const PSEUDONYM = parsePrincipalId("forgotten:x");
const by = { by: LOCAL_OWNER, atMs: STORE_TIME_MS };
const paused = (row: Partial<Pause>): Pause => ({ character: null, place: null, untilMs: null, ...by, ...row });

test("TR-082 pauses outlive the process, the same pair replaces the first, each ends alone, and one that ran out is over", () => {
  using store = openDirectStore();
  store.run({ verb: "pause", row: paused({ character: MIRELLE }) });
  store.run({ verb: "pause", row: paused({ character: MIRELLE, untilMs: STORE_TIME_MS + 1 }) });
  store.run({ verb: "pause", row: paused({ place: publicPlace(PARLOUR, "a:b").id, character: MIRELLE }) });
  store.run({ verb: "pause", row: paused({ place: PARLOUR, untilMs: STORE_TIME_MS }) });
  store.restart();
  const told = (): readonly unknown[] => store.read.pauses().map(({ character, place, untilMs }) => [character, place, untilMs]);
  assert.deepEqual(told(), [
    ["mirelle", null, STORE_TIME_MS + 1],
    ["mirelle", "public:parlour:a:b", null],
  ]);
  const unpause = (row: Pick<Pause, "character" | "place">): number =>
    store.run({ verb: "resumeAnswering", row: { ...row, ...by } }).resumed;
  assert.equal(unpause({ character: null, place: null }), 0);
  assert.equal(unpause({ character: MIRELLE, place: null }), 1);
  assert.deepEqual(told(), [["mirelle", "public:parlour:a:b", null]]);
  assert.deepEqual(
    store.read.audits(10).map(({ act, about }) => `${act}: ${about}`),
    [
      "resume: mirelle, everywhere",
      `pause: everyone, parlour, until ${new Date(STORE_TIME_MS).toISOString()}`,
      "pause: mirelle, public:parlour:a:b",
      `pause: mirelle, everywhere, until ${new Date(STORE_TIME_MS + 1).toISOString()}`,
      "pause: mirelle, everywhere",
    ],
  );
});

test("TR-085 a pause that cannot be read is set aside, and the others hold", () => {
  using store = openDirectStore();
  store.run({ verb: "pause", row: paused({ character: MIRELLE }) });
  store.run({ verb: "pause", row: paused({}) });
  damage(store, "update pause set place = 'direct:mirelle:room:ann' where character <> ''");
  assert.deepEqual(
    store.read.pauses().map(({ character }) => character),
    [null],
  );
});

test("TR-091 changes of trust stand in the audit, a block may end by itself, and being forgotten keeps the acts without the name", () => {
  using store = openDirectStore();
  const ann = personOf(1);
  const trust = (role: "trusted" | "blocked" | "guest", untilMs: number | null = null) =>
    store.run({ verb: "setTrust", row: { person: ann, pseudonym: PSEUDONYM, role, untilMs, ...by } });
  trust("trusted");
  trust("guest");
  trust("blocked", STORE_TIME_MS + 1);
  assert.equal(store.read.trust(ann), "blocked");
  trust("blocked", STORE_TIME_MS);
  assert.equal(store.read.trust(ann), "guest", "the block has run out");
  trust("guest");
  store.run({ verb: "audit", row: { ...by, act: "read_lines", person: ann, about: "mirelle" } });
  store.run({ verb: "audit", row: { ...by, atMs: STORE_TIME_MS + 5, act: "read_lines", person: ann, about: "mirelle" } });
  assert.deepEqual(
    store.read.audits(10, ann).map(({ act }) => act),
    ["read_lines", "read_lines", "unblock", "block", "block", "untrust", "trust"],
  );
  assert.deepEqual(store.read.auditedTimes(ann, "read_lines"), { times: 2, lastAtMs: STORE_TIME_MS + 5 });
  assert.equal(store.read.auditedTimes(personOf(2), "read_lines"), null);
  store.run({ verb: "forgetEnd", row: { person: ann, pseudonym: PSEUDONYM, atMs: STORE_TIME_MS } });
  assert.deepEqual(
    store.read.audits(10).filter(({ person }) => person === ann),
    [],
  );
  assert.equal(store.read.audits(10).filter(({ person }) => person === PSEUDONYM).length, 7);
});

test("MC-040 the audit is bounded: the oldest acts go", () => {
  using store = openDirectStore();
  store.run({ verb: "audit", row: { ...by, act: "read_lines", person: personOf(1), about: "first" } });
  damage(
    store,
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${MAX_AUDITS - 1})
    insert into audit(at_ms, by_person, act, person, about) select ${STORE_TIME_MS}, 'local:owner', 'pause', null, '' from n`,
  );
  assert.equal(store.read.auditedTimes(personOf(1), "read_lines")?.times, 1);
  store.run({ verb: "audit", row: { ...by, act: "pause", person: null, about: "last" } });
  assert.equal(store.read.auditedTimes(personOf(1), "read_lines"), null);
  const yearLater = { ...by, atMs: STORE_TIME_MS + 366 * 86_400_000 };
  for (let at = 0; at < 2; at += 1) store.run({ verb: "audit", row: { ...yearLater, act: "pause", person: null, about: "later" } });
  assert.ok(store.read.audits(MAX_AUDITS).length < MAX_AUDITS - 16);
});
