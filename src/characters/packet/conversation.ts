import type { ChronicleEvent } from "../../vocabulary/event.ts";
import type { CharacterId, MessageId } from "../../vocabulary/ids.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { TalkLine, TalkValues } from "../../vocabulary/packet-lines.ts";
import { SELF_LABEL, talkLine, talkValues } from "../../vocabulary/packet-lines.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";

/** Characters of one text in a line of earlier talk; the rest is left out and marked. The observed line is never shortened. */
const MAX_EARLIER_CHARACTERS = 2_000;
/** Characters of a display name in a line. */
const MAX_NAME_CHARACTERS = 80;
/** Ends a text that was shortened. */
export const CUT = " …";
/** What somebody does who only speaks: the observable action of such an event (AE-027). */
const SPEAKS = "speaks";

/** The line that is being answered: who, where their name shows, what they said and did. */
export interface ObservedLine {
  readonly id: MessageId;
  readonly person: PrincipalId;
  readonly name: string;
  readonly said: string;
  /** What was visibly done; "" when nothing was. */
  readonly did: string;
  readonly atMs: number;
}

/** A line as a segment of the prompt, with its data line and with where it comes from. */
export interface RenderedLine {
  readonly kind: "conversation" | "observed";
  readonly source: `event:${MessageId}`;
  readonly text: string;
  /** Of the text, as UTF-8. */
  readonly bytes: number;
  readonly line: TalkLine;
}

/** All talk of one packet. */
export interface RenderedTalk {
  readonly earlier: readonly RenderedLine[];
  readonly observed: RenderedLine;
  readonly influence: readonly Influence[];
  /** Names and labels of everyone who speaks in it, except the character itself. */
  readonly others: readonly string[];
}

/** Who is who in the talk: the speaking character, and the names of the other characters. */
export interface Cast {
  readonly self: CharacterId;
  readonly selfName: string;
  readonly names: ReadonlyMap<CharacterId, string>;
}

/**
 * Write talk as data lines. Labels and event numbers are given in order of appearance among exactly these lines, so that they
 * tell nothing of lines that are not here (TR-033).
 */
export function renderTalk(events: readonly ChronicleEvent[], observed: ObservedLine, cast: Cast, nowMs: number): RenderedTalk {
  const labels = new SpeakerLabels();
  const influence = new Set<Influence>();
  const others = new Set<string>();
  const earlier = events.map((event, index) => {
    for (const one of event.influence) influence.add(one);
    const speaker = speakerOf(event, cast, labels);
    if (speaker.who !== SELF_LABEL) others.add(speaker.who).add(speaker.name);
    return earlierLine(event, index + 1, speaker, agoText(nowMs - event.atMs));
  });
  influence.add(observed.person);
  const { person, name, said, did, atMs, id } = observed;
  const speaker = { who: labels.of("p", person), name: shorten(name, MAX_NAME_CHARACTERS) };
  others.add(speaker.who).add(speaker.name);
  const event = `e${events.length + 1}`;
  const line: TalkLine = { event, ...speaker, ago: agoText(nowMs - atMs), said, did: did === "" ? SPEAKS : did };
  const text = `${talkLine(line)}\n`;
  const last: RenderedLine = { kind: "observed", source: `event:${id}`, text, bytes: Buffer.byteLength(text), line };
  return { earlier, observed: last, influence: [...influence].toSorted(), others: [...others] };
}

interface Words {
  readonly name: string;
  readonly said: string;
  readonly did: string;
  readonly values: TalkValues;
}

interface Shown {
  readonly number: number;
  readonly words: Words;
  readonly rendered: RenderedLine;
}

/** How events were shown last: while a conversation goes on, most are shown the same way again. An event never changes (TR-036). */
const SHOWN = new WeakMap<ChronicleEvent, Shown>();

function earlierLine(event: ChronicleEvent, number: number, { who, name }: Speaker, ago: string): RenderedLine {
  const known = SHOWN.get(event);
  if (known?.number === number && known.words.name === name) {
    const { line } = known.rendered;
    if (line.who === who && line.ago === ago) return known.rendered;
  }
  const words = known?.words.name === name ? known.words : wordsOf(event, name);
  const line: TalkLine = { event: `e${number}`, who, name, ago, said: words.said, did: words.did };
  const text = `${talkLine(line, words.values)}\n`;
  const bytes = Buffer.byteLength(text);
  const rendered: RenderedLine = Object.freeze({ kind: "conversation", source: `event:${event.id}`, text, bytes, line });
  if (Object.isFrozen(event)) SHOWN.set(event, { number, words, rendered });
  return rendered;
}

function wordsOf(event: ChronicleEvent, name: string): Words {
  const words = { name, said: shorten(event.text), did: shorten(event.action) };
  return { ...words, values: talkValues(words) };
}

type Speaker = Pick<TalkLine, "who" | "name">;

function speakerOf(event: ChronicleEvent, cast: Cast, labels: SpeakerLabels): Speaker {
  const { author } = event;
  if (author.kind === "person") return { who: labels.of("p", author.principal), name: shorten(author.name, MAX_NAME_CHARACTERS) };
  if (author.character === cast.self) return { who: SELF_LABEL, name: cast.selfName };
  return {
    who: labels.of("c", author.character),
    name: shorten(cast.names.get(author.character) ?? author.character, MAX_NAME_CHARACTERS),
  };
}

/** Opaque labels by speaker, in order of first appearance. */
class SpeakerLabels {
  readonly #labels = { p: new Map<string, string>(), c: new Map<string, string>() };

  of(kind: "p" | "c", id: string): string {
    const labels = this.#labels[kind];
    const known = labels.get(id);
    if (known !== undefined) return known;
    const label = `${kind}${labels.size + 1}`;
    labels.set(id, label);
    return label;
  }
}

function shorten(text: string, maxCharacters: number = MAX_EARLIER_CHARACTERS): string {
  if (text.length <= maxCharacters) return text;
  const points = Array.from(text);
  return points.length <= maxCharacters ? text : `${points.slice(0, maxCharacters).join("")}${CUT}`;
}

const MINUTE_MS = 60_000;
const HOUR_MINUTES = 60;
const DAY_HOURS = 24;

/** Say how long ago something was, coarsely. */
function agoText(ms: number): string {
  const minutes = Math.floor(ms / MINUTE_MS);
  if (minutes < 1) return "just now";
  if (minutes < HOUR_MINUTES) return `${minutes} min ago`;
  const hours = Math.floor(minutes / HOUR_MINUTES);
  return hours < 2 * DAY_HOURS ? `${hours} h ago` : `${Math.floor(hours / DAY_HOURS)} days ago`;
}
