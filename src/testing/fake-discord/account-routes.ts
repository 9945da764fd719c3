import type { FakePlatform, RestAnswer, RestCall } from "./platform.ts";
import { fail, ok } from "./platform.ts";
import type { Json } from "./shapes.ts";
import { channelJson, guildJson, memberJson, userJson } from "./shapes.ts";

/** Bits of an application that say which privileged events it may ask for; the second is for applications in few servers. */
const FLAGS = { presences: 1 << 13, members: 1 << 15, content: 1 << 19 } as const;

function applicationJson(platform: FakePlatform): Json {
  const { world, privileges } = platform;
  const flags =
    (privileges.messageContent ? FLAGS.content : 0) |
    (privileges.guildMembers ? FLAGS.members : 0) |
    (privileges.guildPresences ? FLAGS.presences : 0);
  return {
    id: world.applicationId,
    name: world.bot.globalName ?? world.bot.username,
    description: "",
    owner: userJson(world.owner),
    team: teamJson(world.team),
    bot: userJson(world.bot),
    bot_public: true,
    bot_require_code_grant: false,
    verify_key: "0".repeat(64),
    flags,
    approximate_guild_count: world.guilds.size,
  };
}

function teamJson(team: FakePlatform["world"]["team"]): Json | null {
  if (team.length === 0) return null;
  return { members: team.map(({ user, accepted }) => ({ membership_state: accepted ? 2 : 1, user: userJson(user) })) };
}

/** `GET /gateway/bot` */
export function getGateway(platform: FakePlatform): RestAnswer {
  return ok({
    url: platform.gatewayUrl(),
    shards: 1,
    session_start_limit: { total: 1_000, remaining: platform.sessionsLeft, reset_after: 3_600_000, max_concurrency: 1 },
  });
}

/** `GET /users/@me` */
export function getOwnUser({ world }: FakePlatform): RestAnswer {
  return ok({ ...userJson(world.bot), verified: true, mfa_enabled: false, locale: "en-US", flags: 0 });
}

/** `GET /users/@me/guilds` */
export function getOwnGuilds({ world }: FakePlatform): RestAnswer {
  return ok(
    [...world.guilds.values()].map(({ id, name, members, permissions }) => {
      return { id, name, owner: false, permissions: String(permissions), features: [], approximate_member_count: members.size };
    }),
  );
}

/** `GET /applications/@me` */
export function getApplication(platform: FakePlatform): RestAnswer {
  return ok(applicationJson(platform));
}

/** `PATCH /applications/@me`: the limited intents and the description, as Discord allows. */
export function changeApplication(platform: FakePlatform, { body }: RestCall): RestAnswer {
  const flags = body["flags"];
  if (flags !== undefined && typeof flags !== "number") return fail(50035, { flags: {} });
  if (typeof flags === "number") {
    platform.privileges.messageContent = (flags & FLAGS.content) !== 0;
    platform.privileges.guildMembers = (flags & FLAGS.members) !== 0;
    platform.privileges.guildPresences = (flags & FLAGS.presences) !== 0;
  }
  return ok(applicationJson(platform));
}

/** `GET /guilds/:id` */
export function getGuild({ world }: FakePlatform, { params }: RestCall): RestAnswer {
  const guild = world.guilds.get(params[0] ?? "");
  return guild === undefined ? fail(10004) : ok(guildJson(world, guild));
}

/** `GET /guilds/:id/channels` */
export function getGuildChannels({ world }: FakePlatform, { params }: RestCall): RestAnswer {
  const guild = world.guilds.get(params[0] ?? "");
  if (guild === undefined) return fail(10004);
  return ok([...world.channels.values()].filter((channel) => channel.guild === guild && channel.kind !== "thread").map(channelJson));
}

/** `GET /guilds/:id/members/:user` */
export function getMember({ world }: FakePlatform, { params }: RestCall): RestAnswer {
  const guild = world.guilds.get(params[0] ?? "");
  const user = world.users.get(params[1] ?? "");
  if (guild === undefined || user === undefined || !guild.members.has(user.id)) return fail(guild === undefined ? 10004 : 10013);
  return ok({ user: userJson(user), ...memberJson(guild, user) });
}

/** `GET /users/:id` */
export function getUser({ world }: FakePlatform, { params }: RestCall): RestAnswer {
  const user = world.users.get(params[0] ?? "");
  return user === undefined ? fail(10013) : ok(userJson(user));
}

/** `PUT /applications/:id/commands`: replaces all of them. */
export function setCommands(platform: FakePlatform, { params, body }: RestCall): RestAnswer {
  if (params[0] !== platform.world.applicationId) return fail(50001);
  const list = body["list"];
  if (!Array.isArray(list)) return fail(50035);
  platform.commands = list.map((command: object) => ({ id: platform.world.snowflakes.next(), ...command }));
  return ok(platform.commands);
}

/** `GET /applications/:id/commands` */
export function getCommands(platform: FakePlatform): RestAnswer {
  return ok(platform.commands);
}
