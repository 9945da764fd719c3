import { SECTIONS, readDataLine } from "../../vocabulary/packet-lines.ts";
import type { BuiltPacket } from "../../vocabulary/packet.ts";
import type { ActionLabel } from "../../vocabulary/reply.ts";
import { CUT } from "./conversation.ts";
import { FRAME_SCAFFOLD } from "./frame.ts";
import { outputContract } from "./output-contract.ts";
import { NO_EXCERPTS, PROMPT_SCAFFOLD } from "./prompt.ts";

/** Everything a packet may be made of, gathered without the builder. */
export interface AccountedTexts {
  /** Words of others, of the card and of the place, as they are stored. */
  readonly texts: readonly string[];
  readonly labels: readonly ActionLabel[];
  readonly contract: BuiltPacket["contract"];
}

/** What the builder itself writes into data lines: local numbers, labels, ages, kinds of place, "speaks". */
const OWN_VALUE = /^(?:e\d+|you|[pc]\d+|just now|\d+ (?:min|h|days) ago|public|direct|speaks|)$/;
const OWN_LINE =
  /^(?:=== \S+ data (?:begins|ends)|Packet: \S+|Response schema: \S+|Required fields: [a-z_, ]+|Left out for length: \d+ lines? before these\.|)$/;

/**
 * Count the pieces of a packet's text that nothing accounts for: values of data lines that are no text the destination may see,
 * and lines that are not the runtime's own. Over 0 means that the builder is broken, so nothing of it may be sent (SE-093).
 */
export function countUnaccounted(built: Pick<BuiltPacket, "system" | "prompt">, known: AccountedTexts): number {
  const texts = new Set(known.texts);
  const own = ownLines(known);
  let unaccounted = 0;
  for (const line of `${built.system}\n${built.prompt}`.split("\n")) {
    const fields = own.has(line) ? NO_FIELDS : readDataLine(line);
    if (fields === null) {
      if (!OWN_LINE.test(line)) unaccounted += 1;
      continue;
    }
    for (const value of fields.values()) {
      if (typeof value === "string" && !texts.has(value) && !OWN_VALUE.test(value) && !isShortened(value, known.texts)) unaccounted += 1;
    }
  }
  return unaccounted;
}

const NO_FIELDS: ReadonlyMap<string, string | number> = new Map();

function isShortened(value: string, all: readonly string[]): boolean {
  return value.endsWith(CUT) && all.some((text) => text.startsWith(value.slice(0, -CUT.length)));
}

/** The runtime's own lines by contract and labels: a handful of combinations, each made once. */
const OWN_LINES = new Map<string, ReadonlySet<string>>();
const MAX_COMBINATIONS = 64;

function ownLines(known: AccountedTexts): ReadonlySet<string> {
  const key = `${known.contract} ${known.labels.join(" ")}`;
  const made = OWN_LINES.get(key) ?? makeOwnLines(known);
  if (OWN_LINES.size < MAX_COMBINATIONS) OWN_LINES.set(key, made);
  return made;
}

function makeOwnLines({ labels, contract }: AccountedTexts): ReadonlySet<string> {
  const rules = [...FRAME_SCAFFOLD, ...outputContract(contract, labels).response_rules];
  return new Set([
    ...Object.values(SECTIONS),
    ...rules,
    ...rules.map((rule) => `- ${rule}`),
    ...PROMPT_SCAFFOLD,
    NO_EXCERPTS,
    labels.join(", "),
  ]);
}
