import type { CharacterView } from "../../../surfaces/room/protocol.ts";

/**
 * Whom a line calls at its front (`Mirelle, …`, `@Tobias …`): that chooses who should answer, as people do it anyway. A name
 * further on may be only spoken of, and chooses nobody. Null when none is called.
 */
export function frontName(text: string, characters: readonly CharacterView[]): string | null {
  const line = fold(text).replace(/^[\s@]+/, "");
  const called = characters.filter(({ name }) => {
    const rest = line.startsWith(fold(name)) ? line.slice(fold(name).length) : null;
    return rest !== null && /^(?:$|[\s,:;.!?…—–-])/u.test(rest);
  });
  // Of `Ann` and `Ann Lee` the longer name is meant.
  return called.toSorted((a, b) => b.name.length - a.name.length)[0]?.id ?? null;
}

function fold(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}
