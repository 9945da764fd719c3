import { RuntimeError } from "../../foundation/errors.ts";
import type { Audience, Influence, Labels, Reader } from "../../vocabulary/label.ts";
import { SEALED } from "../../vocabulary/label.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import { parseCharacterId } from "../../vocabulary/ids.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import { placeIdOf } from "./place-codec.ts";
import type { Row } from "./columns.ts";

/** The three label columns of an item. */
export interface LabelColumns {
  readonly witnesses: string;
  readonly audience: string;
  readonly influence: string;
}

/** Labels as they are stored. */
export function toLabelColumns(labels: Labels): LabelColumns {
  return {
    witnesses: JSON.stringify(labels.witnesses),
    audience: JSON.stringify(labels.audience),
    influence: JSON.stringify(labels.influence),
  };
}

/** Labels as they were stored; {@link SEALED} as a whole when any of the three is missing or malformed (TR-030). */
export function readLabels(row: Row): Labels {
  try {
    return {
      witnesses: words(row["witnesses"]).map((word): CharacterId => parseCharacterId(word)),
      audience: words(row["audience"]).map(parseReader) satisfies Audience,
      influence: words(row["influence"]).map(parseInfluence),
    };
  } catch {
    return SEALED; // What cannot be read is nobody's but the operators'.
  }
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
  return parsePrincipalId(word);
}
