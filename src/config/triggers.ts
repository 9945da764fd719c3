import type { Admission, Config } from "./config.ts";

/** One line of "who may trigger what" (TR-086). */
export interface TriggerRow {
  readonly surface: string;
  readonly kind: string;
  readonly characters: readonly string[];
  readonly admission: Admission;
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

/** List who may trigger what, surface by surface, the terminal last. */
export function listTriggers(config: Config): readonly TriggerRow[] {
  const rooms = [...config.surfaces.values()].map((surface) => ({
    surface: surface.name,
    kind: surface.kind,
    characters: surface.characters,
    admission: surface.admission,
    answered: ANSWERED[surface.admission],
    direct: "everyone in the room",
    command: "nobody: commands come from the terminal and the console",
  }));
  const terminal: TriggerRow = {
    surface: "terminal",
    kind: "terminal",
    characters: [...config.characters.keys()],
    admission: "addressed",
    answered: "you",
    direct: "you",
    command: "you",
  };
  return [...rooms, terminal];
}
