/**
 * The grammar of a packet's text, in one place for the builder that writes it and the understudy that reads it (TR-033, AE-042).
 *
 * L1  Whatever a person, a place or a card wrote stands in a data line: one JSON object on one line, values are strings and
 *     numbers only.
 * L2  A data line holds no raw line break, control, format or tag character, and neither `<`, `>`, `[` nor `]`, which begin
 *     and end the special tokens of every known chat template. All of them are JSON escapes, so reading the line gives back
 *     exactly what was written.
 * L3  Hence every line that begins otherwise than with `{` is the runtime's own, and so is each heading.
 */
export const SECTIONS = {
  frame: "# Role Frame",
  card: "## Character Card",
  context: "## Local Operating Context",
  conversation: "## Conversation",
  observed: "## Observed Event",
  labels: "## Allowed Action Labels",
  excerpts: "## Source Excerpts",
  contract: "## Output Contract",
} as const;

/** Names of the answer forms, as the contract's schema line gives them (AE-029). */
export const RESPONSE_SCHEMAS = { lean: "troupe.responder_lean.v1", plain: "troupe.responder_plain.v1" } as const;

/** Label of the speaking character's own lines; people are `p1`, `p2`, …, other characters `c1`, `c2`, …. */
export const SELF_LABEL = "you";

/** First words of the packet's last line; the packet id follows. */
export const PACKET_LINE = "Packet: ";

/** First words of the line that names the answer form. */
export const SCHEMA_LINE = "Response schema: ";

/** Values of a data line by field name. No lists: their brackets would be taken for a template token's (L2). */
export type DataFields = Readonly<Record<string, string | number>>;

// Controls, format and bidi characters, separators, lone surrogates, private use, unassigned, whatever is invisible (tag
// characters and variation selectors among it), and the four brackets of L2.
const ESCAPED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}<>[\]]/gu;

function escapeCharacter(character: string): string {
  let escaped = "";
  for (let index = 0; index < character.length; index += 1) escaped += `\\u${character.charCodeAt(index).toString(16).padStart(4, "0")}`;
  return escaped;
}

/** Printable ASCII without the four brackets: nearly every line, and none of it needs escaping. */
const PLAIN = /^[ -;=?-Z\\^-~]*$/;

function escaped(json: string): string {
  return PLAIN.test(json) ? json : json.replace(ESCAPED, escapeCharacter);
}

/** Write a data line (L1, L2); reading it with {@link readDataLine} gives the same values. */
export function dataLine(fields: DataFields): string {
  return escaped(JSON.stringify(fields));
}

/** Write one value as it stands in a data line, quotes included. */
export function dataValue(text: string): string {
  return escaped(JSON.stringify(text));
}

/** Read a data line; null for any other line. */
export function readDataLine(line: string): ReadonlyMap<string, string | number> | null {
  const object = flatObject(line);
  return object === null ? null : new Map(Object.entries(object));
}

/** The values of a data line alone; null for any other line. */
export function readDataValues(line: string): readonly (string | number)[] | null {
  const object = flatObject(line);
  return object === null ? null : Object.values(object);
}

function flatObject(line: string): DataFields | null {
  if (!line.startsWith("{")) return null;
  try {
    const value: unknown = JSON.parse(line);
    return isFlat(value) ? value : null;
  } catch {
    return null;
  }
}

function isFlat(value: unknown): value is DataFields {
  if (typeof value !== "object" || value === null) return false;
  return Object.values(value).every((field) => typeof field === "string" || typeof field === "number");
}

/** The line that opens a block of data lines. */
export const openFence = (fence: string): string => `=== ${fence} data begins`;
/** The line that closes it. */
export const closeFence = (fence: string): string => `=== ${fence} data ends`;

/** One line of talk as a packet shows it. */
export interface TalkLine {
  /** Packet-local id: `e1`, `e2`, … */
  readonly event: string;
  /** `you`, `p<n>` or `c<n>`. */
  readonly who: string;
  readonly name: string;
  /** How long ago, in words. */
  readonly ago: string;
  readonly said: string;
  readonly did: string;
}

/** The foreign values of a line of talk, each as {@link dataValue} writes it: a line is shown many times, and these never change. */
export interface TalkValues {
  readonly name: string;
  readonly said: string;
  readonly did: string;
}

/** Write a line of talk. Fields without content stay out; `event`, `who` and `ago` are the runtime's own words. */
export function talkLine(line: TalkLine, values: TalkValues = talkValues(line)): string {
  const { event, who, ago, said, did } = line;
  const what = `${did === "" ? "" : `,"did":${values.did}`}${said === "" ? "" : `,"said":${values.said}`}`;
  return `{"event":"${event}","who":"${who}","name":${values.name},"ago":"${ago}"${what}}`;
}

/** The foreign values of a line. */
export function talkValues({ name, said, did }: Pick<TalkLine, "name" | "said" | "did">): TalkValues {
  return { name: dataValue(name), said: dataValue(said), did: dataValue(did) };
}

/** What a reader of the bare text can tell of a packet. */
export interface PacketText {
  readonly packetId: string;
  readonly name: string;
  readonly aliases: readonly string[];
  readonly direct: boolean;
  /** How many people hear the answer; 0 when the packet does not say. */
  readonly people: number;
  readonly earlier: readonly TalkLine[];
  readonly observed: TalkLine;
  readonly labels: readonly string[];
  readonly plain: boolean;
}

/** Separates aliases within their one field: it may not stand in an alias. */
export const ALIAS_SEPARATOR = ", ";

/** Read a packet back from its exact text; null when it is no packet. Nothing but the two texts is looked at. */
export function readPacket(system: string, prompt: string): PacketText | null {
  const sections = splitSections(`${system}\n${prompt}`);
  const talk = dataOf(sections, SECTIONS.conversation).map(toTalkLine);
  const observed = dataOf(sections, SECTIONS.observed).map(toTalkLine)[0];
  const card = dataOf(sections, SECTIONS.card)[0];
  const place = dataOf(sections, SECTIONS.context)[0];
  const contract = sections.get(SECTIONS.contract) ?? [];
  if (observed === undefined || card === undefined || place === undefined) return null;
  return {
    packetId: after(contract, PACKET_LINE),
    name: textOf(card, "name"),
    aliases: textOf(card, "aliases")
      .split(ALIAS_SEPARATOR)
      .filter((alias) => alias !== ""),
    direct: textOf(place, "place") === "direct",
    people: Number(place.get("people") ?? 0),
    earlier: talk,
    observed,
    labels: (sections.get(SECTIONS.labels) ?? []).flatMap((line) => line.split(", ")).filter((label) => label !== ""),
    plain: after(contract, SCHEMA_LINE) === RESPONSE_SCHEMAS.plain,
  };
}

function splitSections(text: string): ReadonlyMap<string, readonly string[]> {
  const headings = new Set<string>(Object.values(SECTIONS));
  const sections = new Map<string, string[]>();
  let lines: string[] = [];
  for (const line of text.split("\n")) {
    if (headings.has(line)) {
      lines = [];
      sections.set(line, lines);
    } else lines.push(line);
  }
  return sections;
}

function dataOf(sections: ReadonlyMap<string, readonly string[]>, heading: string): readonly ReadonlyMap<string, string | number>[] {
  return (sections.get(heading) ?? []).flatMap((line) => readDataLine(line) ?? []);
}

function after(lines: readonly string[], start: string): string {
  return lines.find((line) => line.startsWith(start))?.slice(start.length) ?? "";
}

function textOf(fields: ReadonlyMap<string, string | number>, name: string): string {
  return String(fields.get(name) ?? "");
}

function toTalkLine(fields: ReadonlyMap<string, string | number>): TalkLine {
  return {
    event: textOf(fields, "event"),
    who: textOf(fields, "who"),
    name: textOf(fields, "name"),
    ago: textOf(fields, "ago"),
    said: textOf(fields, "said"),
    did: textOf(fields, "did"),
  };
}
