import type { CharacterId, SurfaceName } from "../../../vocabulary/ids.ts";
import type { InboundEvent, SenderKind } from "../../../vocabulary/inbound.ts";
import type { Place } from "../../../vocabulary/place.ts";
import { directPlace, publicPlace } from "../../../vocabulary/place.ts";
import type { PrincipalId } from "../../../vocabulary/principal.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { Directory } from "../rest/directory.ts";
import type { DiscordMessage, ShownUser } from "./message-shape.ts";
import { ownerWords } from "./owner-words.ts";
import { momentOf } from "../snowflake.ts";
import { callsIn, oneLine, shownWords, withoutCall } from "./written-words.ts";

/** Kinds of messages that people write: a plain one, and a reply. Whatever else has a number is the platform's own. */
const WRITTEN: ReadonlySet<number> = new Set([0, 19]);
const GROUP = 3;
/** Characters of a message as it was written that go beyond this file; twice what the platform lets anybody write. */
const MAX_WRITTEN = 8_000;
const EPHEMERAL = 1 << 6;

/** Who the bot is. */
export interface Identity {
  readonly userId: string;
  readonly applicationId: string;
}

/** What the meaning of a message depends on, beside itself. */
export interface Reading {
  readonly surface: SurfaceName;
  readonly self: Identity;
  readonly directory: Directory;
  /** Who speaks in a place that lies within these ids, and by which name. */
  readonly speaker: (within: readonly string[]) => { readonly id: CharacterId; readonly name: string };
  /** Whether the bot itself wrote a message. */
  readonly isOwn: (messageId: string) => boolean;
  readonly nowMs: number;
}

/** A message as the road hears it, or none: what only one person is shown is no message. */
export type ReadMessage = { readonly kind: "line"; readonly event: InboundEvent } | { readonly kind: "none" };

/**
 * Read a message (VS-001, VS-005, SE-096). Only the words of a message that a person wrote are that person's: forwards, quotes,
 * previews, files and lists beside the words say nothing in that person's name. Who wrote it is the account, never a name.
 */
export function readMessage(message: DiscordMessage, reading: Reading): ReadMessage {
  // Shown to one person alone: it comes without its server, and would look like a private line.
  if ((message.flags & EPHEMERAL) !== 0) return { kind: "none" };
  const spot = spotOf(message, reading);
  if (spot === null) return { kind: "none" };
  const { place, within } = spot;
  const speaker = reading.speaker(within);
  const { repliesTo } = message;
  const answers = repliesTo === null ? null : whoIsAnswered(message, reading, speaker.id);
  const role = spot.guildId === null ? null : reading.directory.ownRole(spot.guildId);
  const sender = senderOf(message, spot, reading.self);
  const command =
    sender.kind === "person" ? ownerWords(message.content, { user: reading.self.userId, role, direct: place.kind === "direct" }) : null;
  return {
    kind: "line",
    event: {
      surface: reading.surface,
      deliveryId: message.id,
      atMs: reading.nowMs,
      saidAtMs: momentOf(message.id),
      sender,
      place,
      within,
      alone: false,
      text: command ?? textOf(message, reading, { role, name: speaker.name, guildId: spot.guildId }),
      mentions: mentionsOf(message, { self: reading.self, role, speaker: speaker.id }),
      ...(answers === null ? {} : { replyTo: answers }),
      ...(command === null ? {} : { command: true }),
      asWritten: writtenAs(message, spot.guildId),
    },
  };
}

function writtenAs({ channelId, author, content }: DiscordMessage, guildId: string | null): NonNullable<InboundEvent["asWritten"]> {
  return { channelId, guildId, authorName: oneLine(author.username), content: content.slice(0, MAX_WRITTEN).toWellFormed() };
}

function senderOf(message: DiscordMessage, { guildId }: Spot, self: Identity): InboundEvent["sender"] {
  const { member, author } = message;
  return {
    principal: principalOf(message),
    displayName: oneLine(member?.nick ?? author.globalName ?? author.username),
    kind: kindOf(message, self),
    assurance: "platform",
    ...(guildId === null || member === null ? {} : { groups: member.roles.map((one) => `${guildId}/${one}`) }),
  };
}

/** Whom the words call; the list beside them also names whom a reply pings, so it is not looked at. */
function mentionsOf(
  { content, mentionsEveryone }: DiscordMessage,
  { self, role, speaker }: { readonly self: Identity; readonly role: string | null; readonly speaker: CharacterId },
): NonNullable<InboundEvent["mentions"]> {
  const calls = callsIn(content);
  const called = calls.users.includes(self.userId) || (role !== null && calls.roles.includes(role));
  return {
    characters: called ? [speaker] : [],
    others: calls.users.some((one) => one !== self.userId),
    everyone: mentionsEveryone && calls.everyone,
  };
}

interface Spot {
  readonly place: Place;
  readonly within: readonly string[];
  readonly guildId: string | null;
}

/** Where a message stands. A place that many read is never taken for a private line, whatever the message leaves out. */
function spotOf(message: DiscordMessage, reading: Reading): Spot | null {
  const { channelId, author } = message;
  const guildId = message.guildId ?? reading.directory.guildOf(channelId);
  if (guildId !== null) {
    return { place: publicPlace(reading.surface, channelId), within: reading.directory.within(channelId, guildId), guildId };
  }
  if (message.channelType === GROUP) return { place: publicPlace(reading.surface, channelId), within: [channelId], guildId: null };
  // Somebody's standing in a server, without the server: no private line has that.
  if (message.member !== null || (message.channelType ?? 1) !== 1) return null;
  const person = author.id === reading.self.userId ? null : principalOf(message);
  if (person === null) return null;
  return { place: directPlace(reading.surface, reading.speaker([]).id, person), within: [], guildId: null };
}

function principalOf({ webhookId, author }: DiscordMessage): PrincipalId {
  return parsePrincipalId(`discord:${webhookId ?? author.id}`);
}

function kindOf(message: DiscordMessage, self: Identity): SenderKind {
  const { author, webhookId, applicationId, type } = message;
  if (author.id === self.userId || (webhookId !== null && applicationId === self.applicationId)) return "self";
  if (author.system || !WRITTEN.has(type)) return "system";
  return author.bot || webhookId !== null ? "bot" : "person";
}

function whoIsAnswered({ repliesTo }: DiscordMessage, reading: Reading, speaker: CharacterId): CharacterId | PrincipalId | null {
  if (repliesTo === null) return null;
  if (repliesTo.author === reading.self.userId || reading.isOwn(repliesTo.messageId)) return speaker;
  return repliesTo.author === null ? null : parsePrincipalId(`discord:${repliesTo.author}`);
}

/** The words, without the call in front, ids by names; and which files hang on it (VS-031). */
function textOf(
  message: DiscordMessage,
  { self, directory }: Reading,
  { role, name, guildId }: { readonly role: string | null; readonly name: string; readonly guildId: string | null },
): string {
  const words = withoutCall(message.content, { user: self.userId, role });
  const shown = shownWords(words, {
    user: (id) => (id === self.userId ? name : nameIn(message.mentions, id)),
    role: (id) => (id === role ? name : guildId === null ? null : directory.roleName(guildId, id)),
    channel: (id) => directory.nameOf(id),
  });
  const files = fileLine(message.files);
  if (shown !== "") return files === "" ? shown : `${shown}\n${files}`;
  // A call alone is a line too: somebody said the name.
  return files === "" && message.content.trim() !== "" ? `@${name}` : files;
}

/** Names of files, as a line of its own; what is in them is not looked at. */
export function fileLine(files: readonly string[]): string {
  return files.length === 0 ? "" : `[attached: ${files.slice(0, 10).map(oneLine).join(", ")}]`;
}

function nameIn(users: readonly ShownUser[], id: string): string | null {
  const found = users.find((one) => one.id === id);
  return found === undefined ? null : (found.globalName ?? found.username);
}
