import type { Admission, Bots, Config, SurfaceConfig } from "../config/config.ts";
import type { CharacterId, SurfaceName } from "../vocabulary/ids.ts";

/** A character that is in a space, with the words that address it. */
export interface SpaceCharacter {
  readonly id: CharacterId;
  readonly aliases: readonly string[];
}

/** Who is in a space and whom it answers (TR-020). */
export interface Space {
  readonly mode: Admission;
  /** The configuration key that set the mode. */
  readonly key: string;
  readonly present: readonly SpaceCharacter[];
  /** Whether lines addressed to nobody stand in the place's own record. */
  readonly keepsAmbient: boolean;
  readonly bots: Bots;
  readonly everyoneIsMention: boolean;
  /** Rounds without a person before a place goes silent. */
  readonly rounds: number;
}

/**
 * Whose talk a public place holds, by the kind of its surface (TR-036, MC-065): the whole place's, or each person's own where
 * strangers share a region. A new kind does not compile without a line here.
 */
const PUBLIC_TALK: Readonly<Record<SurfaceConfig["kind"], "place" | "person">> = { room: "place" };

/** Whose talk a packet for a public place of this surface holds. */
export function publicTalkOf(surface: SurfaceConfig | undefined): "place" | "person" {
  return surface === undefined ? "place" : PUBLIC_TALK[surface.kind];
}

/** The space of a configured surface; a surface without an entry (the terminal) has every character and direct lines only. */
export function spaceOf(config: Config, name: SurfaceName): Space {
  const surface = config.surfaces.get(name);
  const ids = surface?.characters ?? [...config.characters.keys()];
  const present = ids.flatMap((id) => {
    const character = config.characters.get(id);
    return character === undefined ? [] : [{ id, aliases: character.aliases }];
  });
  return {
    mode: surface?.admission ?? "addressed",
    key: `surfaces.${name}.admission`,
    present,
    keepsAmbient: surface?.kind === "room",
    bots: surface?.bots ?? "ignore",
    everyoneIsMention: surface?.everyoneIsMention ?? false,
    rounds: config.loops.rounds,
  };
}
