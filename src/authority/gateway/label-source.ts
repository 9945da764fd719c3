import { RuntimeError } from "../../foundation/errors.ts";
import type { LabelSource } from "../../vocabulary/calls/gateway.ts";
import type { Audience, Influence, Reader } from "../../vocabulary/label.ts";
import { readersOf } from "../../vocabulary/label.ts";
import { Origin } from "../../vocabulary/origin.ts";
import { parsePrincipalId } from "../../vocabulary/principal.ts";
import type { LabelFacts } from "../../vocabulary/calls/text-label.ts";
import { TextLabel, mintLabel } from "../../vocabulary/calls/text-label.ts";

const MAX_LABEL_CHARACTERS = 262_144;
/** What a label is that cannot be read: foreign wherever it comes, and nobody's to receive (TR-030). */
const SEALED_LABEL: LabelFacts = { influence: ["unknown:origin"], readers: [] };
const OTHERS =
  /^(?:import:[0-9a-f]{64}|character:[a-z][a-z0-9_-]{0,39}|tool:[a-z][a-z0-9_]{0,39}|(?:source|bundle):[a-z][a-z0-9_-]{0,39}|unknown:origin)$/;
const READER = /^(?:anyone|operators|person:\S{1,200}|place:\S{1,300})$/;

/** Where labels come from (SE-080). */
export function createLabelSource(): LabelSource {
  return {
    ofLine(origin, place) {
      const { principal } = Origin.factsOf(origin);
      return mintLabel({ influence: [principal], readers: [readersOf(place)] });
    },
    ofEvent: ({ influence, audience }) => mintLabel({ influence, readers: audience }),
    ofToolOutput(tool, into) {
      const { influence, readers } = TextLabel.factsOf(into);
      return mintLabel({ influence: [...influence, `tool:${tool}`], readers });
    },
    ofHook(hook, into) {
      const { influence, readers } = TextLabel.factsOf(into);
      return mintLabel({ influence: [...influence, `bundle:${hook}`], readers });
    },
    ofImport: (sha256) => mintLabel({ influence: [`import:${sha256}`], readers: ["anyone"] }),
    ofRuntime: () => mintLabel({ influence: [], readers: ["anyone"] }),
    read: (text) => mintLabel(factsIn(text)),
  };
}

function factsIn(text: string): LabelFacts {
  if (text.length > MAX_LABEL_CHARACTERS) return SEALED_LABEL;
  try {
    const value: unknown = JSON.parse(text);
    const fields = typeof value === "object" && value !== null ? new Map<string, unknown>(Object.entries(value)) : null;
    if (fields?.size !== 2) return SEALED_LABEL;
    return { influence: list(fields.get("influence"), influenceIn), readers: list(fields.get("readers"), readerIn) };
  } catch {
    return SEALED_LABEL; // A row that is damaged says nothing of whose words it holds.
  }
}

function list<Word>(value: unknown, read: (word: string) => Word): readonly Word[] {
  if (!Array.isArray(value)) throw unreadable();
  return value.map((word: unknown) => {
    if (typeof word !== "string") throw unreadable();
    return read(word);
  });
}

function influenceIn(word: string): Influence {
  // oxlint-disable-next-line no-unsafe-type-assertion -- the label's own reader
  return OTHERS.test(word) ? (word as Influence) : parsePrincipalId(word);
}

function readerIn(word: string): Audience[number] {
  if (!READER.test(word)) throw unreadable();
  // oxlint-disable-next-line no-unsafe-type-assertion -- the label's own reader
  return word as Reader;
}

function unreadable(): RuntimeError {
  return new RuntimeError("state_corrupt", "Cannot read a label: it is not of its form");
}
