import { SECTIONS, readDataValues } from "../../vocabulary/packet-lines.ts";
import type { BuiltPacket, Segment } from "../../vocabulary/packet.ts";
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
 * and lines that are not the runtime's own. Over 0 means that the builder is broken, so nothing of it may be sent (SE-093). It
 * looks at the segments, which must be the text that is sent, to the byte.
 */
export function countUnaccounted(built: Pick<BuiltPacket, "system" | "prompt" | "segments">, known: AccountedTexts): number {
  if (built.segments.map(({ text }) => text).join("") !== `${built.system}\n${built.prompt}`) return 1;
  const texts = new Set(known.texts);
  const own = ownLines(known);
  let unaccounted = 0;
  for (const segment of built.segments) {
    const { values, others } = contentOf(segment, own);
    unaccounted += others;
    for (const value of values) {
      if (!texts.has(value) && !OWN_VALUE.test(value) && !isShortened(value, known.texts)) unaccounted += 1;
    }
  }
  return unaccounted;
}

/** What a segment holds: the texts in its data lines, and how many of its other lines are not the runtime's own. */
interface Content {
  readonly values: readonly string[];
  readonly others: number;
}

/** Lines of talk are shown in many packets, and a frozen one never changes: each is read once. */
const READ = new WeakMap<Segment, Content>();

function contentOf(segment: Segment, own: ReadonlySet<string>): Content {
  const known = READ.get(segment);
  if (known !== undefined) return known;
  const content = read(segment.text, own);
  // Only data lines are the same whatever the runtime's own lines are.
  if (content.others === 0 && segment.text.startsWith("{") && Object.isFrozen(segment)) READ.set(segment, content);
  return content;
}

function read(text: string, own: ReadonlySet<string>): Content {
  const values: string[] = [];
  // A line that went on in the next segment would be read as two.
  let others = text.endsWith("\n") ? 0 : 1;
  for (const line of text.split("\n")) {
    if (own.has(line)) continue;
    const fields = readDataValues(line);
    if (fields === null) others += OWN_LINE.test(line) ? 0 : 1;
    else values.push(...fields.filter((value) => typeof value === "string"));
  }
  return { values, others };
}

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
