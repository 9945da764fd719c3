import { SECTIONS, readDataValues } from "../../vocabulary/packet-lines.ts";
import type { BuiltPacket, Segment } from "../../vocabulary/packet.ts";
import type { ActionLabel } from "../../vocabulary/reply.ts";
import { CUT } from "./conversation.ts";
import { FRAME_SCAFFOLD } from "./frame.ts";
import { outputContract } from "./output-contract.ts";
import { NO_EXCERPTS, PROMPT_SCAFFOLD, SYSTEM_END } from "./prompt.ts";

/** Everything a packet may be made of, gathered without the builder. */
export interface AccountedTexts {
  /** Words of others, of the card and of the place, as they are stored. */
  readonly texts: ReadonlySet<string>;
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
  if (!areWhole(built)) return 1;
  const { texts } = known;
  const own = ownLines(known);
  let unaccounted = 0;
  for (const segment of built.segments) {
    const { values, others } = contentOf(segment, own);
    unaccounted += others;
    for (const value of values) {
      if (!texts.has(value) && !isShortened(value, texts)) unaccounted += 1;
    }
  }
  return unaccounted;
}

/** Whether the segments, in their order, are the text that is sent, to the byte. Nothing is joined for it: it is done for every packet. */
function areWhole({ segments, system, prompt }: Pick<BuiltPacket, "system" | "prompt" | "segments">): boolean {
  const pieces = [system, SYSTEM_END, prompt];
  let [piece, at] = [0, 0];
  for (const { text } of segments) {
    for (; at === pieces[piece]?.length; piece += 1) at = 0;
    if (pieces[piece]?.startsWith(text, at) !== true) return false;
    at += text.length;
  }
  return piece === pieces.length - 1 && at === prompt.length;
}

/** What a segment holds: the texts in its data lines that are not the builder's own, and how many other lines are not the runtime's. */
interface Content {
  readonly values: readonly string[];
  readonly others: number;
}

/** A segment stands in many packets, and a frozen one never changes: each is read once for the lines that are the runtime's own. */
const READ = new WeakMap<Segment, { readonly own: ReadonlySet<string>; readonly content: Content }>();

function contentOf(segment: Segment, own: ReadonlySet<string>): Content {
  const known = READ.get(segment);
  if (known?.own === own) return known.content;
  const content = read(segment.text, own);
  if (Object.isFrozen(segment)) READ.set(segment, { own, content });
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
    else for (const value of fields) if (typeof value === "string" && !OWN_VALUE.test(value)) values.push(value);
  }
  return { values, others };
}

function isShortened(value: string, all: ReadonlySet<string>): boolean {
  if (!value.endsWith(CUT)) return false;
  const start = value.slice(0, -CUT.length);
  for (const text of all) if (text.startsWith(start)) return true;
  return false;
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
