import type { Clock } from "../../foundation/clock.ts";
import { DiscordFailure } from "./errors.ts";
import type { FakeGateway, Privileges } from "./gateway.ts";
import type { FakeChannel, FakeMessage, FakeUser, FakeWorld } from "./world.ts";
import type { Dialect } from "./shapes.ts";

/** Whom a post of the bot called, by the rules of the platform. */
export interface Pinged {
  readonly everyone: boolean;
  readonly users: readonly string[];
  readonly roles: readonly string[];
}

/** One post of the bot, as the platform's own ledger has it. */
export interface LedgerPost {
  readonly message: FakeMessage;
  readonly content: string;
  readonly nonce: string | number | null;
  /** Whether the platform was asked to take its nonce once (`enforce_nonce`). */
  readonly enforcesNonce: boolean;
  /** The message it replies to. */
  readonly replyTo: string | null;
  /** `allowed_mentions` as it came; undefined when it did not. */
  readonly allowedMentions: unknown;
  readonly pinged: Pinged;
  readonly flags: number;
  readonly components: readonly object[];
  readonly edits: {
    readonly content: string;
    readonly embeds: readonly unknown[];
    readonly components: readonly object[];
    readonly allowedMentions: unknown;
    readonly pinged: Pinged;
  }[];
  deleted: boolean;
}

/** Something a person asked of the bot by a command or a button, and what the bot answered. */
export interface FakeInteraction {
  readonly id: string;
  readonly token: string;
  readonly user: FakeUser;
  readonly channel: FakeChannel;
  readonly atMs: number;
  /** The first answer: its number, words and flags. */
  callback: { readonly type: number; readonly content: string; readonly flags: number; readonly allowedMentions: unknown } | null;
  /** What the person sees: the first answer as it stands now, and those behind it. */
  readonly shown: {
    content: string;
    readonly flags: number;
    allowedMentions: unknown;
    embeds: readonly unknown[];
    components: readonly unknown[];
  }[];
}

/** A request as it came. */
export interface RestCall {
  readonly params: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What a route answers: a failure, or a body with its status. */
export type RestAnswer = DiscordFailure | { readonly status: number; readonly body: unknown };

/** Everything the routes stand on. */
export interface FakePlatform {
  readonly world: FakeWorld;
  readonly clock: Clock;
  readonly gateway: FakeGateway;
  readonly privileges: Privileges;
  readonly dialect: Dialect;
  readonly ledger: LedgerPost[];
  readonly typing: { readonly channel: FakeChannel; readonly atMs: number }[];
  readonly interactions: FakeInteraction[];
  /** Commands as the bot registered them. */
  commands: readonly unknown[];
  /** Private lines that the bot opened, in order. */
  readonly opened: FakeUser[];
  readonly gatewayUrl: () => string;
  /** Whether history shows the nonce a message was posted with. */
  readonly historyHasNonce: boolean;
  /** Sessions that may still be started today. */
  sessionsLeft: number;
}

/** Answer a body. */
export function ok(body: unknown, status = 200): RestAnswer {
  return { status, body };
}

/** Answer that something is done. */
export const DONE: RestAnswer = { status: 204, body: null };

/** Answer one of the platform's errors. */
export function fail(code: number, errors?: object): DiscordFailure {
  return new DiscordFailure(code, errors);
}

/** Whom words call when they are posted with these `allowed_mentions`: everyone they name, if nothing was said. */
export function pingedBy(world: FakeWorld, content: string, allowed: unknown, repliesTo: FakeMessage | null): Pinged {
  const users = [...content.matchAll(/<@!?(\d+)>/g)].map((match) => match[1] ?? "").filter((id) => world.users.has(id));
  const roles = [...content.matchAll(/<@&(\d+)>/g)].map((match) => match[1] ?? "");
  const everyone = /@(?:everyone|here)\b/.test(content);
  if (typeof allowed !== "object" || allowed === null) {
    return { everyone, users: [...users, ...(repliesTo === null ? [] : [repliesTo.author.id])], roles };
  }
  const parse = listIn(allowed, "parse");
  const listed = (name: "users" | "roles", all: readonly string[]): string[] =>
    parse.includes(name) ? [...all] : all.filter((id) => listIn(allowed, name).includes(id));
  const replied = repliesTo !== null && "replied_user" in allowed && allowed.replied_user === true ? [repliesTo.author.id] : [];
  return {
    everyone: everyone && parse.includes("everyone"),
    users: [...listed("users", users), ...replied],
    roles: listed("roles", roles),
  };
}

function listIn(value: object, name: string): readonly unknown[] {
  const list: unknown = Reflect.get(value, name);
  return Array.isArray(list) ? list : [];
}
