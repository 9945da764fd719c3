import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Composed } from "../../../src/compose.ts";
import { compose } from "../../../src/compose.ts";
import { loadConfig } from "../../../src/config/load.ts";
import { openConfigSource } from "../../../src/config/reload.ts";
import { randomIds } from "../../../src/foundation/ids.ts";
import { createLog } from "../../../src/foundation/log.ts";
import { createRedactor } from "../../../src/foundation/redact.ts";
import { FakeDiscord } from "../../../src/testing/fake-discord/fake-discord.ts";
import type { FakeDiscordOptions } from "../../../src/testing/fake-discord/fake-discord.ts";
import type { FakeChannel, FakeGuild, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import type { Script, ScriptedModel } from "../../../src/testing/scripted-model.ts";
import { leanSpeech, startScriptedModel } from "../../../src/testing/scripted-model.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { CEILINGS } from "../../../src/vocabulary/limits.ts";
import { FastClock } from "../../../src/testing/fast-clock.ts";

/** How many times faster than the real one the clock of a town runs. */
export const FASTER = 25;

/** What a town is made of; whatever is left out has the product's own value. */
export interface TownOptions {
  readonly discord?: FakeDiscordOptions;
  /** Further keys of the surface, as they stand in the file. */
  readonly keys?: string;
  /** Further surfaces of the file. */
  readonly surfaces?: string;
  /** Further lines of the file. */
  readonly lines?: string;
  readonly model?: Script;
  /** No model is configured. */
  readonly understudy?: boolean;
  /** How fast its clock runs; the platform waits three of its seconds for an answer to a command. */
  readonly faster?: number;
  /** Called before the bot starts: what is there when it comes. */
  readonly before?: (town: Scenery) => void;
}

/** A server with a channel, and three people in it: one is the operator, one is trusted by nobody. */
export interface Scenery {
  readonly discord: FakeDiscord;
  readonly guild: FakeGuild;
  readonly tavern: FakeChannel;
  readonly ann: FakeUser;
  readonly ben: FakeUser;
  /** Further keys of the surface, where they name what is in the scene. */
  keys?: string;
  /** The keys of people; Ann is the operator when they are left out. */
  people?: string;
}

/** A whole runtime with one bot, over real sockets, against a Discord and a model of this process. */
export interface Town extends Scenery, AsyncDisposable {
  readonly clock: FastClock;
  readonly model: ScriptedModel;
  readonly log: string[];
  readonly folder: string;
  readonly runtime: Composed;
  /** The mark that calls the bot. */
  readonly mark: string;
  /** Resolve once `done` holds; fails after real seconds. */
  until(done: () => boolean): Promise<void>;
  /** Let what is on its way arrive, and nothing more happen. */
  quiet(ms?: number): Promise<void>;
  /** Change the file; it counts from the next message. */
  rewrite(options: FileKeys): Promise<void>;
  /** End the runtime as a process ends, without its goodbyes where `kill` is set, and start another over what it kept. */
  restart(options?: { readonly while?: () => void }): Promise<void>;
  /** What the model was asked, as the packets' observed lines. */
  asked(): readonly string[];
}

const WAIT_MS = 10_000;

/** By default the model says back what was said to it. */
const echo: Script = (request) => leanSpeech(`You said: ${readPacket(request.system, request.prompt)?.observed.said ?? "nothing"}`);

type FileKeys = Pick<TownOptions, "keys" | "surfaces" | "lines">;

function fileOf(
  { discord, ann, people = `operators: ["discord:${ann.id}"]` }: Scenery,
  model: string | null,
  { keys = "", surfaces = "", lines = "" }: FileKeys,
): string {
  return `characters:
  mirelle: { name: Mirelle, description: An innkeeper. }
  tobias: { name: Tobias, description: A ferryman. }
people: { ${people} }
${model === null ? "" : `models: { hosts: { s: { api: openai, url: "${model}", models: [scripted] } } }`}
surfaces:
  town: { kind: discord, token_env: TOKEN, character: mirelle, api_base: "${discord.api}", other_server: true${keys === "" ? "" : `, ${keys}`} }
${surfaces}
console: { port: 0 }
budgets: { replies_per_minute_per_person: 60, replies_per_minute_per_room: 120 }
delivery: { disclosure: { operator: the tests } }
${lines}`;
}

/** Build a town and wait until its bot is online, unless it is not to be. */
export async function openTown(options: TownOptions = {}, online = true): Promise<Town> {
  const clock = new FastClock(options.faster ?? FASTER);
  const discord = new FakeDiscord({ clock, heartbeatMs: 400, ...options.discord });
  await discord.listen();
  const model = await startScriptedModel({ script: options.model ?? echo });
  const guild = discord.addGuild("Harbour");
  const [ann, ben] = [discord.addUser("ann", { globalName: "Ann" }), discord.addUser("ben", { globalName: "Ben" })];
  for (const one of [ann, ben]) discord.join(guild, one);
  const scenery: Scenery = { discord, guild, ann, ben, tavern: discord.addChannel(guild, "tavern") };
  options.before?.(scenery);
  const folder = await mkdtemp(join(tmpdir(), "troupe-town-"));
  const write = (more: FileKeys): Promise<void> =>
    writeFile(join(folder, "troupe.yaml"), fileOf(scenery, options.understudy === true ? null : model.url, more));
  await write({ ...options, ...(scenery.keys === undefined ? {} : { keys: scenery.keys }) });
  const log: string[] = [];
  let running = await start({ folder, clock, log, token: discord.token });
  const late = (): AbortSignal => AbortSignal.timeout(WAIT_MS);
  const town: Town = {
    ...scenery,
    clock,
    model,
    log,
    folder,
    get runtime() {
      return running.runtime;
    },
    mark: `<@${discord.world.bot.id}>`,
    until: (done) => discord.until(done, late()),
    quiet: (ms = 120) => new Promise((resolve) => setTimeout(resolve, ms)),
    rewrite: write,
    async restart({ while: meanwhile } = {}) {
      await running.stop();
      meanwhile?.();
      running = await start({ folder, clock, log, token: discord.token });
    },
    asked: () => model.requests.map(({ system, prompt }) => readPacket(system, prompt)?.observed.said ?? "?"),
    async [Symbol.asyncDispose]() {
      await running.stop();
      await model[Symbol.asyncDispose]();
      await discord[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
      assertCallsNobody(discord);
    },
  };
  if (online) await town.until(() => stateOf(town) === "online");
  return town;
}

/**
 * Whatever a test did: each post and each change of one, answers to commands too, says whom it may call, and that is nobody; each post
 * has a nonce that counts once (TR-081).
 */
function assertCallsNobody({ ledger, interactions }: FakeDiscord): void {
  const nobody = { parse: [], replied_user: false };
  for (const { content, nonce, enforcesNonce, allowedMentions, edits, pinged } of ledger) {
    assert.ok(typeof nonce === "string" && enforcesNonce, `posted without a nonce that counts: ${content.slice(0, 80)}`);
    for (const said of [allowedMentions, ...edits.map((edit) => edit.allowedMentions)])
      assert.deepEqual(said, nobody, `who may be called is not said: ${content.slice(0, 80)}`);
    assert.deepEqual(
      [pinged, ...edits.map((edit) => edit.pinged)].filter(({ everyone, users, roles }) => everyone || users.length + roles.length > 0),
      [],
    );
  }
  for (const { shown } of interactions)
    for (const { content, allowedMentions } of shown) {
      const parse: unknown = typeof allowedMentions === "object" && allowedMentions !== null ? Reflect.get(allowedMentions, "parse") : null;
      assert.deepEqual(parse, [], `an answer that may call somebody: ${content.slice(0, 80)}`);
    }
}

/** How the bot's connection stands. */
export function stateOf(town: Town): string {
  const surface = town.runtime.surfaces.find(({ name }) => name === "town");
  return surface?.lifecycle?.().state ?? "none";
}

async function start(about: {
  folder: string;
  clock: FastClock;
  log: string[];
  token: string;
}): Promise<{ runtime: Composed; stop: () => Promise<void> }> {
  const { folder, clock, log } = about;
  const loadOptions = { cwd: folder, environment: { TOKEN: about.token } };
  const first = loadConfig(loadOptions);
  const redactor = createRedactor([]);
  const stop = new AbortController();
  const runtime = await compose(
    {
      config: openConfigSource({ options: loadOptions, first, clock, notify: () => {} }),
      configName: first.name,
      floor: {
        clock,
        ids: randomIds,
        log: createLog({ clock, level: "debug", redactor, sink: (line) => log.push(line) }),
        redactor,
        limits: CEILINGS,
      },
      process: { version: "test", pid: process.pid, startedAtMs: clock.nowMs() },
      page: join(folder, "no-page"),
    },
    stop.signal,
  );
  return {
    runtime,
    async stop() {
      await runtime[Symbol.asyncDispose]();
      stop.abort();
    },
  };
}
