import assert from "node:assert/strict";
import { test } from "node:test";
import type { PersonalAct } from "../../vocabulary/act.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { askText } from "../../vocabulary/calls/ask.ts";
import { parseApprovalId, parseCharacterId, parseMessageId, parseSurfaceName, parseTurnId, partIdOf } from "../../vocabulary/ids.ts";
import type { Part } from "../../vocabulary/part.ts";
import { directPlace, publicPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER, parsePrincipalId } from "../../vocabulary/principal.ts";
import type { SettledCard } from "../../vocabulary/calls/settled-card.ts";
import type { CardRecord, JudgedPress } from "./approval-cards.ts";
import { ApprovalCards } from "./approval-cards.ts";

const TOWN = parseSurfaceName("town");
const ANN = parsePrincipalId("discord:1001");
const PLACE = directPlace(TOWN, parseCharacterId("mirelle"), ANN);
const TURN = parseTurnId("t-0001");
const ASK: Ask = {
  session: "s-0001",
  call: "c1",
  tool: "write",
  bytes: "{}",
  rule: "tool",
  influence: [ANN],
  foreign: [],
  destination: "",
  scopes: ["once"],
  least: "platform",
  dynamic: false,
  words: "",
};
const recordOf = (ask: Partial<Ask> = {}, more: Partial<CardRecord> = {}): CardRecord => ({
  approval: parseApprovalId("a-0123456789abcdefghijklmnopqrstuv"),
  number: 7,
  digest: "d".repeat(64),
  call: askText({ ...ASK, ...ask }),
  person: ANN,
  place: PLACE.id,
  state: "pending",
  answer: null,
  expiresAtMs: 100,
  ...more,
});
const part = (place: Part["place"] = PLACE): Part => ({
  id: partIdOf(TURN, 0),
  turn: TURN,
  character: parseCharacterId("mirelle"),
  place,
  answers: { message: parseMessageId("m-0001"), deliveryId: null },
  generation: 1,
  index: 0,
  count: 1,
  body: "",
  action: "",
  createdAtMs: 1,
});
const press = (id: string): PersonalAct => ({
  surface: TOWN,
  deliveryId: "1",
  atMs: 1,
  sender: { principal: ANN, displayName: "Ann", kind: "person", assurance: "platform" },
  place: PLACE,
  within: [],
  character: parseCharacterId("mirelle"),
  what: { kind: "button", id },
});

function bench(record: CardRecord | null, more: { readonly shown?: boolean; readonly judged?: JudgedPress; readonly nowMs?: number } = {}) {
  const asked: string[] = [];
  const cards = new ApprovalCards({
    clock: { nowMs: () => more.nowMs ?? 50 },
    key: new Uint8Array(32).fill(7),
    ask: () => record,
    askOfTurn: () => record,
    isShown: () => more.shown ?? true,
    originOf: ({ sender }) => ({ principal: sender.principal, role: "operator", assurance: sender.assurance, channel: "direct" }),
    judge: ({ answer, scope }, by) => {
      asked.push(`${answer} ${scope} ${by.assurance}`);
      return more.judged ?? { kind: "taken", row: { approval: recordOf().approval, digest: "d", person: ANN, answer: "x" } };
    },
  });
  const pressed = async (id: string, resumed = true): Promise<string> =>
    (await cards.workOf(press(id), { resume: () => Promise.resolve(resumed) })?.())?.words ?? "nothing";
  return { cards, asked, pressed, labels: (place?: Part["place"]) => cards.buttons(part(place)).map(({ label }) => label) };
}

test("SE-081 SE-084 buttons offer what the question does and its line may answer, and no more; Deny always", () => {
  const offered = (ask: Partial<Ask>, more: Parameters<typeof bench>[1] = {}): readonly string[] => bench(recordOf(ask), more).labels();
  assert.deepEqual(offered({}), ["Allow once", "Deny"]);
  assert.deepEqual(offered({ scopes: ["once", "session", "always"] }), ["Allow once", "Allow for the session", "Allow always", "Deny"]);
  assert.deepEqual(offered({ scopes: ["once", "session"] }), ["Allow once", "Allow for the session", "Deny"]);
  assert.deepEqual(offered({ least: "local", scopes: ["once", "always"] }), ["Deny"], "what only the own machine may allow");
  assert.deepEqual(offered({ dynamic: true }), ["Deny"]);
  assert.deepEqual(offered({ bytes: "x".repeat(2_049) }), ["Deny"]);
  assert.deepEqual(offered({}, { shown: false }), ["Deny"], "a card that holds a secret was not shown");
  assert.deepEqual(bench(recordOf({}, { call: "go on?" })).labels(), ["Allow once", "Deny"], "a question about no call");
  for (const gone of [
    recordOf({}, { state: "answered" }),
    recordOf({}, { expiresAtMs: 50 }),
    recordOf({}, { person: LOCAL_OWNER }),
    recordOf({}, { place: null }),
    null,
  ])
    assert.deepEqual(bench(gone).labels(), []);
  assert.deepEqual(bench(recordOf()).labels(publicPlace(TOWN)), []);
  for (const { id } of bench(recordOf({ scopes: ["once", "session", "always"] })).cards.buttons(part())) assert.ok(id.length <= 100, id);
});

test("SE-084 a press is judged as an answer of that line, a refusal is told, and one that came too late too", async () => {
  const record = recordOf({ scopes: ["once", "session"] });
  const one = bench(record);
  const [, session = { id: "" }, deny = { id: "" }] = one.cards.buttons(part());
  assert.equal(await one.pressed(session.id), "Allowed for the session.");
  assert.equal(await one.pressed(deny.id), "Denied.");
  assert.deepEqual(one.asked, ["allow session platform", "deny once platform"]);
  const wrong = bench(record, { judged: { kind: "refused", why: "wrong_line" } });
  assert.match(await wrong.pressed(session.id), /own machine only/);
  const gone = bench(record, { judged: { kind: "refused", why: "not_found" } });
  assert.match(await gone.pressed(session.id), /nothing here/, "an operator no more");
  assert.match(await one.pressed(session.id, false), /waits no more/, "somebody was faster");
  assert.equal(one.cards.workOf(press("held:x"), { resume: () => Promise.resolve(true) }), null);
});

test("SE-084 what is told under a settled question says what, by whom and when", () => {
  const { cards } = bench(null);
  const told = (more: Partial<SettledCard>): string =>
    cards.settled({
      approval: recordOf().approval,
      part: partIdOf(TURN, 0),
      place: PLACE,
      platformId: "1",
      state: "answered",
      answer: "allow once a-0001",
      answeredBy: ANN,
      settledAtMs: 0,
      ...more,
    });
  assert.equal(told({}), "Allowed once by discord:1001 (1970-01-01 00:00Z).");
  assert.equal(
    told({ answer: "deny once a-0001", answeredBy: LOCAL_OWNER }),
    "Denied by the owner at the own machine (1970-01-01 00:00Z).",
  );
  assert.equal(told({ answer: "allow always a-0001", answeredBy: null }), "Allowed in every session (1970-01-01 00:00Z).");
  assert.equal(told({ answer: "stop" }), "Stopped by discord:1001 (1970-01-01 00:00Z).");
  assert.match(told({ state: "expired", answer: null }), /^Nobody answered in time/);
  assert.match(told({ state: "cancelled", answer: null }), /what asked was ended/);
});
