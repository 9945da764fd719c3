import assert from "node:assert/strict";
import { test } from "node:test";
import { ManualClock } from "../../testing/manual-clock.ts";
import type { AccountLook } from "../../vocabulary/account.ts";
import { parseCharacterId, parseMessageId, parseSurfaceName } from "../../vocabulary/ids.ts";
import { publicPlace } from "../../vocabulary/place.ts";
import type { Assurance, PrincipalId, Role } from "../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { parseOwnerCommand } from "../../vocabulary/owner-command.ts";
import { createOwnerChatFace } from "../faces/owner-chat.ts";
import { createOperations } from "../operations.ts";
import { CONFIRM_WITHIN_MS, bindWhitelist } from "./whitelist.ts";

const account = (number: number): string => String(177_117_296_140_091_000n + BigInt(number));
const person = (number: number): PrincipalId => parsePrincipalId(`discord:${account(number)}`);
const OWNER = person(1);
const OPERATOR = person(2);

/** The owner's commands over a trust list in memory. */
function bench(owner: PrincipalId | null = OWNER) {
  const clock = new ManualClock();
  const list = new Map<PrincipalId, "trusted" | "guest" | "blocked">();
  const looks = new Map<PrincipalId, AccountLook>();
  const looked: PrincipalId[] = [];
  const face = createOwnerChatFace(
    createOperations([
      bindWhitelist({
        clock,
        owner: () => owner,
        isOperator: (one) => one === OWNER || one === OPERATOR,
        ledger: {
          trust: (one) => list.get(one) ?? "guest",
          trusted: () => [...list.keys()].filter((one) => list.get(one) === "trusted"),
          nameOf: () => null,
          setTrust: (row) => Promise.resolve(void list.set(row.person, row.role)),
        },
        look(_surface, one) {
          looked.push(one);
          return Promise.resolve(
            looks.get(one) ?? {
              kind: "account",
              madeAtMs: clock.nowMs() - 86_400_000,
              facts: { name: "somebody", shownAs: null, bot: false },
            },
          );
        },
      }),
    ]),
    () => owner,
  );
  const say = (
    text: string,
    { by = OWNER, role = "operator", assurance = "platform" }: { by?: PrincipalId; role?: Role; assurance?: Assurance } = {},
  ): Promise<string> => {
    const command = parseOwnerCommand(text);
    assert.ok(command !== null, text);
    const said = {
      id: parseMessageId("m-00000001"),
      place: publicPlace(parseSurfaceName("town"), "1"),
      character: parseCharacterId("mirelle"),
      characterName: "Mirelle",
    };
    return face.answer(command, { actor: { principal: by, role, assurance, channel: "public" }, said }, new AbortController().signal);
  };
  return { clock, list, looks, looked, say };
}

test("VS-007 VS-008 VS-045 TR-011 another operator, a trusted person, the owner's id over a line that vouches for nobody, and everybody where there is no owner: the same refusal, and nothing is looked up or changed", async () => {
  const refusal = "That is for the owner of this bot alone.";
  const { say, list, looked } = bench();
  for (const who of [
    { by: OPERATOR },
    { by: person(3), role: "trusted" },
    { by: OWNER, assurance: "relayed" },
    { by: OWNER, role: "guest" },
  ] as const)
    for (const text of ["whitelist list", `whitelist add ${account(4)}`, "whitelist yes", "whitelist", "whitelist burn"])
      assert.equal(await say(text, who), refusal);
  assert.equal(await bench(null).say("whitelist list"), refusal);
  assert.deepEqual([list.size, looked.length], [0, 0]);
});

test("SE-096 a change waits five minutes for its yes, is done once, and only the newest waits", async () => {
  const { say, list, clock } = bench();
  await say(`whitelist add ${account(3)}`);
  await clock.advance(CONFIRM_WITHIN_MS + 1);
  assert.match(await say("whitelist yes"), /Nothing waits/);
  await say(`whitelist add ${account(3)}`);
  await say("whitelist list");
  await clock.advance(CONFIRM_WITHIN_MS);
  assert.match(await say("whitelist yes"), /Trusted now/, "looking at the list changes nothing of it");
  assert.match(await say("whitelist yes"), /Nothing waits/);
  await say(`whitelist add ${account(4)}`);
  await say(`whitelist remove ${account(3)}`);
  assert.match(await say("whitelist yes"), /No longer trusted/);
  assert.deepEqual([...list], [[person(3), "guest"]]);
});

test("VS-011 VS-013 SE-096 nobody is trusted unseen, no bot and no operator is, and one message changes twenty people at most", async () => {
  const { say, list, looks } = bench();
  const madeAtMs = Date.parse("2020-05-01");
  looks.set(person(3), { kind: "unavailable", madeAtMs });
  looks.set(person(4), { kind: "unknown", madeAtMs });
  looks.set(person(5), { kind: "account", madeAtMs, facts: { name: "bot", shownAs: null, bot: true } });
  const told = await say(`whitelist add ${[1, 2, 3, 4, 5].map(account).join(" ")}`);
  for (const why of [/is the owner/, /is an operator by the configuration/, /cannot be looked up now/, /id of no account/, /is a bot/])
    assert.match(told, why);
  assert.match(told, /Nothing is changed/);
  list.set(person(3), "trusted");
  assert.match(
    await say(`whitelist remove ${account(3)}`),
    /name not known now; account made 2020-05-01/,
    "taking off waits for no platform",
  );
  const many = await say(`whitelist add ${Array.from({ length: 23 }, (_, at) => account(10 + at)).join(" ")}`);
  assert.equal(many.match(/one too many/g)?.length, 3);
  assert.equal(many.match(/account made/g)?.length, 20);
  await say("whitelist yes");
  assert.equal([...list.values()].filter((role) => role === "trusted").length, 21);
});

test("VS-010 SE-103 the list names fifty and counts the rest; a word of the owner's is shown inert", async () => {
  const { say, list } = bench();
  for (let at = 0; at < 53; at += 1) list.set(person(100 + at), "trusted");
  const told = await say("whitelist list");
  assert.match(told, /Trusted \(53\):/);
  assert.match(told, /and 3 more$/);
  assert.match(await say("whitelist add \u202Eevil"), /⟨202E⟩evil is no account/);
  for (const text of ["whitelist", "whitelist burn", "whitelist add", "whitelist list all", `whitelist yes ${account(3)}`])
    assert.match(await say(text), /^It is said like this: whitelist list/, text);
});
