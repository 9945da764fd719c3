import type { CharacterId, SurfaceName } from "./ids.ts";
import type { InboundEvent } from "./inbound.ts";
import type { Place } from "./place.ts";

/** What a person does beside talking. */
export type ActKind =
  /** A command of the platform's own menu, with what it was given by name. */
  | { readonly kind: "command"; readonly name: string; readonly given: Readonly<Record<string, string>> }
  /** A button, by what the runtime wrote into it; anybody can send anything there. */
  | { readonly kind: "button"; readonly id: string }
  /** A character's message is to be taken back: by its own menu, or by a mark under it, which only whoever it was said to can set. */
  | { readonly kind: "take_back"; readonly message: string; readonly postedAtMs: number; readonly by: "menu" | "mark" };

/**
 * Something a person does on a platform beside talking: it is in nobody's conversation and is answered, if at all, to that person
 * alone. Filled by the surface's code from the event itself, like an {@link InboundEvent}.
 */
export interface PersonalAct {
  readonly surface: SurfaceName;
  /** The platform's id of it, the same when it is delivered again. */
  readonly deliveryId: string;
  readonly atMs: number;
  readonly sender: InboundEvent["sender"];
  /** Where it was done: others read there, and learn nothing of it. */
  readonly place: Place;
  /** Ids of what the place is and lies in, innermost first. */
  readonly within: readonly string[];
  /** Who speaks there. */
  readonly character: CharacterId;
  readonly what: ActKind;
}

/** A button under an answer. */
export interface AnswerButton {
  readonly label: string;
  readonly id: string;
  readonly tone: "plain" | "good" | "bad";
}

/** Somebody else's words in an answer, shown letter by letter so that they do nothing there. */
export interface ShownWords {
  readonly title: string;
  readonly words: string;
}

/** What the person who did it is told, and nobody else. */
export interface ActAnswer {
  readonly words: string;
  readonly shown?: readonly ShownWords[];
  readonly buttons?: readonly AnswerButton[];
}

/** Whether an act is taken; what follows from it happens only once {@link answer} is called, at most once. */
export type ActTaken =
  | { readonly kind: "ignored" }
  | { readonly kind: "taken"; readonly answer: (signal: AbortSignal) => Promise<ActAnswer> };
