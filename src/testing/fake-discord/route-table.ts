import {
  changeApplication,
  getApplication,
  getCommands,
  getGateway,
  getGuild,
  getGuildChannels,
  getMember,
  getOwnGuilds,
  getOwnUser,
  getUser,
  setCommands,
} from "./account-routes.ts";
import { addAnswer, answerInteraction, editAnswer } from "./interaction-routes.ts";
import {
  createMessage,
  createThread,
  deleteMessage,
  editMessage,
  getChannel,
  getMessage,
  listMessages,
  directLineWith,
  setReaction,
  startTyping,
} from "./message-routes.ts";
import type { FakePlatform, RestAnswer, RestCall } from "./platform.ts";

type Handler = (platform: FakePlatform, call: RestCall) => RestAnswer;

/** A route by the name that faults, limits and counts go by. */
export interface Route {
  readonly name: string;
  readonly pattern: RegExp;
  readonly handle: Handler;
  /** Whether the token of the bot is asked for; interactions have one of their own in the path. */
  readonly authorized: boolean;
}

const AUTHORIZED: Readonly<Record<string, Handler>> = {
  "GET /gateway/bot": getGateway,
  "GET /users/@me": getOwnUser,
  "GET /users/@me/guilds": getOwnGuilds,
  "POST /users/@me/channels": directLineWith,
  "GET /users/:id": getUser,
  "GET /applications/@me": getApplication,
  "PATCH /applications/@me": changeApplication,
  "GET /applications/:id/commands": getCommands,
  "PUT /applications/:id/commands": setCommands,
  "GET /guilds/:id": getGuild,
  "GET /guilds/:id/channels": getGuildChannels,
  "GET /guilds/:id/members/:user": getMember,
  "GET /channels/:id": getChannel,
  "POST /channels/:id/typing": startTyping,
  "POST /channels/:id/threads": createThread,
  "GET /channels/:id/messages": listMessages,
  "POST /channels/:id/messages": createMessage,
  "GET /channels/:id/messages/:message": getMessage,
  "PATCH /channels/:id/messages/:message": editMessage,
  "DELETE /channels/:id/messages/:message": deleteMessage,
  "PUT /channels/:id/messages/:message/reactions/:emoji/@me": (platform, call) => setReaction(platform, call, true),
  "DELETE /channels/:id/messages/:message/reactions/:emoji/@me": (platform, call) => setReaction(platform, call, false),
};

const OPEN: Readonly<Record<string, Handler>> = {
  "POST /interactions/:id/:token/callback": answerInteraction,
  "POST /webhooks/:application/:token": addAnswer,
  "PATCH /webhooks/:application/:token/messages/@original": editAnswer,
};

function routesOf(table: Readonly<Record<string, Handler>>, authorized: boolean): Route[] {
  return Object.entries(table).map(([name, handle]) => ({
    name,
    handle,
    authorized,
    pattern: new RegExp(`^${name.replace(/:[a-z]+/g, "([^/]+)")}$`),
  }));
}

/** Every route, those with fixed words before those with ids in the same place. */
export const ROUTES: readonly Route[] = [...routesOf(AUTHORIZED, true), ...routesOf(OPEN, false)];

/** The route of a request and the ids in it; null when there is none. */
export function routeOf(method: string, path: string): { readonly route: Route; readonly params: readonly string[] } | null {
  for (const route of ROUTES) {
    const match = route.pattern.exec(`${method} ${path}`);
    if (match !== null) return { route, params: match.slice(1) };
  }
  return null;
}
