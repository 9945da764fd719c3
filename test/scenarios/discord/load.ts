import { FakeDiscord } from "../../../src/testing/fake-discord/fake-discord.ts";
import type { FakeChannel, FakeMessage, FakeUser } from "../../../src/testing/fake-discord/world.ts";
import type { Random } from "../../../src/testing/room-simulator/random.ts";
import { createRandom } from "../../../src/testing/room-simulator/random.ts";
import type { ScriptedModel } from "../../../src/testing/scripted-model.ts";
import { leanSpeech, startScriptedModel } from "../../../src/testing/scripted-model.ts";
import { systemClock } from "../../../src/foundation/clock.ts";
import { readPacket } from "../../../src/vocabulary/packet-lines.ts";
import { Workshop } from "../troupe-process.ts";
import type { Running } from "../troupe-process.ts";

const POST = "POST /channels/:id/messages";
/** A person says nothing else in a channel for so long: two lines within a thought would be one. */
const THOUGHT_MS = 6_000;
/** How long the last answers may take once all was said, and how long nothing more may come after them. */
const END_MS = 90_000;
const QUIET_MS = 1_500;

/** What is said, in how many places and how fast. */
export interface LoadPlan {
  readonly seed: number;
  readonly mentions: number;
  readonly channels: number;
  readonly people: number;
  readonly overMs: number;
  /** One post in so many is refused with 429. */
  readonly refusedEvery: number;
}

/** What came of it. */
export interface LoadReport {
  /** Mentions with exactly one answer. */
  readonly once: number;
  /** Tokens of those with none, and of those with more. */
  readonly never: readonly string[];
  readonly twice: readonly string[];
  /** Channels whose answers are not in the order of what they answer. */
  readonly disordered: readonly string[];
  /** Posts that answer nothing that was said. */
  readonly strays: number;
  readonly refused: number;
  readonly reconnects: number;
  readonly sessions: number;
  readonly kills: number;
  /** Messages that the second process took up where the first one died, and parts it found posted. */
  readonly recovered: Running["recovered"];
  readonly tookMs: number;
}

interface Mention {
  readonly token: string;
  readonly atMs: number;
  readonly channel: FakeChannel;
  readonly by: FakeUser;
}

/**
 * Play it against the program itself, in a process of its own, over real sockets and in real time: people who mention the bot, refused
 * posts, three lost connections (one asked for, one torn, one whose session is over), and one SIGKILL in the middle.
 */
export async function playLoad(plan: LoadPlan, signal: AbortSignal): Promise<LoadReport> {
  const startedMs = systemClock.monotonicMs();
  const discord = new FakeDiscord();
  await using _discord = discord;
  await discord.listen();
  await using model = await startScriptedModel({
    script: ({ system, prompt }) => leanSpeech(`You said: ${readPacket(system, prompt)?.observed.said ?? "nothing"}`),
  });
  const random = createRandom(plan.seed);
  const script = scriptOf(plan, discord, random);
  refuseSome(plan, discord, random);
  await using workshop = new Workshop(configOf(discord, model));
  const environment = { TOKEN: discord.token };
  const first = await workshop.start({ environment });
  await discord.until(() => discord.gateway.ready, signal);
  const said = new Map<string, FakeMessage>();
  let recovered = first.recovered;
  const scene: Scene = { plan, discord, said, workshop, environment };
  await Promise.all([say(script, scene, signal), makeTrouble(scene, first, signal).then((kept) => (recovered = kept))]);
  await ended(discord, plan.mentions, signal);
  return { ...judge(script, discord, said), kills: 1, recovered, tookMs: systemClock.monotonicMs() - startedMs };
}

/** What trouble is made with. */
interface Scene {
  readonly plan: LoadPlan;
  readonly discord: FakeDiscord;
  readonly said: Map<string, FakeMessage>;
  readonly workshop: Workshop;
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * One after another, each once so much was said and the one before is over: a connection asked to come again, a kill, a torn connection,
 * and one whose session is over. The kill waits until every channel was answered once: of a channel it never heard in a new process asks
 * nothing.
 */
async function makeTrouble(scene: Scene, first: Running, signal: AbortSignal): Promise<Running["recovered"]> {
  const { plan, discord, said } = scene;
  const { gateway } = discord;
  const reached = (share: number): Promise<void> => discord.until(() => said.size >= share * plan.mentions && gateway.ready, signal);
  await reached(0.1);
  gateway.askToReconnect();
  await discord.until(() => gateway.resumes >= 1 && gateway.ready, signal);
  await reached(0.45);
  await discord.until(() => new Set(discord.ledger.map(({ message }) => message.channel)).size === plan.channels, signal);
  const second = await killAndStart(first, scene);
  await discord.until(() => gateway.resumes >= 2 && gateway.ready, signal);
  await reached(0.7);
  gateway.tearAll();
  await discord.until(() => gateway.resumes >= 3 && gateway.ready, signal);
  await reached(0.85);
  gateway.forgetSession();
  gateway.tearAll();
  await discord.until(() => gateway.identifies >= 2 && gateway.ready, signal);
  return second.recovered;
}

async function killAndStart(running: Running, { workshop, environment }: Scene): Promise<Running> {
  process.kill(running.pid, "SIGKILL");
  await running.ended();
  return workshop.start({ environment });
}

function configOf({ api }: FakeDiscord, { url }: ScriptedModel): string {
  return `characters: { mirelle: { name: Mirelle, description: Keeps the inn. } }
models: { hosts: { s: { api: openai, url: "${url}", models: [scripted] } } }
surfaces:
  town: { kind: discord, token_env: TOKEN, character: mirelle, api_base: "${api}", other_server: true, admission: addressed }
  parlour: { kind: room, port: 0, character: mirelle }
console: { port: 0 }
budgets: { replies_per_minute_per_person: 60, replies_per_minute_per_room: 120, calls_per_day_per_person: 2000,
  calls_per_day_per_space: 20000, calls_per_day_in_all: 50000 }
`;
}

/** Who says what where and when, from the seed alone. */
function scriptOf(plan: LoadPlan, discord: FakeDiscord, random: Random): readonly Mention[] {
  const guild = discord.addGuild("Harbour");
  const people = Array.from({ length: plan.people }, (_, at) => discord.addUser(`person-${at}`));
  for (const one of people) discord.join(guild, one);
  const channels = Array.from({ length: plan.channels }, (_, at) => discord.addChannel(guild, `channel-${at}`));
  const moments = Array.from({ length: plan.mentions }, () => random.below(plan.overMs)).toSorted((a, b) => a - b);
  const lastMs = new Map<string, number>();
  return moments.flatMap((atMs, at): Mention[] => {
    // Each once at first, then any.
    const channel = at < channels.length ? channels[at] : random.pick(channels);
    const free = people.filter((one) => atMs - (lastMs.get(`${channel?.id} ${one.id}`) ?? -THOUGHT_MS) >= THOUGHT_MS);
    const by = random.pick(free);
    if (channel === undefined) return [];
    lastMs.set(`${channel.id} ${by.id}`, atMs);
    return [{ token: `mention-${at}-`, atMs, channel, by }];
  });
}

/** One post in so many is told to come later, some of them with the name of their bucket. */
function refuseSome({ mentions, refusedEvery }: LoadPlan, discord: FakeDiscord, random: Random): void {
  for (let at = 0; at < mentions / refusedEvery; at += 1) {
    const bucket = random.chance(0.5) ? {} : { bucket: `bucket-${at}` };
    discord.faults.add(POST, { kind: "rate_limit", retryAfterS: 0.2 + random.below(9) / 10, ...bucket }, { skip: refusedEvery - 1 });
  }
}

async function say(script: readonly Mention[], { discord, said }: Pick<Scene, "discord" | "said">, signal: AbortSignal): Promise<void> {
  const startMs = systemClock.monotonicMs();
  const mark = `<@${discord.world.bot.id}>`;
  for (const { token, atMs, channel, by } of script) {
    await systemClock.sleep(Math.max(0, atMs - (systemClock.monotonicMs() - startMs)), signal);
    said.set(token, discord.say(by, channel, `${mark} ${token}`));
  }
}

/** Wait until so many mentions are answered, or long enough, and then until nothing more comes. */
async function ended({ ledger }: FakeDiscord, mentions: number, signal: AbortSignal): Promise<void> {
  const untilMs = systemClock.monotonicMs() + END_MS;
  const answered = (): number => new Set(ledger.flatMap(({ content }) => tokensIn(content))).size;
  while (answered() < mentions && systemClock.monotonicMs() < untilMs) await systemClock.sleep(50, signal);
  for (let length = -1; length !== ledger.length;) {
    length = ledger.length;
    await systemClock.sleep(QUIET_MS, signal);
  }
}

function judge(
  script: readonly Mention[],
  discord: FakeDiscord,
  said: ReadonlyMap<string, FakeMessage>,
): Omit<LoadReport, "kills" | "recovered" | "tookMs"> {
  const { ledger, gateway } = discord;
  const answers = (token: string): number => ledger.filter(({ content }) => content.includes(token)).length;
  const orders = new Map<string, (readonly string[])[]>();
  for (const { message, content } of ledger) {
    const tokens = tokensIn(content);
    // An answer in another channel than its own is out of order as well.
    const own = tokens.map((token) => (said.get(token)?.channel === message.channel ? token : `${token} elsewhere`));
    orders.set(message.channel.id, [...(orders.get(message.channel.id) ?? []), own]);
  }
  return {
    once: script.filter(({ token }) => answers(token) === 1).length,
    never: script.filter(({ token }) => answers(token) === 0).map(({ token }) => token),
    twice: script.filter(({ token }) => answers(token) > 1).map(({ token }) => token),
    disordered: [...orders.values()].flatMap((posts) => (isInOrder(posts) ? [] : [posts.map((tokens) => tokens.join("+")).join()])),
    strays: ledger.filter(({ content }) => !/mention-\d+-/.test(content)).length,
    refused: discord.requestsOf(POST).filter(({ status }) => status === 429).length,
    reconnects: gateway.resumes,
    sessions: gateway.identifies,
  };
}

function tokensIn(content: string): readonly string[] {
  return content.match(/mention-\d+-/g) ?? [];
}

/**
 * Whether the posts of a channel stand in the order of what they answer. Where one person's mentions waited together, as in a gap, one
 * post answers them: it stands where the first of them does.
 */
function isInOrder(posts: readonly (readonly string[])[]): boolean {
  const number = (token: string | undefined): number => Number(/^mention-(\d+)-$/.exec(token ?? "")?.[1]);
  const ascends = (numbers: readonly number[]): boolean => numbers.every((one, at) => at === 0 || one > (numbers[at - 1] ?? Number.NaN));
  return (
    ascends(posts.map(([first]) => number(first))) &&
    posts.every((tokens) => ascends(tokens.map(number)) && !tokens.some((one) => Number.isNaN(number(one))))
  );
}
