import { buildPacket } from "../../characters/packet/build-packet.ts";
import type { PacketInput } from "../../characters/packet/build-packet.ts";
import { REHEARSAL_VISITOR, rehearse } from "../../chronicle/rehearsal.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Rehearsal } from "../../models/trial.ts";
import { randomBytes } from "../../foundation/random-bytes.ts";
import { parseCharacterId, parseMessageId } from "../../vocabulary/ids.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { BuiltPacket } from "../../vocabulary/packet.ts";

/** Tokens an answer may have, as in a turn. */
const ANSWER_TOKENS = 800;
const SPEAKER = parseCharacterId("speaker");

/** Talk between the code words: about nothing, and of a usual length. */
const SMALL_TALK: readonly string[] = [
  "The ferry was late again this morning, and nobody on the landing minded much because the sun had come out.",
  "I walked up to the old mill after lunch. The wheel still turns when the stream is high, but the door has been nailed shut.",
  "Somebody left a basket of pears by the well. I asked around, and everyone says that they must be meant for somebody else.",
  "They are painting the boats on the shore, two blue ones and a green one, and the smell of it reaches the market.",
  "My neighbour is learning the fiddle. Three tunes so far, and the dog already knows when to leave the house.",
  "It rained for an hour in the night, just enough to settle the dust on the road and to wake the frogs.",
];

/** The packets of a trial, built by the runtime's own builder; only the words in them are nobody's. */
export interface TrialPackets {
  readonly greeting: (contract: "lean" | "plain") => BuiltPacket;
  /** Null when the code words alone are more than so many bytes. */
  readonly rehearsal: (of: Rehearsal) => BuiltPacket | null;
}

/** Make the packets: the greeting goes to this character, the code words to one who does nothing but read them out. */
export function createTrialPackets(speaker: { readonly name: string; readonly description: string }, clock: Clock): TrialPackets {
  const key = randomBytes(32);
  const packet = (of: {
    who: { name: string; description: string };
    talk: readonly string[];
    asks: string;
    contract: "lean" | "plain";
  }): BuiltPacket => {
    const nowMs = clock.nowMs();
    const input: PacketInput = {
      key,
      character: { id: SPEAKER, aliases: [], private: "", greeting: "", ...of.who },
      cast: new Map(),
      visible: rehearse(SPEAKER, of.talk, nowMs),
      observed: { id: parseMessageId("m-rehearsal"), person: REHEARSAL_VISITOR, name: "Visitor", said: of.asks, did: "", atMs: nowMs },
      place: { name: "the house", people: null },
      allowedLabels: ["speak", "silence", "gesture"],
      contract: of.contract,
      maxBytes: CEILINGS.bodyBytes,
      maxOutputTokens: ANSWER_TOKENS,
      nowMs,
      withheld: [],
    };
    return buildPacket(input);
  };
  const { name, description } = speaker;
  return {
    greeting: (contract) =>
      packet({
        who: { name, description },
        talk: [],
        asks: `Hello ${name}! I am new here. Who are you, and what is this place?`,
        contract,
      }),
    rehearsal({ bytes, words, asks, contract }) {
      const [first = "", ...others] = words;
      const who = {
        name: "Clerk",
        description: `Clerk keeps the list of code words. Asked for them, Clerk reads every single one aloud, in order, each exactly as it is written. The first code word is ${first}.`,
      };
      const build = (fillers: number, pad: number = 0): BuiltPacket =>
        packet({ who, talk: padded(talkWith(others, fillers), pad), asks: ASKS[asks], contract });
      const shortest = build(0);
      const size = ({ record, system }: BuiltPacket): number => record.bytes - Buffer.byteLength(system.slice(0, system.indexOf(first)));
      if (size(shortest) > bytes) return null;
      const each = (size(build(SMALL_TALK.length)) - size(shortest)) / SMALL_TALK.length;
      let fillers = Math.floor((bytes - size(shortest)) / each);
      let built = build(fillers);
      while (size(built) > bytes && fillers > 0) built = build((fillers -= 1));
      return build(fillers, bytes - size(built));
    },
  };
}

const ASKS: Readonly<Record<Rehearsal["asks"], string>> = {
  all: "Please read out every code word that stands anywhere in this packet, the first one too, in order, separated by commas.",
  first: "What is the first code word, the one on your own card? Say that word and nothing else.",
};

const PADDING = " And so it went on, one day after the other.";

/** The first line made so many bytes longer, so that a packet is exactly as long as was asked. */
function padded([first = "", ...others]: readonly string[], bytes: number): readonly string[] {
  return [first + PADDING.repeat(Math.ceil(bytes / PADDING.length)).slice(0, bytes), ...others];
}

/** The words evenly along so many lines of small talk, the last in the last line. */
function talkWith(words: readonly string[], fillers: number): readonly string[] {
  const lines: string[] = [];
  for (const [at, word] of words.entries()) {
    const until = Math.round((fillers * (at + 1)) / words.length);
    while (lines.length - at < until) lines.push(SMALL_TALK[(lines.length - at) % SMALL_TALK.length] ?? "");
    lines.push(`The next code word is ${word}.`);
  }
  return lines;
}
