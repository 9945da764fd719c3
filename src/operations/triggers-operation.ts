import { z } from "zod";
import type { Clock } from "../foundation/clock.ts";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { line, toned } from "../foundation/line.ts";
import { printable, printableBy } from "../foundation/printable.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";
import type { AuditEntry } from "../vocabulary/audit.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { parsePrincipalId } from "../vocabulary/principal.ts";
import type { TriggerEntry } from "../vocabulary/trigger-entry.ts";
import { botNamed } from "./setup/bot-named.ts";

/** Arguments of `triggers`. */
export interface TriggersArguments {
  readonly since?: string | undefined;
  readonly surface?: string | undefined;
  readonly untrusted?: boolean | undefined;
  readonly direct?: boolean | undefined;
}

/** Arguments of `trigger`. */
export interface TriggerArguments {
  readonly id: string;
  readonly surface?: string | undefined;
  readonly direct?: boolean | undefined;
}

/** Result of both: entries oldest first, `triggers` without what was said before them. What was said in private is "" unless it was opened. */
export interface TriggersAnswer {
  readonly surface: string;
  readonly entries: readonly TriggerEntry[];
}

const MAX_SHOWN_CHARACTERS = 300;

const contextLine = z.object({
  id: z.string(),
  authorId: z.string().nullable(),
  authorName: z.string(),
  content: z.string(),
  timestamp: z.string(),
});
const entry: z.ZodType<TriggerEntry> = z.object({
  id: z.string(),
  channelId: z.string(),
  guildId: z.string().exactOptional(),
  authorId: z.string(),
  authorName: z.string(),
  content: z.string(),
  timestamp: z.string(),
  trusted: z.boolean(),
  command: z.string().exactOptional(),
  context: z.array(contextLine).exactOptional(),
});
const result: z.ZodType<TriggersAnswer> = z.object({ surface: z.string(), entries: z.array(entry) });
const surface = z.string().max(40).optional().describe("the bot's surface, when there are several");
const direct = z.boolean().optional().describe("open also what was said in private; the audit notes it first");
const common = { who: OWNER_ONLY, result, render } as const;

/** `troupe triggers`: the newest messages of trusted people that called a bot, since its process began (VS-023). */
export const triggers: Declared<TriggersArguments, TriggersAnswer> = declare<TriggersArguments, TriggersAnswer>({
  ...common,
  name: "triggers",
  summary: "which messages of trusted people called a bot lately",
  arguments: z.strictObject({
    since: z.string().max(40).optional().describe("only what came after the message of this id"),
    surface,
    untrusted: z.boolean().optional().describe("the ring of everybody else, which is reserved and empty"),
    direct,
  }),
  positional: [],
});

/** `troupe trigger`: one of them, with what was said before it. */
export const trigger: Declared<TriggerArguments, TriggersAnswer> = declare<TriggerArguments, TriggersAnswer>({
  ...common,
  name: "trigger",
  summary: "one message that called a bot, with what was said before it",
  arguments: z.strictObject({ id: z.string().max(40).describe("the platform's id of the message"), surface, direct }),
  positional: ["id"],
});

function render({ surface: name, entries }: TriggersAnswer): readonly Line[] {
  const head = toned("strong", line`${printable(name)}`);
  if (entries.length === 0) return [head, toned("faint", line`  Nothing is held: it begins empty at each start, and holds a day at most.`)];
  return [
    head,
    ...entries.flatMap(({ id, channelId, guildId, authorId, authorName, content, timestamp, command, context = [] }) => {
      const where = guildId === undefined ? printable("in private") : printable(`in ${channelId}`);
      const what = command === undefined ? content : `command: ${command}`;
      return [
        line`  ${printable(timestamp)}  ${printable(id)}  ${printable(authorId)} ${where}`,
        ...(what === "" ? [] : [line`    ${printableBy(authorName, what, MAX_SHOWN_CHARACTERS)}`]),
        ...context.map((one) => toned("faint", line`    before: ${printableBy(one.authorName, one.content, MAX_SHOWN_CHARACTERS)}`)),
      ];
    }),
  ];
}

/** The log of one bot, as it can be read. */
export interface TriggerReader {
  /** What came after the entry of an id, oldest first; everything that is held where that is not, and without an id. */
  since(id: string | null, ring: "trusted" | "untrusted"): readonly TriggerEntry[];
  entry(id: string): TriggerEntry | null;
}

/** What both work with. */
export interface TriggersNeeds {
  readonly clock: Pick<Clock, "nowMs">;
  readonly logOf: (surface: SurfaceName) => TriggerReader;
  readonly bots: () => readonly SurfaceName[];
  audit(act: AuditEntry): Promise<void>;
}

/** Bind both to the logs. */
export function bindTriggers(needs: TriggersNeeds): readonly Operation[] {
  /** Private words stay closed, or are opened with a line of the audit for each person they are of (TR-091). */
  const opened = async (entries: readonly TriggerEntry[], opens: boolean, by: PrincipalId): Promise<readonly TriggerEntry[]> => {
    if (!opens) return entries.map((one) => (isPrivate(one) ? closed(one) : one));
    const atMs = needs.clock.nowMs();
    for (const account of new Set(entries.filter(isPrivate).map(({ authorId }) => authorId)))
      await needs.audit({ atMs, by, act: "read_lines", person: parsePrincipalId(`discord:${account}`), about: "triggers" });
    return entries;
  };
  return [
    triggers.bind(async (args, { actor }) => {
      const name = botNamed(args.surface, needs.bots());
      const found = needs.logOf(name).since(args.since ?? null, args.untrusted === true ? "untrusted" : "trusted");
      return { surface: name, entries: (await opened(found, args.direct === true, actor.principal)).map(withoutContext) };
    }),
    trigger.bind(async (args, { actor }) => {
      const name = botNamed(args.surface, needs.bots());
      const found = needs.logOf(name).entry(args.id);
      if (found === null) throw new RuntimeError("not_found", "Cannot show that: no message of this id is held");
      return { surface: name, entries: await opened([found], args.direct === true, actor.principal) };
    }),
  ];
}

function isPrivate({ guildId }: TriggerEntry): boolean {
  return guildId === undefined;
}

/** An entry of which only is told that somebody wrote. */
function closed({ id, channelId, authorId, authorName, timestamp, trusted }: TriggerEntry): TriggerEntry {
  return { id, channelId, authorId, authorName, content: "", timestamp, trusted };
}

function withoutContext(one: TriggerEntry): TriggerEntry {
  const { id, channelId, guildId, authorId, authorName, content, timestamp, trusted, command } = one;
  return {
    id,
    channelId,
    ...(guildId === undefined ? {} : { guildId }),
    authorId,
    authorName,
    content,
    timestamp,
    trusted,
    ...(command === undefined ? {} : { command }),
  };
}
