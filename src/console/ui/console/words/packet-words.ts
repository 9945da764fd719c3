import type { PacketEntry } from "../../../../observe/packets-operation.ts";
import type { StateLook } from "./health-words.ts";
import { personName } from "./person-words.ts";
import { characterName } from "./places.ts";
import type { Known } from "./places.ts";

/** Where bytes of a packet come from, by colour. */
export type Source = "frame" | "self" | "scene" | "said";

/** A kind of segment as people read it. */
export interface KindWords {
  readonly source: Source;
  readonly name: string;
  /** What such a piece is, in one sentence. */
  readonly what: string;
}

const KINDS: Readonly<Record<string, KindWords>> = {
  scaffold: { source: "frame", name: "Frame", what: "The runtime’s own words: the rules, the headings, the form of the answer." },
  card: { source: "self", name: "Self", what: "Who the character is, from its card." },
  private: { source: "self", name: "Self, private", what: "What the author told the character alone. Visitors can talk it out of it." },
  place: { source: "scene", name: "Scene", what: "Where it stands and how many are here." },
  conversation: { source: "said", name: "Said", what: "Lines of this one conversation that it heard and that every reader may know." },
  observed: { source: "said", name: "Observed", what: "The line it answers." },
};

/** What a kind of segment is; a kind of a newer server is shown by its own name. */
export function kindWords(kind: string): KindWords {
  return KINDS[kind] ?? { source: "frame", name: kind.replaceAll("_", " "), what: "" };
}

const CLASSES: Readonly<Record<string, readonly [string, string]>> = {
  not_witnessed: ["Not witnessed", "said where it was not"],
  other_readers: ["Other readers", "somebody here may not know it"],
  pending: ["On its way", "not said yet"],
  unsaid: ["Unsaid", "written and never delivered"],
  other_place: ["Another place", "a conversation of its own"],
  other_direct_line: ["Another’s private line", "others’ talk with it alone"],
  other_talk: ["Other talk", "a conversation of its own"],
};

/** Why something was withheld: a name, and a few words. */
export function classWords(name: string): readonly [string, string] {
  return CLASSES[name] ?? [name.replaceAll("_", " "), ""];
}

/** Whose turn it was, for whom: `Mirelle, answering Ann`. */
export function packetTitle({ character, person, name }: PacketEntry, known: Known | null): string {
  return `${characterName(character, known)}, answering ${personName({ id: person, name }, null)}`;
}

/** How many items were withheld, of all classes. */
export function withheldCount(packet: NonNullable<PacketEntry["packet"]>): number {
  return packet.withheld.reduce((sum, one) => sum + one.count, 0);
}

const ENDS: Readonly<Record<string, { readonly look: StateLook; readonly name: string }>> = {
  answered: { look: { lamp: "on", tone: "plain" }, name: "answered" },
  silent: { look: { lamp: "on", tone: "plain" }, name: "chose silence" },
  refused: { look: { lamp: "bar", tone: "bad" }, name: "held, not sent" },
  failed: { look: { lamp: "bar", tone: "bad" }, name: "failed" },
};

/** How a turn ended: its lamp and its word; under way while it has not. */
export function endWords(end: PacketEntry["end"]): { readonly look: StateLook; readonly name: string } {
  if (end === null) return { look: { lamp: "half", tone: "plain" }, name: "under way" };
  return ENDS[end] ?? { look: { lamp: "off", tone: "off" }, name: end };
}
