import type { HeardBefore } from "./heard-before.ts";
import type { CharacterId, MessageId, TurnId } from "./ids.ts";
import type { Origin } from "./origin.ts";
import type { Place } from "./place.ts";
import type { PrincipalId } from "./principal.ts";

/** What admission sorts admitted messages into (TR-007). Only talk waits in a lane. */
export type MessageClass = "talk" | "command" | "answer" | "control";

/** Whatever makes a turn run is an inbox row of one of these kinds (TR-042). */
export type InboxKind = "message" | "answer" | "wake" | "schedule" | "resume" | "task_end" | "initiative";

/** The end states of an inbox row; it reaches exactly one (TR-042). */
export const INBOX_ENDS = ["answered", "silent", "refused", "failed", "cancelled", "interrupted", "expired"] as const;
/** One of {@link INBOX_ENDS}. */
export type InboxEnd = (typeof INBOX_ENDS)[number];

/** The line that made a turn run. */
export interface Trigger {
  readonly id: MessageId;
  /** The platform's id of the delivery it came in by; null where none did, or where that is no longer kept. */
  readonly deliveryId: string | null;
  readonly text: string;
  readonly displayName: string;
  readonly atMs: number;
}

/** One run of a voice for one inbox row: character, place, person, and the authority it stands under. */
export interface Turn {
  readonly id: TurnId;
  readonly kind: InboxKind;
  readonly class: MessageClass;
  readonly character: CharacterId;
  /** Where the answer goes. */
  readonly place: Place;
  /** Where the line was said, when that is another place (VS-017). */
  readonly heardIn?: Place;
  readonly person: PrincipalId;
  readonly origin: Origin;
  readonly trigger: Trigger;
  /** 1, or 2 when it runs again after a crash. */
  readonly attempt: number;
  /** What was said here before, as the platform has it: data beside what is kept (TR-034). Only public talk has any. */
  readonly before?: readonly HeardBefore[];
  /** What the suspended run left for its resumed one: canonical JSON, and the answer. Absent unless `kind` is `resume`. */
  readonly resumed?: { readonly state: string; readonly answer: string };
}
