import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { Config } from "../config/config.ts";
import type { DiscordConfig, DiscordPlaceConfig } from "../config/discord-config.ts";
import { Secret } from "../foundation/secret.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { parseCharacterId, parseSurfaceName } from "../vocabulary/ids.ts";
import { directPlace, publicPlace } from "../vocabulary/place.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import { placeRules } from "./place-rules.ts";
import { spaceOf } from "./spaces.ts";

const TOWN = parseSurfaceName("town");
const MIRELLE = parseCharacterId("mirelle");
const TOBIAS = parseCharacterId("tobias");
const ANN = parsePrincipalId("discord:1");
const BEN = parsePrincipalId("discord:2");

function bot(changes: Partial<DiscordConfig> = {}): DiscordConfig {
  return {
    kind: "discord",
    name: TOWN,
    title: "Town",
    token: Secret.parse("a-token.that-opens.nothing-at-all", "here"),
    api: { base: "https://discord.com/api", other: false },
    characters: [MIRELLE],
    admission: "trusted",
    allow: { people: [], roles: [] },
    moderators: [],
    delivery: "now",
    ownerNotices: "off",
    dms: "listed",
    bots: "ignore",
    everyoneIsMention: false,
    links: [],
    contextMessages: 15,
    contextCharacters: 4_000,
    places: new Map(),
    ...changes,
  };
}

function configOf(surface: DiscordConfig): Config {
  const character = (id: typeof MIRELLE): Config["characters"] extends ReadonlyMap<unknown, infer One> ? One : never => ({
    id,
    name: id,
    aliases: [id],
    description: "",
    private: "",
    greeting: "",
  });
  const config: Pick<Config, "characters" | "surfaces" | "loops" | "limits"> = {
    characters: new Map([MIRELLE, TOBIAS].map((id) => [id, character(id)])),
    surfaces: new Map([[TOWN, surface]]),
    loops: { rounds: 6 },
    limits: CEILINGS,
  };
  return config as Config;
}

const sender = (principal: typeof ANN, groups: readonly string[] = []) =>
  ({ principal, displayName: "x", kind: "person", assurance: "platform", groups }) as const;

test("for each thing the innermost place that says something has the say", () => {
  const places = new Map<string, DiscordPlaceConfig>([
    ["server", { admission: "addressed", contextMessages: 3, callsPerDay: 100 }],
    ["category", { admission: "silent", character: TOBIAS }],
    ["channel", { admission: "trusted", callsPerDay: 5 }],
    ["thread", { contextCharacters: 10 }],
  ]);
  const rules = placeRules(bot({ places }), ["thread", "channel", "category", "server"]);
  assert.deepEqual(
    [rules.admission, rules.key, rules.character, rules.contextMessages, rules.contextCharacters],
    ["trusted", "surfaces.town.places.channel.admission", TOBIAS, 3, 10],
  );
  assert.deepEqual(rules.calls, { id: "channel", perDay: 5, key: "surfaces.town.places.channel.calls_per_day" });
  assert.equal(placeRules(bot({ places }), ["other", "server"]).admission, "addressed");
  assert.equal(placeRules(bot({ places }), ["elsewhere"]).key, "surfaces.town.admission");
});

test("what is further out never matters where something further in has spoken, and strangers to both change nothing", () => {
  const word = fc.constantFrom("addressed", "trusted", "silent");
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.stringMatching(/^[a-z]{1,4}$/), { maxLength: 5 }),
      fc.array(fc.option(word), { maxLength: 5 }),
      (ids, words) => {
        const said = ids.map((id, at) => [id, words[at] ?? null] as const);
        const places = new Map(said.flatMap(([id, admission]) => (admission === null ? [] : [[id, { admission }] as const])));
        const expected = said.find(([, admission]) => admission !== null)?.[1] ?? "trusted";
        assert.equal(placeRules(bot({ places }), ids).admission, expected);
        assert.equal(placeRules(bot({ places: new Map([...places, ["stranger", { admission: "silent" }]]) }), ids).admission, expected);
      },
    ),
  );
});

test("cases B23 a role counts with its own server alone, and never in private", () => {
  const surface = bot({ allow: { people: [ANN], roles: ["server-b/role"] } });
  const { allows, room } = spaceOf(configOf(surface), { surface: TOWN, within: ["channel", "server-a"] });
  assert.equal(room, `${TOWN}:channel`, "replies of a minute are counted for each channel");
  const open = publicPlace(TOWN, "channel");
  assert.equal(allows?.({ sender: sender(BEN, ["server-b/role"]), place: open }), true);
  assert.equal(allows?.({ sender: sender(BEN, ["server-a/role"]), place: open }), false);
  assert.equal(allows?.({ sender: sender(BEN), place: open }), false);
  assert.equal(allows?.({ sender: sender(BEN, ["server-b/role"]), place: directPlace(TOWN, MIRELLE, BEN) }), false);
  assert.equal(allows?.({ sender: sender(ANN), place: directPlace(TOWN, MIRELLE, ANN) }), true);
});

test("private lines are nobody's, listed people's, or also those of whoever was answered before", () => {
  const place = directPlace(TOWN, MIRELLE, BEN);
  const told = (dms: DiscordConfig["dms"], known: boolean): readonly unknown[] => {
    const space = spaceOf(
      configOf(bot({ dms, places: new Map([["x", { allow: { people: [BEN], roles: [] } }]]) })),
      { surface: TOWN },
      { known: () => known },
    );
    return [space.direct?.mode, space.allows?.({ sender: sender(BEN), place })];
  };
  assert.deepEqual(told("off", true), ["silent", false]);
  assert.deepEqual(told("listed", true), ["trusted", false]);
  assert.deepEqual(told("known", false), ["trusted", false]);
  assert.deepEqual(told("known", true), ["trusted", true]);
});

test("TR-084 where the understudy speaks, a bot answers operators and trusted people alone, whoever else is listed", () => {
  const surface = bot({ allow: { people: [ANN], roles: ["server-a/role"] }, admission: "addressed", dms: "known" });
  const spot = { surface: TOWN, within: ["channel", "server-a"] };
  const space = spaceOf(configOf(surface), spot, { known: () => true, understudy: true });
  assert.deepEqual(
    [space.mode, space.key, space.direct?.mode, space.direct?.key],
    ["trusted", "models.default", "trusted", "models.default"],
  );
  const line = { sender: sender(ANN, ["server-a/role"]), place: publicPlace(TOWN, "channel") };
  assert.equal(space.allows?.(line), false);
  assert.equal(space.allows?.({ ...line, place: directPlace(TOWN, MIRELLE, ANN) }), false);
  const silent = spaceOf(configOf(bot({ admission: "silent", dms: "off" })), spot, { understudy: true });
  assert.deepEqual([silent.mode, silent.direct?.mode], ["silent", "silent"]);
  assert.equal(spaceOf(configOf(surface), spot, {}).allows?.(line), true, "with a model they are answered");
});

test("each place has its own character, and the calls of everything under one id are counted together", () => {
  const surface = bot({ places: new Map([["server", { character: TOBIAS, callsPerDay: 7 }]]) });
  const inside = spaceOf(configOf(surface), { surface: TOWN, within: ["channel-1", "server"] });
  const beside = spaceOf(configOf(surface), { surface: TOWN, within: ["channel-2", "server"] });
  assert.deepEqual(
    inside.present.map(({ id }) => id),
    [TOBIAS],
  );
  assert.deepEqual(inside.calls, { scope: "calls:under:town:server", perDay: 7, key: "surfaces.town.places.server.calls_per_day" });
  assert.deepEqual(beside.calls, inside.calls);
  assert.deepEqual(
    spaceOf(configOf(surface), { surface: TOWN, within: ["elsewhere"] }).present.map(({ id }) => id),
    [MIRELLE],
  );
});
