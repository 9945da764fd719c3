import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../foundation/log.ts";
import { ManualClock } from "../../testing/manual-clock.ts";
import { MIRELLE } from "../../testing/road-fixtures.ts";
import { STORE_TIME_MS } from "../../testing/store-rows.ts";
import type { DirectStore } from "../../testing/store-writer.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import { parseMessageId, parseScheduleId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import type { Schedule } from "../../vocabulary/calls/schedule.ts";
import { MAX_SCHEDULES } from "../../vocabulary/calls/schedule.ts";
import { openSchedules } from "./schedules.ts";

const HOUR_MS = 3_600_000;
const TERMINAL = parseSurfaceName("terminal");
const HOURLY: Schedule = {
  id: parseScheduleId("c-hourly"),
  character: MIRELLE,
  person: LOCAL_OWNER,
  place: directPlace(TERMINAL, MIRELLE, LOCAL_OWNER).id,
  surface: TERMINAL,
  rule: "hourly, as the test says",
  zone: "UTC",
  quiet: null,
  does: "say",
  words: "Good morning.",
  grant: null,
  missed: "once",
  createdAtMs: STORE_TIME_MS,
  nextAtMs: STORE_TIME_MS + HOUR_MS,
  lastAtMs: null,
};

let ids = 0;

/** Schedules over a store, as one process has them; `die` stands for a kill behind a commit. */
function watching(store: DirectStore, clock: ManualClock, die: () => boolean = () => false) {
  const taken: string[] = [];
  const schedules = openSchedules({
    clock,
    log: silentLog,
    store: {
      list: () => store.read.schedules.list(),
      fire: (row) => Promise.resolve(store.run({ verb: "fireSchedule", row })),
    },
    nextOf: (_schedule, afterMs) => (Math.floor(afterMs / HOUR_MS) + 1) * HOUR_MS,
    rowOf: () => ({ id: parseMessageId(`m-sched${(ids += 1)}`), role: "operator", assurance: "local" }),
    takeUp: (id) => void (die() || taken.push(id)),
  });
  return { schedules, taken };
}

const open = (store: DirectStore): readonly string[] =>
  store
    .recover({ nowMs: STORE_TIME_MS, maxInboxAgeMs: 1e12, maxPartAgeMs: 1e12, maxAttempts: 2 })
    .recovery.open.map(({ kind, trigger, resumed }) => `${kind} ${trigger.text} ${resumed?.state ?? ""}`);

test("TR-042 each time of a schedule is one row of the inbox, kept in one commit with the next time", async () => {
  using store = openDirectStore();
  const clock = new ManualClock(STORE_TIME_MS);
  store.run({ verb: "keepSchedule", row: HOURLY });
  const { schedules, taken } = watching(store, clock);
  await clock.advance(HOUR_MS - 1);
  assert.equal(taken.length, 0);
  await clock.advance(1);
  await clock.advance(0);
  assert.equal(taken.length, 1);
  assert.deepEqual(open(store), ['schedule Good morning. {"schedule":"c-hourly","does":"say","grant":null,"late":false}']);
  assert.deepEqual(
    store.read.schedules.list().map(({ nextAtMs, lastAtMs }) => [nextAtMs, lastAtMs]),
    [[STORE_TIME_MS + 2 * HOUR_MS, STORE_TIME_MS + HOUR_MS]],
  );
  await clock.advance(2 * HOUR_MS);
  assert.equal(taken.length, 3);
  await schedules[Symbol.asyncDispose]();
  await clock.advance(5 * HOUR_MS);
  assert.equal(taken.length, 3, "nothing after its end");
});

test("TR-042 killed between the commit of a time and its turn, the row is there for the next start, and the time never comes again", async () => {
  using store = openDirectStore();
  const clock = new ManualClock(STORE_TIME_MS);
  store.run({ verb: "keepSchedule", row: HOURLY });
  const first = watching(store, clock, () => true);
  await clock.advance(HOUR_MS);
  await clock.advance(0);
  assert.deepEqual(first.taken, []);
  await first.schedules[Symbol.asyncDispose]();
  store.restart();
  const second = watching(store, clock);
  await clock.advance(0);
  assert.deepEqual(second.taken, []);
  assert.equal(open(store).length, 1);
  const again = { id: HOURLY.id, dueAtMs: STORE_TIME_MS + HOUR_MS, nextAtMs: null, atMs: clock.nowMs(), inbox: null };
  assert.deepEqual(store.run({ verb: "fireSchedule", row: again }), { fired: false });
  await second.schedules[Symbol.asyncDispose]();
});

for (const [missed, rows] of [
  ["once", ['schedule Good morning. {"schedule":"c-hourly","does":"say","grant":null,"late":false}']],
  ["skip", []],
  ["ask", ['schedule Good morning. {"schedule":"c-hourly","does":"say","grant":null,"late":true}']],
] as const)
  test(`a time that passed while nobody was there goes by its schedule's word: ${missed}; many of them are one`, async () => {
    using store = openDirectStore();
    store.run({ verb: "keepSchedule", row: { ...HOURLY, missed } });
    const clock = new ManualClock(STORE_TIME_MS + 50 * HOUR_MS);
    const { schedules } = watching(store, clock);
    await clock.advance(0);
    assert.deepEqual(open(store), rows);
    assert.equal(store.read.schedules.list()[0]?.nextAtMs, STORE_TIME_MS + 51 * HOUR_MS);
    await schedules[Symbol.asyncDispose]();
  });

test("MC-040 schedules are bounded in number, and one that is dropped never comes", () => {
  using store = openDirectStore();
  const keep = (n: number): boolean => store.run({ verb: "keepSchedule", row: { ...HOURLY, id: parseScheduleId(`c-many${n}`) } }).kept;
  for (let n = 0; n < MAX_SCHEDULES; n += 1) assert.ok(keep(n));
  assert.equal(keep(MAX_SCHEDULES), false);
  assert.deepEqual(store.run({ verb: "dropSchedule", row: { id: parseScheduleId("c-many0") } }), { dropped: true });
  assert.deepEqual(store.run({ verb: "dropSchedule", row: { id: parseScheduleId("c-many0") } }), { dropped: false });
  assert.equal(keep(MAX_SCHEDULES), true);
});
