import type { FirstHouse, NewCharacter, NewRoom } from "../../config/writing/first-yaml.ts";
import { EXAMPLE_HOUSE } from "../../config/writing/example.ts";
import { lineRule, proseRule } from "../../config/rules/answer-rules.ts";
import { printable } from "../../foundation/printable.ts";
import type { Questions } from "./questions.ts";

/** The console's port, which a room cannot have. */
const CONSOLE_PORT = 7_778;
/** Ports that are looked at for the room's default. */
const PORTS_TRIED = 20;
const MAX_NAME = 60;
const MAX_OPERATOR = 60;
const MAX_DESCRIPTION = 8_000;

/** The options of `init` for character and room; undefined where none was given. */
export interface HouseOptions {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly room?: string | undefined;
  readonly port?: number | undefined;
  readonly run_by?: string | undefined;
}

/** What stands in the file already, whose keys and ports a new one must not take. */
export interface Taken {
  readonly characters: readonly string[];
  readonly rooms: readonly string[];
  readonly ports: readonly number[];
}

/** Nothing stands there yet. */
export const NOTHING_TAKEN: Taken = { characters: [], rooms: [], ports: [CONSOLE_PORT] };

/** Ask who the character is. Only Enter takes the example's, whole. */
export async function askCharacter(questions: Questions, options: HouseOptions, taken: Taken, signal: AbortSignal): Promise<NewCharacter> {
  const example = EXAMPLE_HOUSE.character;
  const fresh = !taken.characters.includes(example.id);
  const name = await questions.text(
    {
      words: printable("Name"),
      option: "--name",
      given: options.name,
      fallback: fresh ? example.name : "Tobias",
      check: (answer) => lineRule(answer, MAX_NAME),
    },
    signal,
  );
  const id = freeKey(keyOf(name, "character"), taken.characters);
  const isExample = fresh && name === example.name;
  const description = await questions.text(
    {
      words: printable("Who is that? What everyone may know, in a sentence or more"),
      option: "--description",
      given: options.description,
      fallback: isExample
        ? example.description
        : `${name} is a regular here: listens well, answers in two or three sentences, is never hurried.`,
      ...(isExample ? { shown: printable("the innkeeper of the built-in example") } : {}),
      check: (answer) => proseRule(answer, MAX_DESCRIPTION),
    },
    signal,
  );
  if (isExample && description === example.description) return example;
  return { id, name, aliases: [], description, private: "", greeting: "" };
}

/** Ask for the room, whose port is offered where it can be opened. */
export async function askRoom(
  questions: Questions,
  options: HouseOptions,
  about: { readonly character: NewCharacter; readonly taken: Taken; readonly isFree: (port: number) => Promise<boolean> },
  signal: AbortSignal,
): Promise<NewRoom> {
  const { character, taken } = about;
  const example = EXAMPLE_HOUSE.room;
  const title = await questions.text(
    {
      words: printable("Name of the room"),
      option: "--room",
      given: options.room,
      fallback: taken.rooms.includes(example.id) ? `${character.name}'s room` : example.title,
      check: (answer) => lineRule(answer, MAX_NAME),
    },
    signal,
  );
  const isExample = title === example.title && !taken.rooms.includes(example.id);
  const port = await questions.text(
    {
      words: printable("Port of this computer"),
      option: "--port",
      given: options.port === undefined ? undefined : String(options.port),
      fallback: String(await freePort(example.port, about)),
      check: (answer) => portRule(answer, taken.ports),
    },
    signal,
  );
  const id = isExample ? example.id : freeKey(keyOf(title, "room"), taken.rooms);
  return { id, title, port: Number(port), character: character.id };
}

/** Ask who runs it: the first line that a person ever gets names them (TR-091). */
export function askOperator(questions: Questions, options: HouseOptions, signal: AbortSignal): Promise<FirstHouse["operator"]> {
  return questions.text(
    {
      words: printable("Who runs it? The first line everybody gets will say so"),
      option: "--run-by",
      given: options.run_by,
      fallback: EXAMPLE_HOUSE.operator,
      check: (answer) => lineRule(answer, MAX_OPERATOR),
    },
    signal,
  );
}

function portRule(answer: string, taken: readonly number[]): string | null {
  if (!/^\d{1,5}$/.test(answer) || Number(answer) > 65_535) return "must be a number from 1 to 65535, or 0 for any free one";
  if (!taken.includes(Number(answer)) || answer === "0") return null;
  return Number(answer) === CONSOLE_PORT ? "is the console's own port" : "is taken by another place of this file";
}

async function freePort(first: number, about: { taken: Taken; isFree: (port: number) => Promise<boolean> }): Promise<number> {
  for (let port = first; port < first + PORTS_TRIED; port += 1)
    if (!about.taken.ports.includes(port) && (await about.isFree(port))) return port;
  return first;
}

/** A key made of a name: its letters and digits in lower case, `otherwise` where it has none that a key may have. */
function keyOf(name: string, otherwise: string): string {
  const word = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^[^a-z]+|-+$/g, "")
    .slice(0, 36)
    .replace(/-+$/, "");
  return word === "" || ["constructor", "prototype"].includes(word) ? otherwise : word;
}

function freeKey(wanted: string, taken: readonly string[]): string {
  for (let number = 2, word = wanted; ; number += 1) {
    if (!taken.includes(word)) return word;
    word = `${wanted}-${number}`;
  }
}
