import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { Influence } from "../vocabulary/label.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";

/**
 * Whether an event is of one person's own talk with a character in a public place: what that person said, and what the character
 * said from nobody else's words. Where strangers share a region each of them has a conversation of their own (MC-065, TR-036). A
 * line that anybody else's words may have shaped is of nobody's own talk.
 */
export function isOwnTalk(event: ChronicleEvent, character: CharacterId, person: PrincipalId): boolean {
  const { author, influence } = event;
  if (author.kind === "person") return author.principal === person;
  const isOwn = (one: Influence): boolean => one === person || one === `character:${character}` || one.startsWith("import:");
  return author.character === character && influence.includes(person) && influence.every(isOwn);
}
