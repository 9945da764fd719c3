import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { FakeDiscord } from "../../../src/testing/fake-discord/fake-discord.ts";
import { LOCAL_ACTOR } from "../../../src/operations/local-actor.ts";
import { Workshop } from "../troupe-process.ts";
import { openTown, stateOf } from "./town.ts";
import type { Town } from "./town.ts";

/** No eight characters of it stand in any word of this program. */
const TOKEN = "MTc2NTQzMjEwOTg3NjU0MzIx.GxQ7vK.zR4tWq9LmNp2XsBv8YcHd3Kj6FgUe1Ta0ZiOoQ";
const PART = 8;
const POST = "POST /channels/:id/messages";

/** Every run of eight characters of the token that a text holds. */
function partsIn(text: string): readonly string[] {
  const runs = Array.from({ length: TOKEN.length - PART + 1 }, (_, at) => TOKEN.slice(at, at + PART));
  const encoded = [Buffer.from(TOKEN).toString("base64"), Buffer.from(TOKEN).toString("hex"), encodeURIComponent(TOKEN)];
  return [...runs, ...encoded].filter((part) => text.includes(part));
}

/** Every file under a folder, byte for byte: database, its log, logs, configuration. */
function filesOf(folder: string): readonly (readonly [name: string, text: string])[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name)).toString("latin1")]);
}

function assertNowhere(texts: readonly (readonly [where: string, text: string])[]): void {
  for (const [where, text] of texts) assert.deepEqual(partsIn(text), [], where);
}

/** What operators and programs can be shown of a running town. */
async function shownBy({ runtime }: Town): Promise<readonly (readonly [string, string])[]> {
  const shown: [string, string][] = [];
  for (const name of ["status", "notices", "people", "packets", "audit", "budgets"]) {
    const result = await runtime.operations.run(name, {}, LOCAL_ACTOR, AbortSignal.timeout(5_000));
    shown.push([name, JSON.stringify(result)]);
  }
  return shown;
}

test("MC-105 SE-093 no eight characters of the token come out, whatever the platform answers: refusals that repeat it, pages, redirects, broken shapes, closed connections", async () => {
  await using other = new FakeDiscord();
  await other.listen();
  const echo = `Bot ${TOKEN}`;
  await using town = await openTown({
    discord: { token: TOKEN },
    keys: "admission: addressed",
    before({ discord }) {
      discord.faults.add("GET /users/@me", {
        kind: "answer",
        status: 407,
        html: `<p>${echo}</p>`,
        headers: { "proxy-authenticate": echo },
      });
      discord.faults.add("GET /users/@me", { kind: "answer", status: 200, body: { id: TOKEN, bot: true, username: echo } });
      discord.faults.add("GET /applications/@me", { kind: "answer", status: 500, body: { message: echo, code: 0 } });
      discord.faults.add("GET /gateway/bot", { kind: "answer", status: 200, body: { url: 7, shards: echo } });
      discord.gateway.next.push({ refuse: 502 }, { firstPayload: JSON.stringify({ op: 10, d: null, t: echo }) });
    },
  });
  const { discord, ann, tavern, mark, log } = town;
  const faults = [
    { kind: "answer", status: 403, body: { message: echo, code: 50013, errors: { token: echo } } },
    { kind: "answer", status: 400, body: { message: echo, code: echo } },
    { kind: "answer", status: 302, body: { message: echo }, headers: { location: `${other.api}/v10/users/@me` } },
    { kind: "answer", status: 200, body: { id: echo, content: echo } },
    { kind: "answer", status: 200, html: `${echo}`.repeat(50) },
    { kind: "answer", status: 429, html: `<html>${echo}</html>`, headers: { "retry-after": "1", "x-echo": "1" } },
  ] as const;
  for (const [at, fault] of faults.entries()) {
    const where = discord.addChannel(town.guild, `room-${at}`);
    discord.faults.add(POST, fault);
    discord.say(ann, where, `${mark} ${at}`);
    await town.until(() => discord.requestsOf(POST).some(({ path }) => path.includes(where.id)));
    await town.runtime.idle();
  }
  discord.gateway.sendRaw(JSON.stringify({ op: 0, t: "MESSAGE_CREATE", s: 9_999, d: { id: echo, author: echo } }));
  discord.gateway.closeAll(4000);
  await town.until(() => discord.gateway.resumes >= 1 && stateOf(town) === "online");
  discord.faults.add(POST, { kind: "answer", status: 401, body: { message: echo, code: 0 } });
  discord.say(ann, tavern, `${mark} the last`);
  await town.until(() => stateOf(town) === "authentication-blocked");
  await town.runtime.idle();
  assert.equal(other.requests.length, 0, "no redirect is followed, so nothing is sent there");
  assert.ok(log.some((line) => line.includes("discord_blocked")) && log.length > 8, "the log is there, at its finest level");
  const files = filesOf(town.folder);
  assert.ok(
    files.some(([name, text]) => name.includes("db") || text.startsWith("SQLite format")),
    "the database is looked at",
  );
  assertNowhere([
    ["log", log.join("")],
    ...files,
    ...(await shownBy(town)),
    ["posts", JSON.stringify(discord.ledger.map(({ content }) => content))],
  ]);
  assert.equal(partsIn(`x ${TOKEN.slice(9, 18)} y`).length > 0, true, "a part would be seen");
});

test("MC-105 nor from the program itself: what it prints, writes and says of a token that is closed with 4004, at every level of its log", async () => {
  await using discord = new FakeDiscord({ token: TOKEN });
  await discord.listen();
  discord.gateway.next.push({ closeAtIdentify: 4004 });
  await using workshop = new Workshop(`characters: { mirelle: { name: Mirelle, description: Keeps the inn. } }
surfaces:
  parlour: { kind: room, port: 0, character: mirelle }
  town: { kind: discord, token_file: bot.token, character: mirelle, api_base: "${discord.api}", other_server: true }
console: { port: 0 }
log: { level: debug, file: troupe.log }
`);
  workshop.write("bot.token", `${TOKEN}\n`, 0o600);
  const running = await workshop.start();
  await discord.until(() => discord.gateway.closedWith.includes(4004) || discord.gateway.opened > 0, AbortSignal.timeout(10_000));
  const again = await workshop.run(["init", "discord", "--token-file", "bot.token", "--api-base", discord.api]);
  discord.resetToken("another-token.abcdef.0123456789abcdefghij");
  const rejected = await workshop.run(["check", "--connect"]);
  assert.equal(await running.stop(), 0);
  assert.match(rejected.out, /its token cannot be used/);
  assert.equal(again.code, 2, "the same token twice is refused");
  const outputs = [again, rejected].map(({ out, error }): readonly [string, string] => ["output", `${out}${error}`]);
  const files = filesOf(workshop.folder).filter(([name]) => name !== "bot.token");
  assert.ok(
    files.some(([name]) => name === "troupe.log"),
    "its log is a file",
  );
  assertNowhere([...outputs, ["errors", running.errors], ["printed", running.later.join("\n")], ...files]);
});
