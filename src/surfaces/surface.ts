import type { ActAnswer, ActTaken, PersonalAct } from "../vocabulary/act.ts";
import type { AccountLook } from "../vocabulary/account.ts";
import type { HeardBefore } from "../vocabulary/heard-before.ts";
import type { Heard, InboundEvent } from "../vocabulary/inbound.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";
import type { Lifecycle } from "../vocabulary/lifecycle.ts";
import type { Place } from "../vocabulary/place.ts";
import type { Part, ReadBack, SendOutcome } from "../vocabulary/part.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** What a part may measure on a platform; the splitter keeps every given limit (TR-056). */
export interface PartLimits {
  readonly maxBytes?: number;
  readonly maxCodePoints?: number;
  readonly maxUtf16?: number;
  /** Characters that mark a gesture, where the platform shows it in the same message as the words; absent where it stands apart. */
  readonly actionMarks?: number;
}

/** What the road must know of a platform before it sends to it. */
export interface SurfaceProfile {
  readonly limits: PartLimits;
  /** Whether {@link Surface.readBack} can tell that a part is there. */
  readonly readsBack: boolean;
  /** Parts a channel takes: `burst` at once, then one every `everyMs` (TR-054). */
  readonly pacing: { readonly public: Pace; readonly direct: Pace };
  /** How the lines of one person are gathered before a turn (TR-050). */
  readonly timing: Timing;
  /** Where a delivery stands in the platform's own order of its place; left out where the platform gives none, null where this one has none. */
  readonly positionOf?: (deliveryId: string) => bigint | null;
  /** Whether lines that nobody is addressed by stand in the place's own record (the room), or are dropped without a trace (a grid). */
  readonly keepsAmbient: boolean;
  /** Milliseconds that sending one part may take, waits that the platform asks for among it; 30,000 when left out. */
  readonly sendDeadlineMs?: number;
}

/**
 * How long a person's lines are held so that fragments of one thought become one turn (MC-045, TR-050). `quietMs` and `holdMs`
 * of 0 hold nothing; lines that wait behind a turn are gathered all the same, unless `fragments` is 1.
 */
export interface Timing {
  /** Milliseconds without another line after which the lines are a whole thought. */
  readonly quietMs: number;
  /** Milliseconds that the first line is held at most. */
  readonly holdMs: number;
  /** Lines of one turn, at most; never above the ceiling. */
  readonly fragments: number;
}

/** How fast a channel takes parts: `burst` at once, then one every `everyMs`. */
export interface Pace {
  readonly burst: number;
  readonly everyMs: number;
}

/** What a surface gets from the road: the one way in. */
export interface Inbox {
  /**
   * Hand over one thing that was heard. Resolves once what follows from it is durable: only then may the platform's cursor
   * move. @throws RuntimeError `closed` while stopping, or the store's code: the platform must deliver again.
   */
  hear(event: InboundEvent, signal: AbortSignal): Promise<Heard>;
  /** Tell that a person left a place, or that everyone there is out of reach (`null`): nobody is in conversation with them any more (MC-026). */
  left?(place: Place, person: PrincipalId | null): void;
  /**
   * Tell that a delivery was taken away where it was said: it gets no answer any more, a turn that runs for it is cut short, and a
   * part that has not left yet never does (TR-081). An edit has no word of its own: it is the same delivery, heard again, so what
   * was answered is never answered twice, and a line that calls somebody only now is heard once.
   */
  removed?(surface: SurfaceName, deliveryId: string): void;
  /** Hand over something that a person did beside talking. Nothing follows from it before its answer is asked for. */
  act?(act: PersonalAct): ActTaken;
}

/** What a platform says to the deleting of one of our own messages. */
export type TakeBackOutcome =
  /** It is not there any more, whoever took it. */
  | { readonly kind: "gone" }
  | { readonly kind: "refused"; readonly reason: string }
  /** Not now, or nobody knows: to be asked again. */
  | { readonly kind: "later"; readonly afterMs: number };

/** What a platform says to a question's message being told as settled. */
export type CardOutcome =
  /** It says so, without buttons. */
  | { readonly kind: "closed" }
  /** It is gone, or cannot be changed. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Not now, or nobody knows: to be asked again. */
  | { readonly kind: "later"; readonly afterMs: number };

/** One connection to where people are. It has no say in who is answered and holds no conversation. */
export interface Surface extends AsyncDisposable {
  readonly name: SurfaceName;
  readonly kind: string;
  readonly profile: SurfaceProfile;
  /** Begin to hear. Called once, after recovery has settled old parts. */
  open(inbox: Inbox, signal: AbortSignal): Promise<void>;
  /** Hand one part to the platform. Called for one part of a place at a time. Never throws for what a platform does. */
  send(part: Part, signal: AbortSignal): Promise<SendOutcome>;
  /** Ask the platform whether it has a part that may have been sent before a crash. */
  readBack(part: Part, signal: AbortSignal): Promise<ReadBack>;
  /** Write to an operator in private, outside of every conversation; returns at once, and is given up where it does not get through. */
  tell?(person: PrincipalId, note: ActAnswer): void;
  /** Delete one of our own messages from the platform; asked again until it is known what came of it. */
  takeBack?(post: { readonly place: Place; readonly platformId: string }, signal: AbortSignal): Promise<TakeBackOutcome>;
  /** Tell under a question's message what became of it, and take its buttons away; only where parts have buttons. Doing it twice is doing it once. */
  closeCard?(post: { readonly place: Place; readonly platformId: string }, words: string, signal: AbortSignal): Promise<CardOutcome>;
  /** Ids of what a public place is and lies in, innermost first, as far as that is known now; none for a private line. */
  within?(place: Place): readonly string[];
  /**
   * The groups that somebody is in now where a public place lies, as the platform says when it is asked; null where it does not say.
   * Asked for those alone who were let in by a group. Throws only the signal's reason.
   */
  groupsNow?(person: PrincipalId, place: Place, signal: AbortSignal): Promise<readonly string[] | null>;
  /** Show or end a sign of life while a turn runs; only ever called for admitted messages (SE-094). */
  typing(character: CharacterId, place: Place, on: boolean): void;
  /**
   * What was said in a public place before a delivery, oldest first, as the platform has it; as much as the place is configured to
   * give. Asked only for admitted lines. Gives what it has within a few seconds, nothing where it cannot; throws only the signal's reason.
   */
  before?(place: Place, deliveryId: string, signal: AbortSignal): Promise<readonly HeardBefore[]>;
  /** Names of the people here now, as the platform shows them: data, only to tell whom a line speaks to. At most 256 are looked at. */
  people?(): readonly string[];
  /** What the platform tells of an account that an operator named; absent where accounts are nobody's. Throws only the signal's reason. */
  account?(person: PrincipalId, signal: AbortSignal): Promise<AccountLook>;
  /** How the connection stands, for health; a surface that leaves it out is taken for `online` once it is open. */
  lifecycle?(): Lifecycle;
}
