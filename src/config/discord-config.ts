import type { Secret } from "../foundation/secret.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import type { Admission, Bots } from "./config.ts";

/** Whose private lines a bot answers: nobody's, those of people that somebody listed, or also of whoever was answered before. */
export const DIRECT_MODES = ["off", "listed", "known"] as const;
/** One of {@link DIRECT_MODES}. */
export type DirectMode = (typeof DIRECT_MODES)[number];

/** Who is answered beside operators and trusted people: accounts, and roles as `<server id>/<role id>`. */
export interface AllowConfig {
  readonly people: readonly PrincipalId[];
  readonly roles: readonly string[];
}

/** Where a bot's owner is told of what happens to it, beside the console. */
export const OWNER_NOTICES = ["off", "dm"] as const;
/** One of {@link OWNER_NOTICES}. */
export type OwnerNotices = (typeof OWNER_NOTICES)[number];

/** When a reply is said: at once, or once somebody said yes to it. */
export const DELIVERIES = ["now", "hold"] as const;
/** One of {@link DELIVERIES}. */
export type Delivery = (typeof DELIVERIES)[number];

/** What an operator set for one server, category, channel or thread. What is left out holds as it does around it. */
export interface DiscordPlaceConfig {
  readonly admission?: Admission;
  readonly allow?: AllowConfig;
  readonly delivery?: Delivery;
  readonly character?: CharacterId;
  readonly contextMessages?: number;
  readonly contextCharacters?: number;
  /** Model calls a day of everything under this id together. */
  readonly callsPerDay?: number;
}

/** Where Discord's interface is, and whether it is Discord's own. */
export interface DiscordApiConfig {
  /** Without a slash at the end; https except on loopback. */
  readonly base: string;
  /** Whether it is another server that speaks Discord's protocol. */
  readonly other: boolean;
}

/** One bot account on Discord, in any number of servers. */
export interface DiscordConfig {
  readonly kind: "discord";
  readonly name: SurfaceName;
  readonly title: string;
  readonly token: Secret;
  readonly api: DiscordApiConfig;
  /** The one that speaks where no place names another. Always exactly one, so that all surfaces read alike. */
  readonly characters: readonly CharacterId[];
  readonly admission: Admission;
  readonly allow: AllowConfig;
  /** Roles of people who keep order in their server, as `<server id>/<role id>`. */
  readonly moderators: readonly string[];
  readonly delivery: Delivery;
  readonly ownerNotices: OwnerNotices;
  readonly dms: DirectMode;
  readonly bots: Bots;
  readonly everyoneIsMention: boolean;
  readonly links: readonly string[];
  /** Messages before a mention that a packet may hold (VS-030); 0 asks for no right to read them. */
  readonly contextMessages: number;
  readonly contextCharacters: number;
  /** By the id of a server, category, channel or thread. */
  readonly places: ReadonlyMap<string, DiscordPlaceConfig>;
}

/** Whether any place reads what was said before a mention. */
export function wantsContent({ contextMessages, places }: DiscordConfig): boolean {
  return contextMessages > 0 || [...places.values()].some((place) => (place.contextMessages ?? 0) > 0);
}
