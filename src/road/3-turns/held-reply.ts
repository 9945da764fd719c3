import { canonicalJson } from "../../foundation/canonical-json.ts";
import { sha256Hex } from "../../foundation/ids.ts";
import type { Ask } from "../../vocabulary/calls/ask.ts";
import { askText } from "../../vocabulary/calls/ask.ts";
import type { Influence } from "../../vocabulary/label.ts";
import type { ActionLabel, Question, Reply } from "../../vocabulary/reply.ts";
import { ACTION_LABELS } from "../../vocabulary/reply.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import { HELD_RULE, HELD_TOOL } from "../../vocabulary/calls/held.ts";

/** A reply that waits for a yes is not said later than this: nobody would know what it answers. */
const HELD_MS = 30 * 60_000;

/** What a reply says, as the gate let it through, and what is to be known of it when it is said. */
export interface HeldReply {
  readonly speech: string;
  readonly action: string;
  readonly label: ActionLabel;
  readonly influence: readonly Influence[];
  /** Who made it. */
  readonly by: string;
}

/** The bytes that a yes is to: who says what to whom, and where. */
function bytesOf(turn: Pick<Turn, "character" | "place" | "person">, { speech, action }: Pick<HeldReply, "speech" | "action">): string {
  return canonicalJson({
    tool: HELD_TOOL,
    character: turn.character,
    place: turn.place.id,
    answers: turn.person,
    says: speech,
    does: action,
  });
}

/** The question whether a reply may be said, frozen (SE-084): its digest is of the exact bytes, and they are all that its card shows. */
export function heldQuestion(turn: Turn, held: HeldReply, nowMs: number): Question {
  const bytes = bytesOf(turn, held);
  const ask: Ask = {
    session: turn.id,
    call: turn.id,
    tool: HELD_TOOL,
    bytes,
    rule: HELD_RULE,
    influence: held.influence,
    foreign: held.influence,
    destination: turn.place.id,
    scopes: ["once"],
    least: "platform",
    dynamic: false,
    words: "",
  };
  return { digest: sha256Hex(bytes), call: askText(ask), state: canonicalJson({ held }), expiresAtMs: nowMs + HELD_MS };
}

/** The reply that a suspended turn held; null where it held none. */
export function heldIn(turn: Pick<Turn, "resumed">): HeldReply | null {
  if (turn.resumed === undefined) return null;
  try {
    const state: unknown = JSON.parse(turn.resumed.state);
    const held: unknown = typeof state === "object" && state !== null ? Reflect.get(state, "held") : null;
    return typeof held === "object" && held !== null ? readHeld(new Map<string, unknown>(Object.entries(held))) : null;
  } catch {
    return null; // Not ours, or damaged: it says nothing.
  }
}

function readHeld(fields: ReadonlyMap<string, unknown>): HeldReply | null {
  const text = (name: string): string => (typeof fields.get(name) === "string" ? String(fields.get(name)) : "");
  const influence = fields.get("influence");
  const label = ACTION_LABELS.find((one) => one === fields.get("label"));
  if (label === undefined || !Array.isArray(influence)) return null;
  const whose = influence.filter((one): one is Influence => typeof one === "string");
  return { speech: text("speech"), action: text("action"), label, influence: whose, by: text("by") };
}

/** The same words for the gate once more; nothing of the prompt is known any more. */
export function replyOf({ speech, action, label, influence }: HeldReply): Reply {
  return { label, action, speech, influence, scaffold: [], canaries: [], visibleText: "" };
}
