import { z } from "zod";
import { MAX_ENDPOINT_CHARACTERS } from "../../foundation/endpoint-url.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import { TOOL_CAPABILITIES } from "../../vocabulary/calls/tool-definition.ts";
import { ADMISSIONS, APIS, BOTS, DOORS, OLLAMA_LOAD_S, OLLAMA_WINDOW_TOKENS, THINK } from "../config.ts";
import { agent } from "./agent-schema.ts";
import { discord } from "./discord-schema.ts";
import { engagement } from "./engagement-schema.ts";
import { guardrails } from "./guardrails-schema.ts";
import { hooks } from "./hooks-schema.ts";
import type { KeyRow, ReloadMoment } from "./key.ts";
import { key, rowsOf } from "./key.ts";
import type { RawConfig } from "./raw-config.ts";
import { addressRule, publicUrlRule } from "../rules/reach-rules.ts";
import { checked, languageCode, later, line, modelName, name, now, prose, whole } from "./schema-parts.ts";
import { endpointRule, linkRule, operatorRule } from "../rules/value-rules.ts";

/** Who answers for the characters while nobody is named. */
export const STANDARD_OPERATOR: string = "the owner of this computer";

/** What programs in chats and on grids take for the start of an order (SE-095). */
const COMMAND_PREFIXES = "/!.?$%&#;:=@~-\\";

/** A day's or a minute's default may be raised tenfold, no further (TR-058). */
const TENFOLD = 10;

/** Where in `models.hosts` a model stands. */
const modelPath = (): z.ZodString => z.string().min(3).max(241);

const character = z.strictObject({
  name: key(line(60).optional(), now("Name that people see.", { otherwise: "the key, with a capital" })),
  aliases: key(
    z.array(line(40)).max(16).optional(),
    now("Words that address the character, beside its name.", { otherwise: "none beside the name" }),
  ),
  description: key(prose(8_000).default(""), now("What everyone may know of the character: looks, manner, trade.")),
  private: key(
    prose(8_000).default(""),
    now("What it knows and keeps to itself. Fiction only: visitors can talk it out of the character."),
  ),
  greeting: key(prose(1_000).default(""), now("What it says to someone it meets; empty to wait.")),
  language: key(languageCode().optional(), now("Language of its fixed texts, such as `en` or `de-CH`.", { otherwise: "English" })),
});

const money = (): z.ZodNumber => z.number().min(0).max(1_000_000);

const price = z.strictObject({
  prompt: key(money(), later("Price of a million tokens read, in your currency.")),
  completion: key(money(), later("Price of a million tokens written, in your currency.")),
  cache_read: key(
    money().optional(),
    later("Price of a million tokens that the server had in its cache.", {
      otherwise: "a tenth of `prompt` with `anthropic`, else `prompt`",
    }),
  ),
  cache_write: key(
    money().optional(),
    later("Price of a million tokens that it put there.", { otherwise: "one and a quarter of `prompt` with `anthropic`, else `prompt`" }),
  ),
});

const model = z.strictObject({
  context: key(
    whole(256, 16_777_216).optional(),
    later("Tokens of the model's window, question and answer together. With `ollama` the window that is asked for.", {
      otherwise: `${OLLAMA_WINDOW_TOKENS} with \`ollama\`, else unknown`,
    }),
  ),
  max_output: key(whole(16, 1_048_576).default(1_024), later("Tokens an answer may have.")),
  think: key(
    z.union([z.boolean(), z.enum(THINK)]).optional(),
    later("Whether the model thinks before it answers: `off`, `on`, or how much: `low`, `medium`, `high`.", {
      otherwise: "`off` with `ollama`, else as the server does",
    }),
  ),
  price: key(
    z.union([z.enum(["unknown", "free"]), price]).optional(),
    later("What it costs: `free`, `unknown`, or prices.", { otherwise: "`unknown`: its calls are counted, its money cannot be" }),
  ),
});

const variableName = (): z.ZodString => z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be the name of an environment variable");

const host = z.strictObject({
  api: key(
    z.enum(APIS),
    later("How to speak to the server: `openai` is chat completions, which most have; `ollama` and `anthropic` are those servers' own."),
  ),
  url: key(
    checked(MAX_ENDPOINT_CHARACTERS, endpointRule),
    later("Exact http or https address, such as `http://127.0.0.1:8080/v1`, without a fragment. Redirects are refused."),
  ),
  key_env: key(
    variableName().optional(),
    later("Environment variable that holds the server's key, at least 20 characters.", { otherwise: "no key is sent" }),
  ),
  key_file: key(
    line(1_024).optional(),
    later("File that holds the key: regular, private (0600), at most 16 KiB. Relative to the configuration file.", {
      otherwise: "no key is sent",
    }),
  ),
  deadline_s: key(whole(1, CEILINGS.modelDeadlineMs / 1_000).default(45), later("Seconds an answer may take.")),
  load_s: key(
    whole(0, CEILINGS.modelDeadlineMs / 1_000).optional(),
    later("Seconds more until the first word when the server may have to load the model first. Both together are at most 600.", {
      otherwise: `${OLLAMA_LOAD_S} with \`ollama\`, else 0`,
    }),
  ),
  keep_alive: key(
    z
      .union([z.literal(-1), z.literal(0), z.string().regex(/^[1-9]\d{0,4}[smh]$/, "must be a time such as 30s, 10m or 1h, or 0, or -1")])
      .optional(),
    later("How long the server keeps the model loaded after an answer, such as `10m`; -1 for ever. For `ollama` only.", {
      otherwise: "as the server does",
    }),
  ),
  models: key(
    z.union([z.array(modelName()).min(1).max(64), z.record(modelName(), model)]),
    later("Models of this server: a list of names, or a map from name to what is known of each."),
  ),
});

const room = z.strictObject({
  kind: key(z.literal("room"), later("What it is: `room` is the built-in web room.")),
  title: key(line(60).optional(), later("Name of the room that people see.", { otherwise: "the key, with a capital" })),
  port: key(whole(0, 65_535), later("Its port, of this computer alone unless `listen` says more; 0 takes any free one.")),
  listen: key(
    checked(45, addressRule).optional(),
    later(
      "Address it listens on when others come in, as `0.0.0.0`; `127.0.0.1` where a reverse proxy on this computer leads here. Needs `public_url`.",
      { otherwise: "this computer alone" },
    ),
  ),
  public_url: key(
    checked(300, publicUrlRule).optional(),
    later("Address that guests open, such as `https://inn.example.org`; no other name is answered. Needs `listen`.", {
      otherwise: "none: nobody comes in from outside",
    }),
  ),
  proxies: key(
    z.array(checked(45, addressRule)).max(16).default([]),
    later("Addresses of the reverse proxies in front: only their `X-Forwarded-For` is believed, and only to count requests."),
  ),
  door: key(
    z.enum(DOORS).optional(),
    now("Who may come in: anyone who gives a name (`open`), or only whom you sent a link (`invited`).", {
      otherwise: "`open`; with `public_url`, `invited`",
    }),
  ),
  character: key(name().optional(), later("The one character of the room.", { otherwise: "see `characters`" })),
  characters: key(
    z.array(name()).min(1).max(16).optional(),
    later("The characters of the room, when there are several. Either this or `character`.", { otherwise: "see `character`" }),
  ),
  admission: key(
    z.enum(ADMISSIONS).default("addressed"),
    now("Who is answered: everyone who addresses a character, only trusted people who do, or nobody (`silent`)."),
  ),
  bots: key(
    z.enum(BOTS).default("ignore"),
    now("Which bots are answered: none (`ignore`), those that name a character (`mentions`), or all that people are answered for."),
  ),
  everyone_is_mention: key(z.boolean().default(false), now("Whether a line to @everyone speaks to the first character.")),
  links: key(
    z.array(checked(MAX_ENDPOINT_CHARACTERS, linkRule)).max(32).default([]),
    now("Beginnings of addresses that may stay in replies; any other becomes `[link]`."),
  ),
});

const budget = (standard: number, docs: string): z.ZodDefault<z.ZodNumber> =>
  key(whole(0, standard * TENFOLD).default(standard), now(docs));

const budgets = z.strictObject({
  replies_per_minute_per_room: budget(12, "Replies a minute in one room, or in one channel or thread on Discord."),
  replies_per_minute_per_person: budget(6, "Replies a minute to one person."),
  calls_per_day_per_person: budget(200, "Model calls a day for one person."),
  calls_per_day_per_space: budget(2_000, "Model calls a day in one space; people no operator named share half of them."),
  calls_per_day_in_all: budget(5_000, "Model calls a day of the whole install; then all is quiet until the next day, and you are told."),
  tool_calls_per_day_per_person: budget(500, "Calls of tools a day for one operator."),
  tool_calls_per_day_in_all: budget(2_000, "Calls of tools a day of the whole install."),
  money_per_day_in_all: key(
    money().optional(),
    now(
      "Money a day of the whole install, in your currency. Each call is set aside at the most it may cost before it is made. People an operator never named share half of it.",
      {
        otherwise: "no bound; models of unknown price are bound by their calls alone",
      },
    ),
  ),
  money_per_day_per_space: key(
    money().optional(),
    now("Money a day in one space. People an operator never named share half of it.", { otherwise: "no bound" }),
  ),
  spent_text: key(
    line(200).optional(),
    now("What is said, seldom, where the money or the calls of a day are used up.", {
      otherwise: "a fixed sentence in the character's language",
    }),
  ),
});

const delivery = z.strictObject({
  disclosure: z
    .strictObject({
      what: key(line(40).default("AI character"), now("What speaks, in the first line a person ever gets. Say that it is an AI.")),
      by: key(line(40).default("run by"), now("The words before the operator's name in that line.")),
      operator: key(line(60).default(STANDARD_OPERATOR), now("Who answers for the character, in that line.")),
    })
    .prefault({}),
  never_say: key(z.array(line(60)).max(64).default([]), now("Words and phrases that never leave, whatever the case of their letters.")),
  command_prefixes: key(
    z
      .string()
      .max(40)
      .regex(/^[!-/:-@[-`{-~]*$/, "must be punctuation characters, without spaces between them")
      .default(COMMAND_PREFIXES),
    now("Characters that programs take for the start of an order: none stands directly before the first word of a line."),
  ),
});

const ceiling = (hard: number, docs: string, options: { min?: number; standard?: number } = {}): z.ZodDefault<z.ZodNumber> =>
  key(whole(options.min ?? 1, hard).default(options.standard ?? hard), later(docs));

const limits = z.strictObject({
  concurrent_turns: ceiling(CEILINGS.concurrentTurns, "Replies that are worked on at the same time.", { standard: 16 }),
  senders: ceiling(CEILINGS.senders, "People with something waiting or running."),
  queued_per_lane: ceiling(CEILINGS.queuedPerLane, "Waiting messages of one person to one character in one place."),
  ingress: ceiling(CEILINGS.ingress, "Admitted messages that have not ended, in all."),
  message_bytes: ceiling(CEILINGS.messageBytes, "Bytes of one inbound message.", { min: 256 }),
  packet_lines: ceiling(CEILINGS.packetLines, "Lines of conversation in one packet."),
  model_requests: ceiling(CEILINGS.modelRequests, "Open model requests."),
  public_reply_bytes: ceiling(CEILINGS.publicReplyBytes, "Bytes of a reply in public.", { min: 200 }),
  direct_reply_bytes: ceiling(CEILINGS.directReplyBytes, "Bytes of a reply in a direct line.", { min: 200 }),
  operators: ceiling(CEILINGS.operators, "Operators that may be listed.", { min: 0 }),
});

/** The whole file: every key the runtime knows, and nothing else. Defaults are filled in by parsing. */
export const configSchema: z.ZodType<RawConfig> = z.strictObject({
  characters: key(
    z.record(name(), character),
    later("The characters, by a short name each. At least one, at most 64. A new or removed one takes effect at the next start."),
  ),
  people: z
    .strictObject({
      operators: key(
        z.array(checked(180, operatorRule)).max(CEILINGS.operators).default([]),
        later(
          "Accounts with an operator's role, such as `discord:<user id>` or `grid:<grid>:<avatar uuid>`. No wildcards, no room members.",
        ),
      ),
      own_accounts: key(
        z.array(checked(180, operatorRule)).max(16).default([]),
        later(
          "Those of `people.operators` that are you: what is asked of them may be answered at this computer as well, where long calls are shown whole.",
        ),
      ),
      remote_tools: key(
        z.array(z.enum(TOOL_CAPABILITIES)).max(TOOL_CAPABILITIES.length).default([]),
        now(
          "Kinds of tools that operators may use, and answer for with more than one call, from an account of a platform such as Discord.",
        ),
      ),
    })
    .prefault({}),
  agent: agent.prefault({}),
  guardrails: guardrails.prefault({}),
  hooks,
  models: z
    .strictObject({
      hosts: key(z.record(name(), host).default({}), later("Model servers, by a short name each.")),
      default: key(
        z.union([modelPath(), z.array(modelPath()).min(1).max(8)]).optional(),
        later("The model that answers, as `host/model`. In a list the next one answers while a server is down.", {
          otherwise: "the only one there is, or the understudy",
        }),
      ),
    })
    .prefault({}),
  surfaces: key(
    z.record(name(), z.discriminatedUnion("kind", [room, discord])).default({}),
    later("The places where people meet the characters, by a short name each. At most 32. The terminal needs no entry."),
  ),
  console: z
    .strictObject({
      port: key(
        whole(0, 65_535).default(7_778),
        later("Loopback port of the operator's console; 0 takes any free one.", { environment: "TROUPE_CONSOLE_PORT" }),
      ),
    })
    .prefault({}),
  engagement: engagement.prefault({}),
  loops: z
    .strictObject({
      rounds: key(whole(1, 60).default(6), now("Rounds without a person before a place goes silent; a person starts it again.")),
    })
    .prefault({}),
  budgets: budgets.prefault({}),
  delivery: delivery.prefault({}),
  notify: z
    .strictObject({
      webhook_url_env: key(
        variableName().optional(),
        later("Environment variable that holds the https address which takes notices as JSON.", {
          otherwise: "notices stay in the console",
        }),
      ),
      webhook_file: key(
        line(1_024).optional(),
        later("File that holds that address: regular, private (0600). Either this or the variable.", {
          otherwise: "notices stay in the console",
        }),
      ),
    })
    .prefault({}),
  limits: limits.prefault({}),
  log: z
    .strictObject({
      level: key(
        z.enum(["debug", "info", "warn", "error"]).default("warn"),
        later("Least level of log lines.", { environment: "TROUPE_LOG_LEVEL" }),
      ),
      file: key(
        line(1_024).optional(),
        later("File that log lines go to, such as `troupe.log`: in the state folder unless it is an absolute path. Private (0600).", {
          otherwise: "standard error",
        }),
      ),
      max_kib: key(whole(16, 1_048_576).default(5_120), later("KiB of one log file; a full one is put aside as `<file>.1`.")),
      keep: key(whole(0, 99).default(4), later("Older log files that are kept.")),
    })
    .prefault({}),
  traces: z
    .strictObject({
      otlp_url: key(
        checked(MAX_ENDPOINT_CHARACTERS, endpointRule).optional(),
        later(
          "Exact address of an OpenTelemetry collector that takes OTLP over HTTP, such as `http://127.0.0.1:4318/v1/traces`. Spans hold ids and numbers, no words.",
          { otherwise: "none: nothing is sent" },
        ),
      ),
      key_env: key(
        variableName().optional(),
        later("Environment variable that holds the collector's key.", { otherwise: "no key is sent" }),
      ),
      key_file: key(line(1_024).optional(), later("File that holds that key: regular, private (0600).", { otherwise: "no key is sent" })),
    })
    .prefault({}),
});

/** What is set outside the file. */
export const LAUNCH_SETTINGS: readonly {
  readonly environment: string;
  readonly flag: string;
  readonly reload: ReloadMoment;
  readonly fallback: string;
  readonly docs: string;
}[] = [
  {
    environment: "TROUPE_CONFIG",
    flag: "--config",
    reload: "start",
    fallback: "`troupe.yaml` in the working folder, else the built-in example",
    docs: "The configuration file.",
  },
  {
    environment: "TROUPE_STATE",
    flag: "--state",
    reload: "start",
    fallback: "`.troupe` beside the file, else in the working folder",
    docs: "Folder for everything the runtime keeps.",
  },
];

/** Every key, in the order of the file. */
export function configKeys(): readonly KeyRow[] {
  return rowsOf(configSchema);
}
