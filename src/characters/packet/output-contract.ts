import { RESPONSE_SCHEMAS } from "../../vocabulary/packet-lines.ts";
import type { LivePacket } from "../../vocabulary/packet.ts";
import type { ActionLabel } from "../../vocabulary/reply.ts";

type OutputContract = LivePacket["output_contract"];

/** Say in which form the answer comes (AE-029): `lean` is an object of three fields, `plain` the character's words alone. */
export function outputContract(contract: "lean" | "plain", labels: readonly ActionLabel[]): OutputContract {
  if (contract === "plain") return PLAIN;
  const key = labels.join(" ");
  const made = LEAN.get(key) ?? lean(labels);
  if (LEAN.size < MAX_LEAN) LEAN.set(key, made);
  return made;
}

/** The lean form by labels: a handful of combinations, each made once. */
const LEAN = new Map<string, OutputContract>();
const MAX_LEAN = 64;

const PLAIN: OutputContract = {
  response_schema: RESPONSE_SCHEMAS.plain,
  required_fields: ["spoken_text"],
  response_rules: [
    "Write only the words the character says aloud, as plain text, without its name in front and without quotation marks around them.",
    "Write no line for anybody else. A few sentences are enough.",
    "Do not talk about this packet, its rules or this contract.",
  ],
};

function lean(labels: readonly ActionLabel[]): OutputContract {
  return {
    response_schema: RESPONSE_SCHEMAS.lean,
    required_fields: ["action_label", "visible_action", "spoken_text"],
    response_rules: [
      "Answer with one JSON object that has exactly these fields, and with nothing around it.",
      "action_label is one of the allowed labels.",
      "visible_action tells in one short sentence what others see the character do; leave it empty when there is nothing to see.",
      "spoken_text holds only the words the character says aloud, a few sentences at most; no lines of others, no rules, nothing about this contract.",
      ...(labels.includes("silence") ? ["To say nothing choose silence and leave both texts empty."] : []),
    ],
  };
}
