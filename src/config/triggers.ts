import type { Admission, Config, SurfaceConfig } from "./config.ts";

/** One line of "who may trigger what" (TR-086). */
export interface TriggerRow {
  readonly surface: string;
  readonly kind: string;
  readonly characters: readonly string[];
  readonly admission: Admission;
  /** From where, and by whom, it is reached. */
  readonly reached: string;
  /** Whose lines in public get an answer. */
  readonly answered: string;
  /** Who gets an answer in a direct line. */
  readonly direct: string;
  /** Who may command the runtime from here. */
  readonly command: string;
}

const ANSWERED: Readonly<Record<Admission, string>> = {
  addressed: "everyone who speaks to a character",
  trusted: "trusted people who speak to a character",
  silent: "nobody",
};

function reachOf({ outside, door }: SurfaceConfig): string {
  const where = outside === null ? "this computer" : outside.origin;
  return door === "open" ? where : `${where}, by invitation`;
}

/** List who may trigger what, surface by surface, the terminal last. */
export function listTriggers(config: Config): readonly TriggerRow[] {
  const rooms = [...config.surfaces.values()].map((surface) => ({
    surface: surface.name,
    kind: surface.kind,
    characters: surface.characters,
    admission: surface.admission,
    reached: reachOf(surface),
    answered: ANSWERED[surface.admission],
    direct: "everyone in the room",
    command: "nobody: commands come from the terminal and the console",
  }));
  const terminal: TriggerRow = {
    surface: "terminal",
    kind: "terminal",
    characters: [...config.characters.keys()],
    admission: "addressed",
    reached: "this user",
    answered: "you",
    direct: "you",
    command: "you",
  };
  return [...rooms, terminal];
}
