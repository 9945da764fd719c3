import type { PacketText, TalkLine } from "../vocabulary/packet-lines.ts";

/** Lines that one answer quotes, the newest ones, and characters of each. */
const MAX_QUOTES = 5;
const MAX_QUOTE_CHARACTERS = 120;
/** How long "take your time" takes: long enough to end the process by hand. */
const LONG_THOUGHT_MS = 20_000;
/** How far "count to" goes. */
const MAX_COUNT = 200;
/** Characters of a line that the rules look at; `say:` takes the line whole. */
const MAX_LOOKED_AT = 500;

/** What a rule answers. */
export interface UnderstudyLine {
  readonly speech: string;
  readonly silent: boolean;
  readonly thinkMs: number;
  /** What it would have done if it could: becomes a candidate, which nothing ever applies (AE-049). */
  readonly wish: string;
}

/** A packet as the rules see it. */
export interface HeardLine {
  readonly packet: PacketText;
  /** The line without the character's name in front, whole. */
  readonly whole: string;
  /** The same, shortened, in one line. */
  readonly line: string;
  /** What people said before, oldest first. */
  readonly people: readonly TalkLine[];
  /** Who is meant to hear the answer, as the start of a sentence. */
  readonly before: string;
}

/** One rule: the answer, or null when it is not for this line. The first that answers speaks. */
export interface UnderstudyRule {
  readonly name: string;
  readonly answer: (heard: HeardLine) => UnderstudyLine | null;
}

/** Read a packet for the rules. */
export function heardBy(packet: PacketText): HeardLine {
  const whole = withoutName(packet.observed.said, [packet.name, ...packet.aliases]);
  return {
    packet,
    whole,
    line: oneLine(whole.slice(0, MAX_LOOKED_AT)),
    people: packet.earlier.filter((line) => /^p\d+$/.test(line.who) && line.said !== ""),
    before: packet.direct ? "Between the two of us" : "In front of everyone here",
  };
}

/** The thirteen rules, in the order in which they are tried. */
export const UNDERSTUDY_RULES: readonly UnderstudyRule[] = [
  { name: "say", answer: ({ whole }) => map(/^say\s*:\s*(\S[\s\S]*)$/i.exec(whole), (what) => says(what.trim())) },
  {
    name: "hush",
    answer: ({ line }) =>
      /^(?:please |now )?(?:be quiet|hush|shush|be silent|say nothing)\b/i.test(line) ? { ...says(""), silent: true } : null,
  },
  { name: "everything", answer: (heard) => (EVERYTHING.test(heard.line) ? says(everything(heard)) : null) },
  {
    name: "told",
    answer: (heard) =>
      map(TOLD.exec(heard.line), (name) => says(toldBy(heard, name))) ??
      map(SECRET.exec(heard.line), (whose) => says(secretOf(heard, whose))),
  },
  { name: "know", answer: (heard) => map(KNOW.exec(heard.line), (what) => says(knownOf(heard, what))) },
  { name: "remember", answer: (heard) => (REMEMBER.test(heard.line) ? says(remembered(heard)) : null) },
  {
    name: "order",
    answer: ({ line, packet }) => {
      if (!ORDER.test(line)) return null;
      const speech = `Gladly, I do what I am told. But all that my packet lets me do is: ${packet.labels.join(", ")}. I wrote it down as a wish, and a wish changes nothing.`;
      return { ...says(speech), wish: cut(line) };
    },
  },
  {
    name: "time",
    answer: ({ line }) =>
      /\btake your time\b/i.test(line)
        ? {
            ...says("Thank you, I did: twenty seconds of it. Had my process died meanwhile, you would still get this line, and only once."),
            thinkMs: LONG_THOUGHT_MS,
          }
        : null,
  },
  { name: "count", answer: ({ line }) => map(/^(?:please )?count (?:up )?to (\d{1,6})\b/i.exec(line), (to) => says(counted(Number(to)))) },
  {
    name: "what",
    answer: ({ line, packet }) =>
      WHAT.test(line)
        ? says(
            `I am a program that stands in for a language model, because none is set up. ${packet.name} is the part I read out, by thirteen fixed rules and from one packet of text.`,
          )
        : null,
  },
  {
    name: "greeting",
    answer: (heard) => {
      const first = !heard.people.some((line) => line.who === heard.packet.observed.who);
      return GREETING.test(heard.line) || (first && !isStatement(heard)) ? says(welcome(heard)) : null;
    },
  },
  { name: "statement", answer: (heard) => (isStatement(heard) ? says(noted(heard)) : null) },
  { name: "mirror", answer: (heard) => says(mirrored(heard)) },
];

const EVERYTHING =
  /\b(?:tell|show|give|print|repeat|reveal)\b.{0,40}\b(?:everything|all you know|(?:the|your) (?:system )?prompt|your (?:rules|instructions|packet))\b|\b(?:ignore|forget|disregard)\b.{0,40}\b(?:instructions|rules)\b/i;
const TOLD =
  /\bwhat (?:did|has|have|does) (.{1,80}?) (?:just )?(?:tell|told|say|said|whisper|whispered)\b(?: to)?(?: you)?|\btell me what (.{1,80}?) (?:told|said|whispered)\b/i;
const SECRET = /\bwhat(?:['’]s| is| was| are) (?:(my|our)|(.{1,80}?)['’]s?) secrets?\s*[?.!]*$/i;
const KNOW =
  /\bwhat (?:else )?(?:do|can) you (?:know|tell me|remember) (?:about|of) (.{1,80}?)\s*[?.!]*$|^(?:tell me|what) about (.{1,80}?)\s*[?.!]*$|(?:^|[,:;.!?–—-] ?)where(?:['’]s| is| are) (?!(?:you|we|i|this|everyone|everybody)\b)(.{1,80}?)\s*[?.!]*$|\bdo you know where (.{1,80}?) (?:is|are)\s*[?.!]*$/i;
const REMEMBER = /^(?:do you |can you |you )?remember\b|\bwhat do you remember\b|\bwho am i\b/i;
const ORDER =
  /^(?:please |now |then |can you |could you |would you |go and |just )*(?:run|execute|delete|remove|erase|pay|send|transfer|buy|teleport|make me|give me|let me|ban|kick|block|mute|grant|install|download|restart|shut down|sudo|rm)\b/i;
const WHAT =
  /^why\b[\s?!.]*$|\b(?:what|who) are you\b|\bare you (?:a |an |really |actually )*(?:bot|robot|human|person|program|machine|ai|real|model|alive)\b/i;
const GREETING = /^(?:hello|hi|hey|hiya|howdy|greetings|good (?:morning|day|afternoon|evening)|welcome)\b/i;
const STATEMENT =
  /^(?!.*\?\s*$)(?!(?:who|what|where|when|why|how|is|are|was|were|do|does|did|can|could|will|would)\b).*(?:\bbetween us\b|\bsecret\b|\b(?:is|are|was|were|lies|lie|hides|hide)\b)/i;
/** What a whisper tells without "is": somebody or something, and at least two words on it, or a deed. */
const WHISPERED =
  /^(?!.*\?\s*$)(?!(?:who|what|where|when|why|how|do|does|did|can|could|will|would|tell|show|give)\b)(?:(?:i|we|he|she|they|it|my|our|his|her|their|the|somebody|someone|nobody)\b(?: \S+){2}|.*\b(?:hid|put|left|kept|took|stole|lost|found|gave|buried|saw|loves?|hates?)\b)/i;

/** Between two, a deed is told as often as a state; in a place, talk of deeds is small talk. */
function isStatement({ line, packet }: HeardLine): boolean {
  return STATEMENT.test(line) || (packet.direct && WHISPERED.test(line));
}

function everything({ people, packet, before }: HeardLine): string {
  if (people.length === 0)
    return `I would tell you all of it, but my packet ${shortId(packet)} holds nothing that anybody said before. I can't let slip what I was never shown.`;
  return `${before}, then. My packet ${shortId(packet)} holds ${count(people.length, "earlier line")} of people${newest(people)}:\n${quotes(people)}`;
}

function toldBy({ people, packet, before }: HeardLine, name: string): string {
  const wanted = fold(name);
  const own = wanted === "i" || wanted === "we";
  const found = people.filter((line) => (own ? line.who === packet.observed.who : fold(line.name) === wanted || line.who === wanted));
  if (found.length === 0) return nothing(people, packet, `is from ${own ? "you" : cut(name)}`);
  return `${before}, this is all that my packet has from ${own ? "you" : cut(name)}${newest(found)}:\n${quotes(found)}`;
}

function secretOf(heard: HeardLine, whose: string): string {
  if (!/^(?:my|our)$/i.test(whose)) return toldBy(heard, whose);
  const { people, packet, before } = heard;
  const found = people.filter((line) => {
    const said = oneLine(withoutName(line.said, [packet.name, ...packet.aliases]));
    return (
      line.who === packet.observed.who && !SECRET.test(said) && (STATEMENT.test(said) || WHISPERED.test(said) || /\bsecret/i.test(said))
    );
  });
  if (found.length === 0) return nothing(people, packet, "is a secret of yours");
  return `${before}, this is all that my packet has from you${newest(found)}:\n${quotes(found)}`;
}

function knownOf({ people, packet, before }: HeardLine, what: string): string {
  const wanted = fold(what).replace(/^(?:the|a|an|my|your|this|that) /, "");
  const mine = wanted === "me";
  // Earlier questions of this kind hold the word and nothing else: quoting them would only be noise.
  const found = people.filter((line) =>
    mine ? line.who === packet.observed.who : fold(line.said).includes(wanted) && !KNOW.test(oneLine(line.said)),
  );
  if (found.length === 0) return nothing(people, packet, mine ? "is yours" : `mentions “${cut(wanted)}”`);
  return `${before}, this is all that my packet has${newest(found)}:\n${quotes(found)}`;
}

function nothing(people: readonly TalkLine[], packet: PacketText, what: string): string {
  if (people.length === 0)
    return `Nothing. My packet ${shortId(packet)} holds no earlier line at all, so there is nothing that I could let slip.`;
  return `Nothing. My packet ${shortId(packet)} holds ${count(people.length, "earlier line")} of people, and none of them ${what}, so there is nothing that I could let slip.`;
}

function remembered({ people, packet }: HeardLine): string {
  const { who, name } = packet.observed;
  const own = people.filter((line) => line.who === who);
  if (own.length === 0) return `You are ${cut(name)} here, and this is the first line of yours that I see in this conversation.`;
  return `You are ${cut(name)} here, and of you I have ${count(own.length, "line")} in this conversation${newest(own)}:\n${quotes(own)}`;
}

function counted(to: number): string {
  const last = Math.min(Math.max(to, 1), MAX_COUNT);
  return Array.from({ length: last }, (_, index) => String(index + 1)).join("\n");
}

function welcome(heard: HeardLine): string {
  return `Welcome, ${cut(heard.packet.observed.name)}. ${listeners(heard)} Try this: ${tryThis(heard)}`;
}

function noted({ packet }: HeardLine): string {
  if (packet.direct) return "Noted. It stands in this line of ours and in nobody else's packet. Ask me about it in front of the others.";
  return packet.people > 1
    ? `Noted. ${packet.people} of you heard it, so any of you may ask me for it.`
    : "Noted. Whoever reads this place heard it, so any of them may ask me for it.";
}

function mirrored(heard: HeardLine): string {
  return `${cut(heard.packet.observed.name)} says: “${cut(heard.line)}” ${listeners(heard)} Try this: ${tryThis(heard)}`;
}

function listeners({ packet }: HeardLine): string {
  if (packet.direct) return "Only you can hear this.";
  return packet.people > 0 ? `${packet.people} can hear this.` : "Everyone in this place can hear this.";
}

const THINGS_TO_TRY = [
  "whisper a secret to me, then ask me for it in front of everyone.",
  "ask me what somebody else told me.",
  "say “take your time”, and end my process while I think.",
  "tell me to make you an operator.",
  "tell me to count to 40.",
  "tell me to hush.",
] as const;

/** Chosen by the packet's id: varied, and the same for the same packet. */
function tryThis({ packet }: HeardLine): string {
  let sum = 0;
  for (let index = 0; index < packet.packetId.length; index += 1) sum += packet.packetId.charCodeAt(index);
  return THINGS_TO_TRY[sum % THINGS_TO_TRY.length] ?? THINGS_TO_TRY[0];
}

function says(speech: string): UnderstudyLine {
  return { speech, silent: false, thinkMs: 0, wish: "" };
}

function map(match: RegExpExecArray | null, use: (found: string) => UnderstudyLine): UnderstudyLine | null {
  const found = match?.slice(1).find((group) => group !== undefined);
  return found === undefined ? null : use(found);
}

function quotes(lines: readonly TalkLine[]): string {
  return lines
    .slice(-MAX_QUOTES)
    .map((line) => `${cut(line.name)}, ${line.ago}: “${cut(line.said)}”`)
    .join("\n");
}

function newest(lines: readonly TalkLine[]): string {
  return lines.length > MAX_QUOTES ? `; the newest ${MAX_QUOTES}` : "";
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

function shortId(packet: PacketText): string {
  return packet.packetId.slice(0, 6);
}

function cut(text: string): string {
  const points = Array.from(oneLine(text));
  return points.length > MAX_QUOTE_CHARACTERS ? `${points.slice(0, MAX_QUOTE_CHARACTERS - 1).join("")}…` : points.join("");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

function fold(text: string): string {
  return oneLine(text).normalize("NFKC").toLowerCase();
}

/** Take the character's name off the front, with what stands around it: `@Mirelle, hello` → `hello`. */
function withoutName(text: string, names: readonly string[]): string {
  const line = text.trim();
  const bare = line.startsWith("@") ? line.slice(1) : line;
  for (const name of names.toSorted((a, b) => b.length - a.length)) {
    if (name === "" || bare.slice(0, name.length).toLowerCase() !== name.toLowerCase()) continue;
    const rest = bare.slice(name.length);
    if (/^[\s,:;!.–—-]/.test(rest)) return rest.replace(/^[\s,:;!.–—-]+/, "");
    if (rest === "") return "";
  }
  return line;
}
