import type { ChronicleEvent } from "../vocabulary/event.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { Reader } from "../vocabulary/label.ts";
import { mayRead } from "../vocabulary/label.ts";
import { isSettled, withSoundLabels } from "./labels.ts";

/** Why an event stays out of a packet. `other_place`, `other_direct_line` and `other_talk` are conversations with another key (TR-036). */
export type WithheldClass = "not_witnessed" | "other_readers" | "pending" | "unsaid" | "other_place" | "other_direct_line" | "other_talk";

/**
 * The rule of the product (TR-030, TR-042): an event enters a packet of `character` for `reader` iff the character witnessed
 * it, every reader of the destination may receive it, and it was said. Looks at this one event and nothing else.
 */
export function judgeEvent(event: ChronicleEvent, character: CharacterId, reader: Reader): "visible" | WithheldClass {
  const last = JUDGED.get(event);
  if (last?.character === character && last.reader === reader) return last.verdict;
  const verdict = judge(event, character, reader);
  if (isSettled(event)) JUDGED.set(event, { character, reader, verdict });
  return verdict;
}

/** The last judgement of events that nobody can change any more: in a conversation that goes on it is asked for again and again. */
const JUDGED = new WeakMap<
  ChronicleEvent,
  { readonly character: CharacterId; readonly reader: Reader; readonly verdict: "visible" | WithheldClass }
>();

function judge(event: ChronicleEvent, character: CharacterId, reader: Reader): "visible" | WithheldClass {
  const { witnesses, audience, state } = withSoundLabels(event);
  if (!witnesses.includes(character)) return "not_witnessed";
  if (!mayRead(audience, reader)) return "other_readers";
  // Whatever is not exactly `said` is hidden, also a state that this version does not know.
  if (state === "said") return "visible";
  return state === "unsaid" ? "unsaid" : "pending";
}
