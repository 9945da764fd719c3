import type { Admission, Config, RoomConfig } from "../config.ts";
import type { AllowConfig, DirectMode, DiscordConfig } from "../discord-config.ts";

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

function reachOf({ outside, door }: RoomConfig): string {
  const where = outside === null ? "this computer" : outside.origin;
  return door === "open" ? where : `${where}, by invitation`;
}

/** List who may trigger what, surface by surface, the terminal last. */
export function listTriggers(config: Config): readonly TriggerRow[] {
  const rows = [...config.surfaces.values()].flatMap((surface) =>
    surface.kind === "room" ? [roomRow(surface)] : discordRows(surface, config),
  );
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
  return [...rows, terminal];
}

function roomRow(surface: RoomConfig): TriggerRow {
  return {
    surface: surface.name,
    kind: surface.kind,
    characters: surface.characters,
    admission: surface.admission,
    reached: reachOf(surface),
    answered: ANSWERED[surface.admission],
    direct: "everyone in the room",
    command: "nobody: commands come from the terminal and the console",
  };
}

const DIRECT: Readonly<Record<DirectMode, string>> = {
  off: "nobody",
  listed: "trusted people",
  known: "trusted people, and whoever it answered before",
};

/** The whole surface, and each place that has a word of its own. What a place leaves out is looked up around it when a message comes. */
function discordRows(surface: DiscordConfig, { people }: Config): readonly TriggerRow[] {
  const owner = people.operators.find((operator) => operator.startsWith("discord:"));
  const whole: TriggerRow = {
    surface: surface.name,
    kind: surface.kind,
    characters: surface.characters,
    admission: surface.admission,
    reached: "every server the bot is in",
    answered: answeredBy(surface.admission, surface.allow),
    direct: `${DIRECT[surface.dms]}${surface.dms === "off" ? "" : allowed({ ...surface.allow, roles: [] })}`,
    command: owner === undefined ? "nobody: no discord account is an operator" : `${owner}, by list and config commands`,
  };
  const inner = [...surface.places].map(([id, place]): TriggerRow => {
    const admission = place.admission ?? surface.admission;
    return {
      ...whole,
      surface: `${surface.name} ${id}`,
      characters: place.character === undefined ? surface.characters : [place.character],
      admission,
      reached: "the server, category, channel or thread with this id",
      answered: answeredBy(admission, place.allow ?? surface.allow),
      direct: "as above",
      command: "as above",
    };
  });
  return [whole, ...inner];
}

function answeredBy(admission: Admission, allow: AllowConfig): string {
  if (admission !== "trusted") return admission === "addressed" ? "everyone who mentions it" : ANSWERED[admission];
  return `trusted people${allowed(allow)} who mention it`;
}

function allowed({ people, roles }: AllowConfig): string {
  const parts = [count(people.length, "account"), count(roles.length, "role")].filter((part) => part !== "");
  return parts.length === 0 ? "" : `, ${parts.join(", ")}`;
}

function count(number: number, word: string): string {
  return number === 0 ? "" : `${number} ${word}${number === 1 ? "" : "s"}`;
}
