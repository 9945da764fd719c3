import type { CharacterId, MessageId, SurfaceName } from "./ids.ts";
import type { Place } from "./place.ts";
import type { Assurance, PrincipalId } from "./principal.ts";

/** What wrote an inbound line, as the surface's code knows it. */
export type SenderKind = "person" | "bot" | "object" | "system" | "self";

/** One thing a surface heard, before any check (MC-011). The surface fills it; admission bounds and judges it. */
export interface InboundEvent {
  readonly surface: SurfaceName;
  /** The platform's id of this delivery, the same when it is delivered again; 1 to 256 characters. */
  readonly deliveryId: string;
  readonly atMs: number;
  readonly sender: {
    readonly principal: PrincipalId;
    /** As the platform shows it: data, never identity. */
    readonly displayName: string;
    readonly kind: SenderKind;
    /** Set by the surface's code, never by configuration or text (SE-081). */
    readonly assurance: Assurance;
    /** Groups the platform says the sender is in here, by id, as this very delivery carried them (`<server id>/<role id>`). */
    readonly groups?: readonly string[];
  };
  readonly place: Place;
  /** Ids of what the place is and lies in, as the platform has them, innermost first: thread, channel, category, server. */
  readonly within?: readonly string[];
  /** The character the composer was set to, if the surface has such a thing. */
  readonly to?: CharacterId;
  /** Whether the sender is the only person in the place now (TR-020). */
  readonly alone: boolean;
  readonly text: string;
  /** When the platform says it was said, where that may be long before it is heard (kept messages); absent when it is heard at once. */
  readonly saidAtMs?: number;
  /** Metres between the speaker and the characters; absent where the platform has no distance, and then greetings need a name (TR-051). */
  readonly distanceMetres?: number;
  /** Whether it was whispered, where the platform has that; absent means it was not. */
  readonly whisper?: boolean;
  /** Whom the platform's own markup mentions, outside code and quotes, as the surface's code read it. */
  readonly mentions?: Mentions;
  /** Whose line this answers, where the platform has replies. */
  readonly replyTo?: CharacterId | PrincipalId;
  /**
   * Whether it is its owner's kind of command by the platform's rules (VS-009), as the surface's code read it: then `text` holds the
   * words of the command alone, with accounts by id.
   */
  readonly command?: boolean;
  /** The message as its platform has it, where a log of what called a bot is kept (VS-026). */
  readonly asWritten?: AsWritten;
  /** What the surface's code knows that keeps it from being talk at all (MC-015…MC-017); its text is not looked at. */
  readonly unheard?: "muted" | "typing" | "group";
}

/** A message as its platform has it: ids, and its writer's own words with every mark. */
export interface AsWritten {
  readonly channelId: string;
  /** Null for a line that lies in no server. */
  readonly guildId: string | null;
  /** The account's own name. */
  readonly authorName: string;
  readonly content: string;
}

/** Mentions by the platform's markup, never by the text's own words. */
export interface Mentions {
  readonly characters: readonly CharacterId[];
  /** Whether anybody else is mentioned by name. */
  readonly others: boolean;
  /** Whether everybody here is mentioned at once. */
  readonly everyone: boolean;
}

/** Why a message went no further. A closed list (TR-004). */
export const SUPPRESS_REASONS = [
  "self",
  "object",
  "system",
  "muted",
  "blocked",
  "typing",
  "group",
  "malformed",
  "oversized",
  "duplicate",
  "reflection",
  "ambient",
  "untrusted",
  "bot",
  "loop",
  "budget",
  "overflow",
  "silent_space",
  "stale",
  "stopped",
] as const;
/** One reason of the closed list {@link SUPPRESS_REASONS}. */
export type SuppressReason = (typeof SUPPRESS_REASONS)[number];

/** What `hear` resolves with once the outcome is durable: from then on the platform's cursor may move past the delivery. */
export type Heard =
  | { readonly kind: "admitted"; readonly id: MessageId }
  | { readonly kind: "suppressed"; readonly id: MessageId; readonly reason: SuppressReason };
