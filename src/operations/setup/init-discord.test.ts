import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Config } from "../../config/config.ts";
import { loadConfig } from "../../config/load.ts";
import { isRuntimeError } from "../../foundation/errors.ts";
import { FakeDiscord } from "../../testing/fake-discord/fake-discord.ts";
import type { FakeDiscordOptions } from "../../testing/fake-discord/fake-discord.ts";
import { BOT_PERMISSIONS } from "../../testing/fake-discord/world.ts";
import { FakeTerminal } from "../../testing/fake-terminal.ts";
import { FastClock } from "../../testing/fast-clock.ts";
import { folderAsText } from "../../testing/folder-as-text.ts";
import { createBotBench } from "../../wiring/trying/bot-bench.ts";
import { bindCheck } from "../checking/check.ts";
import { openPrompter } from "../faces/terminal-prompter.ts";
import { runInit } from "./init-session.ts";
import type { InitAnswer, InitArguments } from "./init.ts";
import { init } from "./init.ts";
import { LOCAL_ACTOR } from "../local-actor.ts";

const ENTER = "\r";
const TOKEN_QUESTION = "Its token (it is not shown; only Enter for no bot):";

/** What is typed once its question stands there; a function does something on the platform instead. */
type Answers = readonly (readonly [question: string, typed: string | (() => void)])[];

/** Fails where a question never comes. */
function late(question: string): Promise<never> {
  return new Promise((_, reject) => {
    AbortSignal.timeout(8_000).addEventListener("abort", () => reject(new Error(`nobody asked "${question}"`)));
  });
}

/** A folder, a terminal and a Discord. */
class Desk implements AsyncDisposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "troupe-desk-"));
  readonly terminal: FakeTerminal = new FakeTerminal();
  readonly discord: FakeDiscord;
  readonly clock: FastClock = new FastClock(200);

  constructor(options: FakeDiscordOptions) {
    this.discord = new FakeDiscord(options);
  }

  static async open(options: FakeDiscordOptions = {}): Promise<Desk> {
    const desk = new Desk(options);
    await desk.discord.listen();
    return desk;
  }

  get environment(): Record<string, string> {
    return { BOT_TOKEN: this.discord.token };
  }

  get config(): Config {
    return loadConfig({ cwd: this.folder, environment: this.environment }).config;
  }

  get file(): string {
    return readFileSync(join(this.folder, "troupe.yaml"), "utf8");
  }

  /** Run `init discord`; null has nobody at the terminal. */
  async run(args: InitArguments, answers: Answers | null): Promise<InitAnswer> {
    const stop = new AbortController();
    const { terminal, folder } = this;
    const from = terminal.shown.length;
    const running = runInit(
      { part: "discord", ...(args.rotate === true ? {} : { api_base: this.discord.api }), ...args },
      {
        path: join(folder, "troupe.yaml"),
        stateDirectory: join(folder, ".troupe"),
        load: { cwd: folder, environment: this.environment },
        bench: { ports: [], look: () => assert.fail("look"), modelsOf: () => assert.fail("models"), tryOut: () => assert.fail("try") },
        bots: createBotBench({ clock: this.clock, version: "test" }),
        clock: this.clock,
        openPrompter: () =>
          answers === null
            ? null
            : openPrompter({ input: terminal.input, output: terminal.output, color: false, interrupt: () => stop.abort() }),
        isFree: () => Promise.resolve(true),
      },
      stop.signal,
    );
    running.catch(() => {});
    let at = from;
    for (const [question, typed] of answers ?? []) {
      const over = running.then(() => assert.fail(`over before "${question}"\n${terminal.shown}`));
      at = await Promise.race([terminal.until(question, at), over, late(question)]);
      await new Promise((resolve) => setImmediate(resolve));
      if (typeof typed === "string") terminal.type(typed);
      else typed();
    }
    return await running;
  }

  /** What `check --connect` says. */
  async check(): Promise<string> {
    const operation = bindCheck({
      options: { cwd: this.folder, environment: this.environment },
      bench: { ports: [], look: () => assert.fail("look"), modelsOf: () => assert.fail("models"), tryOut: () => assert.fail("try") },
      bots: createBotBench({ clock: this.clock, version: "test" }),
      portState: () => Promise.resolve("free"),
      told: () => {},
    });
    const answer = await operation.run({ connect: true }, { actor: LOCAL_ACTOR, signal: new AbortController().signal });
    return operation
      .present(answer)
      .lines.map(({ text }) => text)
      .join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.discord[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

test("TR-081 TR-009 a bot is set up by its token alone: intent, owner, link, the wait until somebody added it, and who is answered there", async () => {
  await using desk = await Desk.open({ messageContent: false });
  const { discord, terminal } = desk;
  let guild = "";
  const answer = await desk.run({}, [
    [TOKEN_QUESTION, `${discord.token}${ENTER}`],
    ["✓ Mirelle, application", ""],
    ["Message Content Intent on, for your application)? [Y/n]", ENTER],
    ["✓ switched on", ""],
    [`Is that you, and an operator: owner (account ${discord.world.owner.id})? [y/N]`, `y${ENTER}`],
    [`client_id=${discord.world.applicationId}`, ""],
    ["Waiting until it is there", () => void (guild = discord.addGuild("Harbour\u202e\nlights").id)],
    ["Who is answered in Harbour", `2${ENTER}`],
    ["Write it? [Y/n]", ENTER],
  ]);
  assert.equal(answer.kind, "written");
  assert.equal(answer.invite, null, "it is there");
  assert.equal(discord.privileges.messageContent, true);
  assert.doesNotMatch(terminal.shown, /\u202e/);
  const bot = desk.config.surfaces.get([...desk.config.surfaces.keys()][1] ?? assert.fail("no bot"));
  assert.ok(bot?.kind === "discord");
  assert.deepEqual(
    [bot.name, bot.characters, bot.admission, bot.dms, bot.contextMessages, [...bot.places]],
    ["discord", ["mirelle"], "trusted", "listed", 15, [[guild, { admission: "addressed" }]]],
  );
  assert.deepEqual(desk.config.people.operators, [`discord:${discord.world.owner.id}`]);
  assert.equal(bot.token.reveal(), discord.token);
  // The token: in one private file, never on the screen.
  const file = join(desk.folder, ".troupe", "secrets", "discord.token");
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.match(desk.file, /token_file: \.\/\.troupe\/secrets\/discord\.token/);
  assert.equal(folderAsText(desk.folder).split(discord.token).length, 2);
  assert.ok(!terminal.bytes.includes(discord.token.slice(0, 8)));
  assert.equal(discord.ledger.length, 0, "nobody was told anything");
});

test("TR-081 cases B31 a person's token, a rejected one and what is none are refused, each with what to do, and nothing is written", async () => {
  await using person = await Desk.open({ account: "user" });
  const nothing = folderAsText(person.folder);
  assert.equal(
    (
      await person.run({}, [
        [TOKEN_QUESTION, `secret${ENTER}`],
        ["it is shorter than", ""],
        [TOKEN_QUESTION, `this-is-long-enough-but-no-token${ENTER}`],
        ["it is no bot token", ""],
        [TOKEN_QUESTION, `${person.discord.token}${ENTER}`],
        ["✗ the token is a person's, not a bot's", ""],
        [TOKEN_QUESTION, `${person.discord.token.replace("fake", "fade")}${ENTER}`],
        ["✗ Discord rejected the bot's token", ""],
        [TOKEN_QUESTION, ENTER],
      ])
    ).kind,
    "nothing",
  );
  const refused = (words: RegExp) => (error: unknown) => isRuntimeError(error) && words.test(error.message);
  await assert.rejects(person.run({ token_env: "BOT_TOKEN" }, null), refused(/a person's, not a bot's/));
  await assert.rejects(person.run({ token_env: "NOT_THERE" }, null), refused(/--token-env: .*not set/));
  await assert.rejects(person.run({}, null), refused(/--token-env .*--token-file/));
  writeFileSync(join(person.folder, "open.token"), person.discord.token, { mode: 0o644 });
  await assert.rejects(person.run({ token_file: "open.token" }, null), refused(/chmod 600/));
  rmSync(join(person.folder, "open.token"));
  await assert.rejects(person.run({ api_base: "http://elsewhere.example" }, null), refused(/--api-base: must be https/));
  assert.equal(folderAsText(person.folder), nothing);
});

test("TR-081 without a terminal the options answer: nobody becomes an operator unasked, nothing of the account is changed, the link is told", async () => {
  await using desk = await Desk.open({ messageContent: false });
  const answer = await desk.run({ token_env: "BOT_TOKEN" }, null);
  assert.equal(answer.kind, "written");
  assert.match(
    answer.invite ?? "",
    /^https:\/\/discord\.com\/oauth2\/authorize\?client_id=\d+&scope=bot\+applications\.commands&permissions=\d+$/,
  );
  assert.deepEqual(desk.config.people.operators, []);
  assert.equal(desk.discord.privileges.messageContent, false);
  assert.match(desk.file, /token_env: BOT_TOKEN/);
  assert.equal(existsSync(join(desk.folder, ".troupe", "secrets")), false);
  const lines = init.present(answer).lines.map(({ text }) => text);
  assert.ok(lines.some((text) => text.startsWith("Add the bot to a server: https://discord.com/")));
  // Another bot with the same token would answer everything twice.
  const again = (error: unknown): boolean => isRuntimeError(error, "usage") && /another surface has it/.test(error.message);
  await assert.rejects(desk.run({ token_env: "BOT_TOKEN" }, null), again);
});

test("TR-009 Ctrl-C at any question, and while it waits for the bot to be added, leaves the folder as it was", async () => {
  const questions = (discord: FakeDiscord): Answers => [
    [TOKEN_QUESTION, `${discord.token}${ENTER}`],
    ["for your application)? [Y/n]", `n${ENTER}`],
    ["Is that you, and an operator", ENTER],
    ["Waiting until it is there", ENTER],
    ["Write it? [Y/n]", ENTER],
  ];
  for (let at = 0; at < 5; at += 1) {
    await using desk = await Desk.open({ messageContent: false });
    const before = folderAsText(desk.folder);
    const all = questions(desk.discord);
    await assert.rejects(desk.run({}, [...all.slice(0, at), [all[at]?.[0] ?? "", "\u0003"]]), (error) => isRuntimeError(error, "aborted"));
    assert.equal(folderAsText(desk.folder), before, `at ${all[at]?.[0]}`);
    assert.equal(desk.terminal.raw, false);
  }
  await using desk = await Desk.open({ messageContent: false });
  const answer = await desk.run({}, questions(desk.discord));
  assert.equal(answer.kind, "written");
  assert.match(answer.invite ?? "", /client_id/);
  assert.deepEqual(desk.config.people.operators, [], "only a typed yes makes an operator");
  assert.match(desk.file, /context_messages: 0/);
});

test("TR-081 members of a team who took their place are offered as operators, one by one, and a bot joins what is there", async () => {
  await using desk = await Desk.open();
  const { discord } = desk;
  discord.addGuild("Harbour");
  discord.addGuild("Quay");
  const [kim, lee] = [discord.addUser("kim", { globalName: "Kim" }), discord.addUser("lee")];
  discord.world.team.push(
    { user: kim, accepted: true },
    { user: discord.addUser("guest"), accepted: false },
    { user: lee, accepted: true },
  );
  writeFileSync(
    join(desk.folder, "troupe.yaml"),
    `# mine\ncharacters: { mirelle: {}, tobias: {} }\npeople: { operators: ["discord:${lee.id}", "discord:987654321098765432"] }\n`,
  );
  const answer = await desk.run({}, [
    [TOKEN_QUESTION, `${discord.token}${ENTER}`],
    [`Is that you, and an operator: Kim (account ${kim.id})? [y/N]`, `y${ENTER}`],
    ["Who speaks [1]:", `2${ENTER}`],
    ["✓ in Harbour", ""],
    ["✓ in Quay", ""],
    ["Write it? [Y/n]", ENTER],
  ]);
  assert.equal(answer.kind, "added");
  assert.match(desk.file, /^# mine$/m);
  assert.deepEqual(desk.config.people.operators, [`discord:${lee.id}`, "discord:987654321098765432", `discord:${kim.id}`]);
  const [bot] = desk.config.surfaces.values();
  assert.deepEqual(bot?.characters, ["tobias"]);
});

test("TR-081 a new token takes the place of the old one, whole, and only for the same bot", async () => {
  const token = (account: string, rest = "GabcDE.0123456789abcdefghijklmnopqrst"): string =>
    `${Buffer.from(account).toString("base64url")}.${rest}`;
  await using desk = await Desk.open();
  desk.discord.addGuild("Harbour");
  const { bot } = desk.discord.world;
  const old = token(bot.id);
  desk.discord.resetToken(old);
  await desk.run({}, [
    [TOKEN_QUESTION, `${old}${ENTER}`],
    ["Is that you", ENTER],
    ["Who is answered", ENTER],
    ["Write it?", ENTER],
  ]);
  const file = join(desk.folder, ".troupe", "secrets", "discord.token");
  assert.equal(readFileSync(file, "utf8"), `${old}\n`);
  const fresh = token(bot.id, "HfghIJ.abcdefghijklmnopqrst0123456789");
  desk.discord.resetToken(fresh);
  const before = folderAsText(desk.folder);
  await assert.rejects(desk.run({ rotate: true }, [[TOKEN_QUESTION, "\u0003"]]), (error) => isRuntimeError(error, "aborted"));
  assert.equal(folderAsText(desk.folder), before);
  const rotated = await desk.run({ rotate: true }, [[TOKEN_QUESTION, `${fresh}${ENTER}`]]);
  assert.deepEqual([rotated.kind, rotated.path], ["rotated", file]);
  assert.equal(readFileSync(file, "utf8"), `${fresh}\n`);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(desk.config.surfaces.size, 2, "nothing else changed");
  assert.ok(!desk.terminal.bytes.includes(fresh.slice(-10)));
  // Where the file's own token says that it is of another account, a good token of this bot is no new token of that one.
  writeFileSync(file, `${token("123456789012345678")}\n`);
  const other = (error: unknown): boolean => isRuntimeError(error, "usage") && /of another bot/.test(error.message);
  await assert.rejects(desk.run({ rotate: true, token_env: "BOT_TOKEN" }, null), other);
  await assert.rejects(desk.run({ rotate: true, part: "model" }, null), (error) => isRuntimeError(error, "usage"));
});

test("TR-081 TR-025 check names in words what a bot lacks, with the cure: intent, rights, places, servers, a token that is over", async () => {
  await using desk = await Desk.open({ messageContent: false });
  const { discord } = desk;
  await desk.run({ token_env: "BOT_TOKEN" }, null);
  const lonely = await desk.check();
  assert.match(lonely, /surfaces\.discord +it is in no server\n +→ add it to one: https:\/\/discord\.com\/oauth2/);
  assert.match(lonely, /the intent Message Content is missing: .*\n +→ switch on Message Content Intent in the developer portal/);
  const guild = discord.addGuild("Harbour");
  guild.permissions = 1n << 10n;
  const hidden = discord.addChannel(guild, "hidden");
  const seen = discord.addChannel(guild, "seen");
  hidden.rights.delete("view");
  const places = [guild.id, hidden.id, seen.id, "123456789012345678"].map((id) => `      "${id}": { admission: silent }\n`).join("");
  writeFileSync(join(desk.folder, "troupe.yaml"), desk.file.replace(/( {4}admission: trusted\n)/, `$1    places:\n${places}`));
  const poor = await desk.check();
  assert.match(
    poor,
    /in Harbour 3 rights are missing: Send Messages, Send Messages in Threads, Read Message History\n +→ give its role these rights/,
  );
  assert.match(poor, new RegExp(`places\\.${hidden.id} +the bot may not see that channel`));
  assert.match(poor, /places\.123456789012345678 +the bot is in no server, category, channel or thread with that id/);
  assert.doesNotMatch(poor, new RegExp(`(?:${seen.id}|${guild.id}) +the bot`));
  assert.match(poor, /Who may trigger what[\s\S]*everyone|Who may trigger what[\s\S]*trusted people who mention it/);
  guild.permissions = BOT_PERMISSIONS;
  for (const right of ["send", "read_history"] as const) seen.rights.delete(right);
  const partly = await desk.check();
  assert.match(
    partly,
    new RegExp(`places\\.${seen.id} +there, and not in its server, it lacks: Send Messages, Read Message History\\n +→ give its role`),
  );
  const thread = discord.startThread(seen, "aside");
  writeFileSync(join(desk.folder, "troupe.yaml"), desk.file.replace(`"${seen.id}"`, `"${thread.id}"`));
  assert.match(await desk.check(), new RegExp(`places\\.${thread.id} +there, and not in its server, it lacks: Read Message History\\n`));
  for (const right of ["send", "read_history"] as const) seen.rights.add(right);
  guild.permissions = 1n << 3n;
  discord.privileges.messageContent = true;
  const rich = await desk.check();
  assert.doesNotMatch(rich, /missing/);
  assert.match(rich, /Mirelle, in 1 server\n/);
  discord.faults.add("GET /users/@me", { kind: "error", status: 401, code: 0 });
  assert.match(await desk.check(), /✗ +surfaces\.discord +its token cannot be used\n +→ Discord rejected the bot's token/);
});
