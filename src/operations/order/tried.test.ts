import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { ActAnswer, PersonalAct } from "../../vocabulary/act.ts";
import { parseCharacterId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { Tried } from "./tried.ts";

const DAY_MS = 86_400_000;
const TOWN = parseSurfaceName("town");
const [OWNER, EVE, FAY] = ["1", "2", "3"].map((id) => parsePrincipalId(`discord:${id}`));
const place = publicPlace(TOWN, "11");

/** One process of a bot over what is kept. */
class Desk {
  readonly tried: Tried;
  readonly trusted: PrincipalId[] = [];
  failing = false;

  constructor(clock: ManualClock, kept: Map<string, string>) {
    this.tried = new Tried({
      clock,
      key: new Uint8Array(32),
      shelf: { setting: (key) => kept.get(key) ?? null, setSetting: (key, value) => Promise.resolve(void kept.set(key, value)) },
      roleOf: (person) => (person === OWNER ? "operator" : "guest"),
      ownerOf: () => OWNER ?? null,
      madeAtMs: () => null,
      trust: ({ person }) => {
        if (this.failing) return Promise.reject(new Error("no room on the disk"));
        this.trusted.push(person);
        return Promise.resolve();
      },
      audit: () => Promise.resolve(),
    });
  }

  /** Somebody tries; gives the button that lets them in. */
  try(who: PrincipalId | undefined): string {
    assert.ok(who !== undefined);
    const sender = { principal: who, displayName: "Somebody", kind: "person", assurance: "platform" } as const;
    const notice = this.tried.heard({ surface: TOWN, deliveryId: "9", atMs: 0, sender, place, alone: false, text: "hi", within: ["11"] });
    return notice?.card.buttons?.[0]?.id ?? assert.fail("no card");
  }

  async press(id: string): Promise<string> {
    assert.ok(OWNER !== undefined);
    const sender = { principal: OWNER, displayName: "Ann", kind: "person", assurance: "platform" } as const;
    const act: PersonalAct = {
      surface: TOWN,
      deliveryId: "10",
      atMs: 0,
      sender,
      place,
      character: parseCharacterId("mirelle"),
      within: [],
      what: { kind: "button", id },
    };
    const answer: ActAnswer = (await this.tried.workOf(act)?.()) ?? assert.fail("no work");
    return answer.words;
  }
}

test("TR-093 SE-084 a card counts in every process for a day, once; a process that dies before its answer is carried out uses nothing up", async () => {
  const [clock, kept] = [new ManualClock(), new Map<string, string>()];
  const first = new Desk(clock, kept);
  const [ofEve, ofFay] = [first.try(EVE), first.try(FAY)];
  await clock.advance(DAY_MS - 1);
  const second = new Desk(clock, kept);
  second.failing = true;
  await assert.rejects(second.press(ofEve));
  const third = new Desk(clock, kept);
  assert.match(await third.press(ofEve), /is trusted now/);
  assert.doesNotMatch(await new Desk(clock, kept).press(ofEve), /trusted/);
  assert.deepEqual(third.trusted, [EVE]);
  assert.doesNotMatch([...kept.values()].join(), /discord/, "nobody's id is kept");
  await clock.advance(1);
  assert.doesNotMatch(await third.press(ofFay), /trusted/, "a day later it is over");
});
