import type { StatusAnswer } from "../../../../observe/status.ts";

/** What is known of names: the surfaces' titles and the characters. */
export type Known = Pick<StatusAnswer, "surfaces" | "characters">;

/** A character by the name people know. */
export function characterName(id: string, known: Known | null): string {
  return known?.characters.find((each) => each.id === id)?.name ?? id;
}

/** A surface by its title. */
export function surfaceTitle(name: string, known: Known | null): string {
  return known?.surfaces.find((each) => each.name === name)?.title ?? name;
}

/** A place as people call it: `The Foyer`, `The Foyer, thread 12`, `private line with Mirelle`. */
export function placeName(place: string, known: Known | null): string {
  const [kind = "", name = "", ...rest] = place.split(":");
  if (kind === "direct") return `private line with ${characterName(name, known)}`;
  if (kind !== "public") return surfaceTitle(place, known);
  return rest.length === 0 ? surfaceTitle(name, known) : `${surfaceTitle(name, known)}, ${rest.join(":")}`;
}
