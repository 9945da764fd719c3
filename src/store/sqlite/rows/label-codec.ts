import { RuntimeError } from "../../../foundation/errors.ts";
import type { Author } from "../../../vocabulary/event.ts";
import type { Audience, Influence, Labels, Reader } from "../../../vocabulary/label.ts";
import { SEALED } from "../../../vocabulary/label.ts";
import type { CharacterId } from "../../../vocabulary/ids.ts";
import { parseCharacterId } from "../../../vocabulary/ids.ts";
import type { PlaceId } from "../../../vocabulary/place.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import { lineOf, placeIdOf } from "./place-codec.ts";
import type { Row } from "./columns.ts";

/** The three label columns of an item. */
export interface LabelColumns {
  readonly witnesses: string;
  readonly audience: string;
  readonly influence: string;
}

/** What an item says of itself beside its labels: labels that follow from it are kept as a letter. */
export interface Labelled {
  readonly place: PlaceId;
  readonly author: Author;
}

/** As witnesses: the character of the direct line. As influence: that character and the person. */
export const OF_LINE = "L";
/** As audience: those who read the place. */
const READERS = "R";
/** As influence: whoever wrote it. */
const AUTHOR = "A";

/** Labels as they are stored: a letter where they are exactly what place and author say, in that order, and the whole list elsewhere. */
export function toLabelColumns(item: Labelled & Labels): LabelColumns {
  const { place, witnesses, audience, influence } = item;
  const line = lineOf(place);
  return {
    witnesses: line !== null && isOne(witnesses, line.character) ? OF_LINE : JSON.stringify(witnesses),
    audience: isOne(audience, readerOf(place)) ? READERS : JSON.stringify(audience),
    influence: influenceColumn(item, influence),
  };
}

function influenceColumn({ place, author }: Labelled, influence: readonly Influence[]): string {
  if (isOne(influence, authorOf(author))) return AUTHOR;
  const line = lineOf(place);
  const both = line !== null && influence.length === 2 && influence[0] === `character:${line.character}` && influence[1] === line.person;
  return both ? OF_LINE : JSON.stringify(influence);
}

function isOne(list: readonly string[], only: string): boolean {
  return list.length === 1 && list[0] === only;
}

function readerOf(place: PlaceId): string {
  const line = lineOf(place);
  return line === null ? `place:${place}` : `person:${line.person}`;
}

function authorOf(author: Author): Influence {
  return author.kind === "person" ? author.principal : `character:${author.character}`;
}

/** Labels as they were stored; {@link SEALED} as a whole when any of the three is missing or malformed, a letter that means nothing here among them (TR-030). */
export function readLabels(row: Row, item: Labelled): Labels {
  try {
    return {
      witnesses: witnessesIn(row["witnesses"], item),
      audience: audienceIn(row["audience"], item),
      influence: influenceIn(row["influence"], item),
    };
  } catch {
    return SEALED; // What cannot be read is nobody's but the operators'.
  }
}

function witnessesIn(value: unknown, { place }: Labelled): readonly CharacterId[] {
  const line = value === OF_LINE ? lineOf(place) : null;
  return line === null ? words(value).map((word) => parseCharacterId(word)) : [parseCharacterId(line.character)];
}

function audienceIn(value: unknown, { place }: Labelled): Audience {
  return value === READERS ? [parseReader(readerOf(place))] : words(value).map(parseReader);
}

function influenceIn(value: unknown, { place, author }: Labelled): readonly Influence[] {
  if (value === AUTHOR) return [authorOf(author)];
  const line = value === OF_LINE ? lineOf(place) : null;
  if (line === null) return words(value).map(parseInfluence);
  return [`character:${parseCharacterId(line.character)}`, parsePrincipalId(line.person)];
}

function words(value: unknown): readonly string[] {
  const list: unknown = typeof value === "string" ? JSON.parse(value) : null;
  if (!Array.isArray(list)) throw new RuntimeError("state_corrupt", "Cannot read labels: they are not of their form");
  return list.map((word: unknown) => {
    if (typeof word !== "string") throw new RuntimeError("state_corrupt", "Cannot read labels: they are not of their form");
    return word;
  });
}

function parseReader(word: string): Reader {
  if (word === "anyone" || word === "operators") return word;
  if (word.startsWith("person:")) return `person:${parsePrincipalId(word.slice("person:".length))}`;
  if (word.startsWith("place:")) return `place:${placeIdOf(word.slice("place:".length))}`;
  throw new RuntimeError("state_corrupt", "Cannot read labels: they are not of their form");
}

function parseInfluence(word: string): Influence {
  if (word.startsWith("import:")) return `import:${word.slice("import:".length)}`;
  if (word.startsWith("character:")) return `character:${parseCharacterId(word.slice("character:".length))}`;
  if (word.startsWith("tool:")) return `tool:${word.slice("tool:".length)}`;
  if (word.startsWith("source:")) return `source:${word.slice("source:".length)}`;
  if (word.startsWith("bundle:")) return `bundle:${word.slice("bundle:".length)}`;
  return word === "unknown:origin" ? word : parsePrincipalId(word);
}
