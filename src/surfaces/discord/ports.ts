import type { Secret } from "../../foundation/secret.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import type { PlaceId } from "../../vocabulary/place.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { BlockedReason } from "./gateway/close-codes.ts";
import type { AddressRule } from "./gateway/gateway-address.ts";

/** What of the configuration does not change while the process runs. */
export interface DiscordSettings {
  readonly name: SurfaceName;
  readonly token: Secret;
  readonly address: AddressRule;
  /** Whether any place wants to read what was said before a mention. */
  readonly wantsContent: boolean;
  /** Of Troupe, for the platform's own records. */
  readonly version: string;
}

/** Rules of places, read anew for each message. */
export interface DiscordPlaces {
  /** Who speaks in a place that lies within these ids, innermost first. */
  speaker(within: readonly string[]): { readonly id: CharacterId; readonly name: string };
  /** Whether any place has rules of its own: then it matters where a channel lies. */
  differ(): boolean;
  /** Whether anybody is answered for a role, in any place. */
  rolesMatter(): boolean;
  /** How much of what was said before a packet may hold there. */
  context(within: readonly string[]): { readonly messages: number; readonly characters: number };
}

/** What a bot has to know of people. */
export interface DiscordPeople {
  /** Told of whoever was answered, so that people are known by the name last seen. */
  met(person: PrincipalId, name: string): void;
  /** Whether somebody's words may be collected as what was said before: not whoever is blocked or asked not to be heard. */
  collects(person: PrincipalId): boolean;
  /** Be told of everyone whose words are to be erased, until the subscription is disposed. */
  onForgotten(listener: (person: PrincipalId) => void): Disposable;
  /** Be told of everyone who begins anew in a place, and of the messages that answered them there, until the subscription is disposed. */
  onReset(listener: (person: PrincipalId, place: PlaceId, messageIds: readonly string[]) => void): Disposable;
  /** Keep that somebody's words in a channel up to this moment, and what answered them, are out of mind, for the processes after this one. */
  keepAnew(person: PrincipalId, channelId: string, untilMs: number): void;
  /** Whether a message was said after its writer, or whom it answers, last began anew in its channel; `author` is null for the bot itself. */
  inMind(message: SaidMessage): boolean;
}

/** A message of a channel's history. */
export interface SaidMessage {
  readonly channelId: string;
  readonly id: string;
  readonly author: PrincipalId | null;
  readonly atMs: number;
}

/** What an operator should hear. */
export interface DiscordNotices {
  blocked(reason: BlockedReason): void;
  /** Words before a mention cannot be read: context is off until that is changed (TR-025). */
  contentOff(): void;
}
