import { z } from "zod";
import { MAX_ENDPOINT_CHARACTERS } from "../../foundation/endpoint-url.ts";
import { ADMISSIONS, BOTS } from "../config.ts";
import { DELIVERIES, DIRECT_MODES, OWNER_NOTICES } from "../discord-config.ts";
import { allowRule, apiBaseRule, moderatorRule, placeIdRule } from "../rules/discord-rules.ts";
import { key } from "./key.ts";
import type { RawDiscord } from "./raw-config.ts";
import { checked, later, line, name, now, whole } from "./schema-parts.ts";
import { linkRule } from "../rules/value-rules.ts";

const MAX_PLACES = 256;
const MAX_ALLOWED = 256;

const allow = (): z.ZodArray<z.ZodString> => z.array(checked(60, allowRule)).max(MAX_ALLOWED);
const contextMessages = (): z.ZodNumber => whole(0, 50);
const contextChars = (): z.ZodNumber => whole(0, 8_000);

const place = z.strictObject({
  admission: key(z.enum(ADMISSIONS).optional(), now("Who is answered here.", { otherwise: "as around it" })),
  allow: key(allow().optional(), now("Who is answered here beside operators and trusted people.", { otherwise: "as around it" })),
  delivery: key(z.enum(DELIVERIES).optional(), now("When replies here are said.", { otherwise: "as around it" })),
  character: key(name().optional(), now("Who speaks here.", { otherwise: "as around it" })),
  context_messages: key(contextMessages().optional(), now("Messages before a mention here.", { otherwise: "as around it" })),
  context_chars: key(contextChars().optional(), now("Characters of them.", { otherwise: "as around it" })),
  calls_per_day: key(
    whole(0, 20_000).optional(),
    now("Model calls a day of everything under this id together.", { otherwise: "what the budgets say alone" }),
  ),
});

/** A discord surface: one bot account, in any number of servers. */
export const discord: z.ZodObject<z.core.$ZodLooseShape, z.core.$strict> & z.ZodType<RawDiscord> = z.strictObject({
  kind: key(z.literal("discord"), later("What it is: `discord` is a bot account on Discord.")),
  title: key(line(60).optional(), later("Name of the place, as characters know it.", { otherwise: "the key, with a capital" })),
  token_env: key(
    z
      .string()
      .regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be the name of an environment variable")
      .optional(),
    later("Environment variable that holds the bot's token. Either this or `token_file`.", { otherwise: "see `token_file`" }),
  ),
  token_file: key(
    line(1_024).optional(),
    later("File that holds the token: regular, private (0600), at most 16 KiB. Relative to the configuration file.", {
      otherwise: "see `token_env`",
    }),
  ),
  character: key(name(), later("Who speaks where no place names another.")),
  admission: key(
    z.enum(ADMISSIONS).default("trusted"),
    now("Who is answered in servers: everyone who mentions it (`addressed`), only trusted and allowed people who do, or nobody."),
  ),
  allow: key(
    allow().default([]),
    now("Who is answered beside operators and trusted people: `discord:<user id>` or `role:<server id>/<role id>`. Gives no other right."),
  ),
  moderators: key(
    z.array(checked(60, moderatorRule)).max(64).default([]),
    now("Roles, as `role:<server id>/<role id>`, whose people may block guests there and pause places for a time, and take replies back."),
  ),
  delivery: key(
    z.enum(DELIVERIES).default("now"),
    now(
      "When replies are said: at once (`now`), or once an operator or a moderator said yes to the exact words (`hold`), within half an hour.",
    ),
  ),
  owner_notices: key(
    z.enum(OWNER_NOTICES).default("off"),
    now("Whether the first operator with a Discord account is told in private (`dm`) of people who may not talk and of replies that wait."),
  ),
  dms: key(
    z.enum(DIRECT_MODES).default("listed"),
    now("Whose private lines are answered: nobody's (`off`), those of listed people, or also of whoever it answered before (`known`)."),
  ),
  bots: key(
    z.enum(BOTS).default("ignore"),
    now("Which bots are answered: none, those that mention it, or all that people are answered for."),
  ),
  everyone_is_mention: key(z.boolean().default(false), now("Whether @everyone speaks to the character.")),
  links: key(
    z.array(checked(MAX_ENDPOINT_CHARACTERS, linkRule)).max(32).default([]),
    now("Beginnings of addresses that may stay in replies; any other becomes `[link]`."),
  ),
  context_messages: key(
    contextMessages().default(15),
    now("Messages before a mention that the character may read. With 0, at the start, no right to read them is asked for."),
  ),
  context_chars: key(contextChars().default(4_000), now("Characters of them, at most.")),
  places: key(
    z
      .record(checked(20, placeIdRule), place)
      .refine((places) => Object.keys(places).length <= MAX_PLACES, `must be at most ${MAX_PLACES}`)
      .default({}),
    now("What holds in one server, category, channel or thread, by its id in quotes. The innermost that says something has the say."),
  ),
  api_base: key(checked(300, apiBaseRule).default("https://discord.com/api"), later("Address of the interface. The token is sent there.")),
  other_server: key(z.boolean().default(false), later("Must be true where `api_base` is not Discord's own server.")),
});
