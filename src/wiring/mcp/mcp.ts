import type { Notices } from "../../observe/notices.ts";
import type { TriggerLogs } from "../../observe/trigger-logs.ts";
import { whyOf } from "../../observe/why.ts";
import { toKept } from "../../operations/policy/kept-policy.ts";
import { McpClients, principalOfClient } from "../../operations/mcp/mcp-clients.ts";
import type { McpCall, McpVerdict } from "../../operations/mcp/mcp-face.ts";
import { McpFace } from "../../operations/mcp/mcp-face.ts";
import type { McpReader, McpWhy } from "../../operations/mcp/mcp-readings.ts";
import { mcpProposing } from "../../operations/mcp/mcp-proposing.ts";
import { mcpReadings } from "../../operations/mcp/mcp-readings.ts";
import type { ResponsePolicies } from "../../operations/policy/response-policies.ts";
import type { Store } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { MessageId } from "../../vocabulary/ids.ts";
import { parseCharacterId, parseMessageId, parseTurnId } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { surfaceStatus } from "../health.ts";
import { ProposalDesk } from "./mcp-desk.ts";
import { sessionOfClient } from "./mcp-session.ts";
import { botsOf } from "../commands/policies.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Calls of one client, in a minute and in a day. */
const CALLS_A_MINUTE = 60;
const CALLS_A_DAY = 2_000;
/** Proposals of one client in an hour. */
const PROPOSALS_AN_HOUR = 10;
/** Calls of programs are no character's. */
const NO_CHARACTER = parseCharacterId("mcp");

/** What the face for programs stands on. */
export interface McpFloors {
  readonly store: Store;
  readonly policies: ResponsePolicies;
  readonly triggers: TriggerLogs;
  readonly surfaces: () => readonly Surface[];
  readonly notices: Pick<Notices, "note">;
}

/** The face for programs that models drive, and who they are. */
export interface Mcp {
  readonly clients: McpClients;
  readonly face: McpFace;
  readonly desk: ProposalDesk;
}

/** Make the face over what runs here. */
export function openMcp(options: ComposeOptions, floors: McpFloors): Mcp {
  const { store } = floors;
  const { clock, log } = options.floor;
  const clients = new McpClients({
    clock,
    setting: (key) => store.read.setting(key),
    setSetting: (key, value, act) => store.setSetting(key, value, act),
  });
  const desk = new ProposalDesk(options, { ...floors, clients });
  const reader = readerOf(options, floors, desk);
  const face = new McpFace({
    clock,
    log,
    version: options.process.version,
    clients,
    tools: [...mcpReadings(reader), ...mcpProposing(reader, desk)],
    judge: (call) => judge(call, options, store),
  });
  return { clients, face, desk };
}

/** Charge a call and note it where calls of tools are noted, with its client as who called (SE-082). */
async function judge(call: McpCall, { floor: { clock, ids } }: ComposeOptions, store: Pick<Store, "calls">): Promise<McpVerdict> {
  const { client, tool, digest, asks, known } = call;
  const atMs = clock.nowMs();
  const charge = (
    unit: string,
    ms: number,
    limit: number,
  ): object & { scope: string; windowStartMs: number; amount: number; limit: number } => ({
    scope: `mcp:${unit}:${client.name}`,
    windowStartMs: Math.floor(atMs / ms) * ms,
    amount: 1,
    limit,
  });
  const [result] = await store.calls.judge({
    atMs,
    turn: parseTurnId(ids.next("t")),
    root: parseMessageId(ids.next("m")),
    session: sessionOfClient(client.name),
    person: principalOfClient(client.name),
    character: NO_CHARACTER,
    foreign: true,
    calls: [
      {
        call: ids.next("c"),
        tool,
        digest,
        verdict: known ? (asks ? "ask" : "allow") : "deny",
        code: known ? "" : "unknown_tool",
        rule: "mcp",
        charges: [charge("minute", MINUTE_MS, CALLS_A_MINUTE), charge("day", DAY_MS, CALLS_A_DAY)],
        bits: 0,
        keptAnswer: null,
        grant: null,
      },
    ],
    asksPerTurn: 1,
    bitsPerTurn: 0,
    foreignAsksPerHour: PROPOSALS_AN_HOUR,
  });
  if (result === undefined || result.verdict === "deny") return result?.code === "stopped" ? "stopped" : "too_many";
  return "allow";
}

function readerOf(options: ComposeOptions, { store, policies, triggers, surfaces }: McpFloors, desk: ProposalDesk): McpReader {
  const config = (): ReturnType<typeof options.config.current> => options.config.current();
  const { clock } = options.floor;
  const { version, startedAtMs } = options.process;
  return {
    status: () => ({
      version,
      upMs: clock.nowMs() - startedAtMs,
      characters: [...config().characters.keys()],
      surfaces: surfaces().map((one) => {
        const { name, kind, state } = surfaceStatus(one, config(), startedAtMs);
        return { name, kind, state };
      }),
    }),
    bots: () => botsOf(config()),
    policyOf: (surface) => {
      const { policy, readable } = policies.of(surface);
      return { policy: toKept(policy), readable };
    },
    why: (id) => whyWithoutContent(id, options, store),
    logOf: (surface) => triggers.of(surface),
    async opens(client, accounts) {
      const entry = { atMs: clock.nowMs(), by: principalOfClient(client.name), act: "read_lines", about: "triggers" } as const;
      for (const account of accounts) await store.audit({ ...entry, person: parsePrincipalId(`discord:${account}`) });
    },
    waiting: (client) => desk.waiting(client),
  };
}

/** Outcome and stations alone: facts name people, places and money. */
function whyWithoutContent(id: string | null, { config }: ComposeOptions, { read }: Pick<Store, "read">): McpWhy | null {
  const message = id === null ? (read.recentDecisions(1)[0] ?? null) : messageOf(id, config.current(), read);
  const explanation = message === null ? null : read.explain(message);
  if (explanation === null) return null;
  const { id: own, outcome, stations } = whyOf(explanation);
  return { id: own, outcome, stations: stations.map(({ station, state }) => ({ station, state })) };
}

function messageOf(id: string, config: Parameters<typeof botsOf>[0], read: Store["read"]): MessageId | null {
  for (const bot of botsOf(config)) {
    const found = read.delivered(bot, id);
    if (found !== null) return found;
  }
  const [only, ...others] = /^m-[0-9a-z]{4,32}$/.test(id) ? read.idsStartingWith(id) : [];
  return only === undefined || others.length > 0 ? null : only;
}
