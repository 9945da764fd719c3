import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { isRuntimeError } from "../foundation/errors.ts";
import { parseSurfaceName } from "../vocabulary/ids.ts";
import { checkConfig } from "./checking/check-config.ts";
import type { Config } from "./config.ts";
import type { DiscordConfig } from "./discord-config.ts";
import { loadConfig } from "./load.ts";
import { listTriggers } from "./checking/triggers.ts";

const TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GabcDE.0123456789abcdefghijklmnopqrst";
const GUILD = "112233445566778899";
const CHANNEL = "223344556677889900";
const ROLE = "334455667788990011";
const ANN = "discord:445566778899001122";

/** Load a file with these keys of a bot, or give the message that refuses it. */
function load(
  keys: string,
  more: { environment?: Record<string, string>; rest?: string; files?: Record<string, string> } = {},
): Config | string {
  const folder = mkdtempSync(join(tmpdir(), "troupe-discord-"));
  try {
    for (const [name, text] of Object.entries(more.files ?? {})) writeFileSync(join(folder, name), text, { mode: 0o600 });
    writeFileSync(
      join(folder, "troupe.yaml"),
      `characters: { mirelle: {}, tobias: {} }\nsurfaces:\n  town: { kind: discord, character: mirelle, ${keys} }\n${more.rest ?? ""}`,
    );
    return loadConfig({ cwd: folder, environment: more.environment ?? { DISCORD_TOKEN: TOKEN } }).config;
  } catch (error) {
    if (!isRuntimeError(error, "config_invalid")) throw error;
    return error.message;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function botOf(keys: string): DiscordConfig {
  const config = load(`token_env: DISCORD_TOKEN, ${keys}`);
  const town = typeof config === "string" ? assert.fail(config) : config.surfaces.get(parseSurfaceName("town"));
  return town?.kind === "discord" ? town : assert.fail("no bot");
}

const refusal = (keys: string, more: Parameters<typeof load>[1] = {}): string => {
  const loaded = load(keys, more);
  return typeof loaded === "string" ? loaded : "";
};

test("TR-020 VS-001 VS-030 a bot answers trusted people who mention it, with 15 messages and 4000 characters before that", () => {
  const { token, ...town } = botOf("");
  assert.equal(token.reveal(), TOKEN);
  assert.deepEqual(
    { ...town, api: town.api.base },
    {
      kind: "discord",
      name: "town",
      title: "Town",
      api: "https://discord.com/api",
      characters: ["mirelle"],
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
    },
  );
});

test("cases B27 who may talk is listed by id: accounts, and roles of one server", () => {
  const town = botOf(
    `allow: ['${ANN}'], places: { "${CHANNEL}": { admission: trusted, allow: ['role:${GUILD}/${ROLE}'], character: tobias, calls_per_day: 5 } }`,
  );
  assert.deepEqual(town.allow, { people: [ANN], roles: [] });
  assert.deepEqual(town.places.get(CHANNEL), {
    admission: "trusted",
    allow: { people: [], roles: [`${GUILD}/${ROLE}`] },
    character: "tobias",
    callsPerDay: 5,
  });
});

for (const [what, keys, rule] of [
  [
    "a name in place of an id",
    "allow: ['anna']",
    /3:\d+ surfaces\.town\.allow\[0\]: must be `discord:<user id>` or `role:<server id>\/<role id>`/,
  ],
  ["a number that lost its quotes", "allow: [445566778899001122]", /surfaces\.town\.allow\[0\]: must be text, but is a number/],
  ["everyone as an entry", "allow: ['@everyone']", /wildcards are refused; for everyone here write `admission: addressed`/],
  ["a pattern", "allow: ['discord:*']", /wildcards are refused/],
  ["a role without its server", `allow: ['role:${ROLE}']`, /roles of one server mean nothing in another/],
  ["a person who moderates", `moderators: ['${ANN}']`, /surfaces\.town\.moderators\[0\]: must be `role:<server id>\/<role id>`/],
  ["a place by name", "places: { tavern: {} }", /places\.tavern: the name must be an id of 17 to 20 digits/],
  ["a place without quotes", `places: { ${CHANNEL}: {} }`, /keys must be plain text; put a number or true in quotes/],
  [
    "an unknown character of a place",
    `places: { "${CHANNEL}": { character: tobais } }`,
    /there is no character tobais; did you mean tobias\?/,
  ],
  [
    "a misspelt key of a place",
    `places: { "${CHANNEL}": { admision: silent } }`,
    /places\.\d+\.admision: unknown key; did you mean admission\?/,
  ],
  ["too much context", "context_messages: 51", /context_messages: must be at most 50/],
  ["plain http to another computer", "api_base: 'http://discord.example'", /must be https/],
  [
    "another server without saying so",
    "api_base: 'https://discord.example/api'",
    /not Discord's own server; write `other_server: true` too/,
  ],
  ["a look-alike host", "api_base: 'https://discord.com.evil.example/api'", /not Discord's own server/],
  ["other_server for Discord itself", "other_server: true", /is for servers that are not Discord's own/],
] as const) {
  test(`MC-104 a bot's file with ${what} is refused`, () => {
    assert.match(refusal(`token_env: DISCORD_TOKEN, ${keys}`), rule);
  });
}

test("MC-105 a bot's token comes from the environment or a private file, and no message holds a byte of it", () => {
  const shown = [
    refusal("admission: addressed"),
    refusal("token_env: DISCORD_TOKEN, token_file: x"),
    refusal("token_env: DISCORD_TOKEN", { environment: {} }),
    refusal("token_env: DISCORD_TOKEN", { environment: { DISCORD_TOKEN: `Bot ${TOKEN}` } }),
    refusal("token_file: gone.token"),
    refusal("token_env: DISCORD_TOKEN", { rest: "  twin: { kind: discord, character: tobias, token_env: DISCORD_TOKEN }\n" }),
  ];
  for (const [at, rule] of [
    /town\.kind: needs `token_env` or `token_file`/,
    /either `token_env` or `token_file`, not both/,
    /the environment variable DISCORD_TOKEN is not set/,
    /is no bot token/,
    /the token file does not exist/,
    /the token is already that of town: one bot, one surface/,
  ].entries())
    assert.match(shown[at] ?? "", rule);
  for (const part of TOKEN.split(".")) assert.ok(!shown.join().includes(part));
  const loaded = load("token_file: bot.token", { environment: {}, files: { "bot.token": `${TOKEN}\n` } });
  assert.ok(typeof loaded !== "string");
  const printed = `${inspect(loaded, { depth: 9 })}${JSON.stringify([...loaded.surfaces])}${JSON.stringify(listTriggers(loaded))}`;
  for (const part of TOKEN.split(".")) assert.ok(!printed.includes(part));
});

test("TR-086 check tells who may trigger what, place by place, and what is open wider than it may seem", async () => {
  const folder = mkdtempSync(join(tmpdir(), "troupe-discord-"));
  try {
    writeFileSync(
      join(folder, "troupe.yaml"),
      `characters: { mirelle: {}, tobias: {} }
people: { operators: ["${ANN}"] }
surfaces:
  town:
    kind: discord
    token_env: DISCORD_TOKEN
    character: mirelle
    dms: known
    allow: ["${ANN}"]
    places:
      "${GUILD}": { admission: addressed }
      "${CHANNEL}": { allow: ["role:${GUILD}/${ROLE}"], character: tobias }
  wild: { kind: discord, token_env: OTHER_TOKEN, character: tobias, admission: addressed, dms: off }
`,
    );
    const environment = { DISCORD_TOKEN: TOKEN, OTHER_TOKEN: TOKEN.replace("G", "H") };
    const { triggers, findings } = await checkConfig(
      { options: { cwd: folder, environment }, portState: () => Promise.resolve("free") },
      new AbortController().signal,
    );
    assert.deepEqual(
      triggers.slice(0, -1).map(({ surface, characters, answered, direct }) => [surface, characters.join(), answered, direct]),
      [
        ["town", "mirelle", "trusted people, 1 account who mention it", "trusted people, and whoever it answered before, 1 account"],
        [`town ${GUILD}`, "mirelle", "everyone who mentions it", "as above"],
        [`town ${CHANNEL}`, "tobias", "trusted people, 1 role who mention it", "as above"],
        ["wild", "tobias", "everyone who mentions it", "nobody"],
      ],
    );
    assert.equal(triggers[0]?.command, `${ANN}, by list and config commands`);
    const told = findings
      .filter(({ path }) => path.startsWith("surfaces."))
      .map(({ level, path, message }) => `${level} ${path}: ${message}`);
    assert.ok(
      told.some((line) => line.startsWith("warn surfaces.wild.admission: everyone who mentions the bot is answered, in every server")),
    );
    assert.ok(told.every((line) => !line.startsWith("warn surfaces.town.admission: everyone")));
    assert.equal(findings.filter(({ level }) => level === "error").length, 0);
    assert.equal(findings.filter(({ message }) => message.includes("no such variable")).length, 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
