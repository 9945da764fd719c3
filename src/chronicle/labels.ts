import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { Influence, Labels } from "../vocabulary/label.ts";
import { SEALED, readersOf } from "../vocabulary/label.ts";
import type { Place } from "../vocabulary/place.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/** A person's line whose labels are to be fixed. */
export interface LineFacts {
  readonly author: PrincipalId;
  readonly place: Place;
  /** Characters that are there and hear it; of no account in a direct line, which has its own character. */
  readonly characters: readonly CharacterId[];
  /** Whether the line was suppressed and only stands in the place's record: then no character perceives it. */
  readonly ambient: boolean;
}

/** A character's line whose labels are to be fixed. */
export interface ReplyFacts {
  readonly character: CharacterId;
  /** Where the reply goes: its readers are the audience. */
  readonly place: Place;
  /** Characters that are there; of no account in a direct line. */
  readonly present: readonly CharacterId[];
  /** Whose words stood in the prompt, as the packet's builder gives it (`BuiltPacket.influence`). */
  readonly influence: readonly Influence[];
}

/**
 * Fix the labels of a person's line (TR-030, SE-080). Public: heard by the characters given, for those in the place. Direct:
 * heard by that character alone, for that person alone, so a whisper to one of two characters is that one's.
 */
export function labelsOfLine(line: LineFacts): Labels {
  const heard = line.place.kind === "direct" ? [line.place.character] : line.characters;
  return { witnesses: line.ambient ? [] : inOrder(heard), audience: [readersOf(line.place)], influence: [line.author] };
}

/** Fix the labels of a character's line: its own words are shaped by all that stood in its prompt, and by its own card (SE-080). */
export function labelsOfReply(reply: ReplyFacts): Labels {
  const heard = reply.place.kind === "direct" ? [reply.place.character] : [...reply.present, reply.character];
  const influence: readonly Influence[] = [...reply.influence, `character:${reply.character}`];
  return { witnesses: inOrder(heard), audience: [readersOf(reply.place)], influence: inOrder(influence) };
}

function inOrder<Text extends string>(texts: readonly Text[]): readonly Text[] {
  return texts.length < 2 ? texts : [...new Set(texts)].toSorted();
}

const WITNESS = /^[a-z][a-z0-9_-]{0,39}$/;
const READER = /^(?:anyone|operators|(?:person|place):[^\s]+)$/;
const INFLUENCE = /^[a-z]+:[^\s]+$/;

/**
 * Give the event back when its labels are sound, else with {@link SEALED}: no witness, operators only (TR-030). Types don't
 * reach into stored rows, and a text where a list should stand would answer `includes` by substring.
 */
export function withSoundLabels(event: ChronicleEvent): ChronicleEvent {
  const sound = isList(event.witnesses, WITNESS) && isList(event.audience, READER) && isList(event.influence, INFLUENCE);
  return sound ? event : { ...event, ...SEALED };
}

/** Whether nobody can change the event or its labels any more, so that what was found out about it stays true. */
export function isSettled(event: ChronicleEvent): boolean {
  const { isFrozen } = Object;
  return isFrozen(event) && isFrozen(event.witnesses) && isFrozen(event.audience) && isFrozen(event.influence);
}

function isList(value: unknown, rule: RegExp): boolean {
  return Array.isArray(value) && value.every((entry) => typeof entry === "string" && rule.test(entry));
}
