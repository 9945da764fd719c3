import { z } from "zod";
import type { SurfaceName } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import { MAX_POLICY_ENTRIES, RESPONSE_MODES } from "../../vocabulary/response-policy.ts";
import type { TriggerEntry } from "../../vocabulary/trigger-entry.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { keptPolicy } from "../policy/kept-policy.ts";
import type { McpClient } from "./mcp-clients.ts";
import { principalOfClient } from "./mcp-clients.ts";
import type { McpReader } from "./mcp-readings.ts";
import { botMeant, mayRead } from "./mcp-readings.ts";
import type { McpTool } from "./mcp-tool.ts";
import { mcpTool } from "./mcp-tool.ts";
import type { Proposal } from "./proposal.ts";

/** Longest proposed reply, in characters. */
const MAX_REPLY = 1_500;
/** When Discord began to count, and how many bits of an id come after its time. */
const DISCORD_EPOCH_MS = 1_420_070_400_000n;
const TIME_SHIFT = 22n;

/** A wish with everything its card shows beside its bytes. */
export interface Wish {
  readonly proposal: Proposal;
  /** Whose words may have shaped it. */
  readonly influence: readonly Influence[];
  /** Where its words would go, in the platform's terms; "" for nowhere. */
  readonly destination: string;
}

/** Who takes wishes. */
export interface Desk {
  /** Put a wish before the person who runs this; gives its number, or null where too many wait. */
  propose(client: McpClient, wish: Wish): Promise<number | null>;
  /** Whether trust in somebody can be changed at all. */
  isChangeable(person: string): boolean;
  /** The name last seen of somebody; null for one never seen here. */
  nameOf(person: string): string | null;
  /** Our id of a trigger's message; null where it is not kept. */
  messageOf(surface: SurfaceName, trigger: string): string | null;
}

const surface = z.string().max(40).optional().describe("the bot, when there are several");
const NOT_HERE = { state: "refused", why: "There is nothing of that kind for you here, or it cannot be changed so." } as const;

/** The tools that propose. None changes anything, and none has an argument by which anything could be approved. */
export function mcpProposing(reader: McpReader, desk: Desk): readonly McpTool[] {
  const put = async (client: McpClient, wish: Omit<Wish, "influence">): Promise<object> => {
    const number = await desk.propose(client, { ...wish, influence: influenceOf(client, reader) });
    if (number === null) return { state: "full", why: "Too many of your proposals wait for a person." };
    return { state: "waiting", proposal: number, decidedBy: "a person, at the console or terminal" };
  };
  return [configTool(reader, put), trustTool(desk, put), replyTool(reader, desk, put)];
}

type Put = (client: McpClient, wish: Omit<Wish, "influence">) => Promise<object>;

function configTool(reader: McpReader, put: Put): McpTool {
  return mcpTool({
    name: "set_puppet_config",
    description: "Propose where a bot's replies go. Nothing changes before a person allows it; what is left out stays.",
    arguments: z.strictObject({
      surface,
      defaultMode: z.enum(RESPONSE_MODES).optional(),
      sensitiveCommands: z.array(z.string().max(40)).max(MAX_POLICY_ENTRIES).optional(),
      overrides: z.record(z.string().max(40), z.enum(RESPONSE_MODES)).optional(),
    }),
    proposes: true,
    run: async ({ surface: named, ...changes }, client) => {
      const bot = botMeant(named, reader.bots());
      const wanted = bot === null ? null : keptPolicy.safeParse({ ...reader.policyOf(bot).policy, ...given(changes) });
      if (bot === null || wanted?.success !== true) return NOT_HERE;
      return put(client, { proposal: { tool: "set_puppet_config", arguments: { surface: bot, policy: wanted.data } }, destination: "" });
    },
  });
}

function given(changes: object): object {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

function trustTool(desk: Desk, put: Put): McpTool {
  return mcpTool({
    name: "set_trust",
    description: "Propose that a Discord account is trusted, or is no more. Nothing changes before a person allows it.",
    arguments: z.strictObject({
      account: z
        .string()
        .regex(/^\d{17,20}$/)
        .describe("the account's id"),
      to: z.enum(["trusted", "guest"]).describe("what it would be"),
    }),
    proposes: true,
    run: async ({ account, to }, client) => {
      const person = `discord:${account}`;
      if (!desk.isChangeable(person)) return NOT_HERE;
      const accountMadeAt = new Date(Number((BigInt(account) >> TIME_SHIFT) + DISCORD_EPOCH_MS)).toISOString();
      const lastSeenAs = desk.nameOf(person) ?? "";
      return put(client, { proposal: { tool: "set_trust", arguments: { person, to, lastSeenAs, accountMadeAt } }, destination: "" });
    },
  });
}

function replyTool(reader: McpReader, desk: Desk, put: Put): McpTool {
  return mcpTool({
    name: "reply",
    description:
      "Propose a reply to one trigger, in the bot's name, to where that trigger's answers go. Nothing is said before a person allows it.",
    arguments: z.strictObject({
      surface,
      trigger: z.string().max(40).describe("the platform's id of the message"),
      text: z.string().trim().min(1).max(MAX_REPLY).describe("the words"),
    }),
    open: ({ triggers }) => triggers,
    proposes: true,
    run: async ({ surface: named, trigger, text }, client) => {
      const bot = botMeant(named, reader.bots());
      const entry = bot === null ? null : reader.logOf(bot).entry(trigger);
      if (bot === null || entry === null || !mayRead(client, entry)) return NOT_HERE;
      const message = desk.messageOf(bot, trigger);
      if (message === null) return NOT_HERE;
      return put(client, {
        proposal: { tool: "reply", arguments: { surface: bot, trigger, message, text } },
        destination: destinationOf(bot, entry),
      });
    },
  });
}

function destinationOf(bot: SurfaceName, { channelId, guildId, authorId }: TriggerEntry): string {
  if (guildId === undefined) return `${bot}: privately to account ${authorId}`;
  return `${bot}: where answers to account ${authorId} in channel ${channelId} of server ${guildId} go`;
}

/** The client, and whoever it can have read: a model that read somebody's words may be led by them, now or after a restart. */
function influenceOf(client: McpClient, reader: McpReader): readonly Influence[] {
  const own = principalOfClient(client.name);
  if (!client.triggers) return [own];
  const entries = reader.bots().flatMap((bot) =>
    reader
      .logOf(bot)
      .since(null, "trusted")
      .filter((entry) => mayRead(client, entry)),
  );
  const accounts = entries.flatMap(({ authorId, context = [] }) => [authorId, ...context.flatMap((one) => one.authorId ?? [])]);
  const authors = [...new Set(accounts)].map((account): Influence => parsePrincipalId(`discord:${account}`));
  return [own, "unknown:origin", ...authors];
}
