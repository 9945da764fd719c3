import assert from "node:assert/strict";
import { test } from "node:test";
import type { OwnScheduleWish } from "../../agents/tools/schedules.ts";
import { MAX_OWN_SCHEDULES } from "../../agents/tools/schedules.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { ScheduleView, ScheduleWish, SchedulesLedger } from "../../operations/schedule.ts";
import { openDirectStore } from "../../testing/store-writer.ts";
import { parseCharacterId, parseSessionId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { directPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import { ownSchedules } from "./own-schedules.ts";

const WISH: OwnScheduleWish = { rule: "daily 8:00", zone: "UTC", quiet: null, does: "say", words: "Good morning.", missed: "once" };
const OWN = parseSessionId("s-000001");
const OTHERS = parseSessionId("s-000002");
const REMOTE = parseSessionId("s-000003");

function bench(full = false) {
  const store = openDirectStore();
  const open = (id: typeof OWN, name: string, person: PrincipalId): unknown => {
    const character = parseCharacterId(name);
    const place = directPlace(parseSurfaceName("terminal"), character, person).id;
    return store.run({ verb: "openSession", row: { id, character, place, person, atMs: 0 } });
  };
  open(OWN, "mirelle", LOCAL_OWNER);
  open(OTHERS, "tobias", LOCAL_OWNER);
  open(REMOTE, "mirelle", parsePrincipalId("discord:1001"));
  const wishes: ScheduleWish[] = [];
  const views: ScheduleView[] = [];
  const ledger: SchedulesLedger = {
    list: () => views,
    add(wish) {
      wishes.push(wish);
      if (wish.rule === "past") throw new RuntimeError("usage", "Cannot add that schedule: no such time comes any more");
      const { quiet, rule, does, words, missed } = wish;
      const made = {
        id: `c-${views.length}`,
        character: wish.character ?? "",
        rule,
        zone: wish.zone ?? "",
        quiet,
        does,
        words,
        may: null,
        missed,
        next: [],
      };
      if (!full) views.push(made);
      return Promise.resolve(full ? null : made);
    },
    remove: (id) => Promise.resolve(views.some((one) => one.id === id)),
  };
  const own = ownSchedules({ store, ledger: () => ledger, carriesOthers: ({ id }) => id === OTHERS });
  return { own, wishes, views, [Symbol.dispose]: () => store[Symbol.dispose]() };
}

test("TR-015 an agent makes schedules of its own line alone, with no tool, and none on another account's line", async () => {
  using made = bench();
  const { own, wishes } = made;
  assert.notEqual(typeof (await own.add(OWN, WISH)), "string");
  assert.deepEqual(wishes, [{ ...WISH, may: null, character: "mirelle", by: LOCAL_OWNER }]);
  assert.equal(own.list(OWN).length, 1);
  assert.deepEqual(own.list(OTHERS), [], "another character's is not its own");
  assert.equal(await own.remove(OTHERS, "c-0", LOCAL_OWNER), false);
  for (const none of [REMOTE, parseSessionId("s-000009")]) {
    assert.equal(await own.add(none, WISH), "gone");
    assert.deepEqual(own.list(none), []);
    assert.equal(await own.remove(none, "c-0", LOCAL_OWNER), false);
  }
  assert.equal(wishes.length, 1);
  assert.equal(await own.add(OWN, { ...WISH, rule: "past" }), "gone");
  assert.equal(await own.remove(OWN, "c-0", LOCAL_OWNER), true);
});

test("SE-080 words that others shaped never come back as the person's own: with them in the session nothing is to be worked on later", async () => {
  using made = bench();
  assert.equal(await made.own.add(OTHERS, { ...WISH, does: "session" }), "others");
  assert.deepEqual(made.wishes, []);
  assert.notEqual(typeof (await made.own.add(OTHERS, WISH)), "string", "what is only said was released by who approved it");
  assert.notEqual(typeof (await made.own.add(OWN, { ...WISH, does: "session" })), "string");
});

test("MC-040 schedules of an agent's making are bounded, each line's for itself", async () => {
  using made = bench();
  for (let at = 0; at < MAX_OWN_SCHEDULES; at += 1) await made.own.add(OWN, WISH);
  assert.equal(await made.own.add(OWN, WISH), "full");
  assert.notEqual(typeof (await made.own.add(OTHERS, WISH)), "string");
  using full = bench(true);
  assert.equal(await full.own.add(OWN, WISH), "full");
});
