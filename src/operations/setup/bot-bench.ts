import type { Secret } from "../../foundation/secret.ts";

/** A bot account as it is spoken to. */
export interface BotAddress {
  readonly token: Secret;
  /** Where the platform's interface is; the token goes there. */
  readonly base: string;
}

/** A bot account as its platform describes it. */
export interface FoundBot {
  readonly userId: string;
  readonly applicationId: string;
  readonly name: string;
  /** Whether it may read words that do not call it. */
  readonly readsContent: boolean;
  /** Whom the platform names as its owners. */
  readonly owners: readonly { readonly id: string; readonly name: string }[];
}

/** Whose token it is; why it can never be used, with what to do; or why that could not be found out now. */
export type BotLookup =
  | { readonly kind: "bot"; readonly bot: FoundBot }
  | { readonly kind: "refused"; readonly cure: string }
  | { readonly kind: "failed"; readonly why: string };

/** A server that a bot is in. */
export interface BotServer {
  readonly id: string;
  readonly name: string;
  /** Names of the rights it needs and does not have there. */
  readonly missing: readonly string[];
}

/** How a channel or thread is there for a bot. */
export type BotSight = { readonly kind: "seen"; readonly missing: readonly string[] } | { readonly kind: "hidden" | "missing" | "unknown" };

/** What setting up and checking a bot ask its platform. Nobody reads anything of it. */
export interface BotAccess extends Disposable {
  who(signal: AbortSignal): Promise<BotLookup>;
  /** The servers it is in; null when the platform does not say. */
  servers(signal: AbortSignal): Promise<readonly BotServer[] | null>;
  /** Let it read words that do not call it; false when the platform refused that. */
  allowContent(signal: AbortSignal): Promise<boolean>;
  /** Whether it sees a channel or thread, and the names of the rights it lacks there alone; `missing` where there is none. Asked after account and servers. */
  sees(channelId: string, signal: AbortSignal): Promise<BotSight>;
  /** The address at which somebody adds it to a server. */
  link(bot: FoundBot): string;
}

/** Reaches the platform of a bot. Nothing is asked before one of its methods is called. */
export interface BotBench {
  open(address: BotAddress, signal: AbortSignal): Promise<BotAccess>;
}
