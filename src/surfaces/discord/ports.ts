import type { Secret } from "../../foundation/secret.ts";
import type { CharacterId, SurfaceName } from "../../vocabulary/ids.ts";
import type { BlockedReason } from "./close-codes.ts";
import type { AddressRule } from "./gateway-address.ts";

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
}

/** What an operator should hear. */
export interface DiscordNotices {
  blocked(reason: BlockedReason): void;
  /** Words before a mention cannot be read: context is off until that is changed (TR-025). */
  contentOff(): void;
}
