import { RuntimeError } from "../foundation/errors.ts";
import type { CharacterId, MessageId } from "./ids.ts";
import type { Influence } from "./label.ts";
import { dataLine } from "./packet-lines.ts";
import type { ActionLabel, PacketRecord } from "./reply.ts";

/** The packet format that live packets, fixtures and captures share (AE-021). */
export const PACKET_SCHEMA = "ghostlight.responder_packet.v0";

/** What the character may not infer, whatever was withheld (AE-031); never empty (TR-038). */
export const FORBIDDEN_INFERENCES = [
  "other_agent_private_state_as_fact",
  "author_only_resolution",
  "future_branch_knowledge",
  "raw_numeric_state_variables",
  "coordinator_strategy",
] as const;

/** What the character saw happen, with packet-local ids only (AE-027). */
export interface ObservedEvent {
  readonly event_id: string;
  readonly actor_agent_id: string;
  readonly observable_action: string;
  readonly spoken_text: string;
  readonly visible_object_refs: readonly string[];
  readonly visibility_notes: readonly string[];
}

/** A short passage with its source (AE-028). */
export interface SourceExcerpt {
  readonly ref_id: string;
  readonly source_ref: string;
  readonly text: string;
}

/**
 * A live packet under the field names that others read (AE-024…AE-033, AE-035…AE-038, TR-038). Review and fixture fields are
 * added when it is saved as a capture.
 */
export interface LivePacket {
  readonly schema_version: typeof PACKET_SCHEMA;
  readonly packet_id: string;
  readonly responder_agent_id: CharacterId;
  readonly generation_lane: "packet_only";
  readonly lore_access: {
    readonly mode: "curated_excerpts_only";
    readonly allowed_scope: readonly string[];
    readonly required_provenance: true;
  };
  readonly visible_context: {
    readonly local_context_prompt: string;
    readonly observed_event: ObservedEvent;
    readonly allowed_action_labels: readonly ActionLabel[];
    readonly source_excerpts: readonly SourceExcerpt[];
  };
  readonly output_contract: {
    readonly response_schema: string;
    readonly required_fields: readonly string[];
    readonly response_rules: readonly string[];
  };
  /** Refs and classes only, never what was withheld (AE-030). */
  readonly hidden_context_audit: {
    readonly omitted_context_refs: readonly string[];
    readonly forbidden_inference_classes: readonly string[];
    readonly known_absences: readonly string[];
  };
  readonly isolation_requirements: {
    readonly isolation_method: "external_model_packet_only";
    readonly packet_only: true;
    readonly no_repo_access: true;
    readonly no_conversation_context: true;
    readonly no_hidden_state_refs: true;
  };
  /** System text, a blank line, prompt text: all that the model gets (AE-035). */
  readonly packet_prompt_text: string;
}

/** An item that a packet does not hold: its id and why (AE-030). */
export interface Withheld {
  readonly ref: string;
  readonly class: string;
}

const CARD = Symbol("card");

/** The part of a character's card that only the character knows. */
export interface CardSecrets {
  readonly id: CharacterId;
  /** Fiction that visitors may talk out of the character (SE-088). */
  readonly private: string;
}

/**
 * Text of kind `private`: the one exception to TR-030. Made from a card by {@link privateSegment} and from nothing else; there
 * is no way to it from conversation, session, configuration values or people (SE-088).
 */
export class PrivateSegment {
  readonly kind = "private";
  readonly source: `card:${CharacterId}`;
  readonly text: string;
  readonly #mark = true;

  constructor(mint: symbol, card: CardSecrets, text: string) {
    if (mint !== CARD || new.target !== PrivateSegment)
      throw new RuntimeError("forged", "Cannot make a private segment: it comes from a card only");
    this.source = `card:${card.id}`;
    this.text = text;
    Object.freeze(this);
  }

  /** Whether it is a genuine one. */
  static is(value: Segment): boolean {
    return #mark in value && value.#mark;
  }
}

/** Write a card's private text as one data line that ends with a line break. */
export function privateSegment(card: CardSecrets): PrivateSegment {
  return new PrivateSegment(CARD, card, `${dataLine({ private: card.private })}\n`);
}

/** A run of prompt text that names where it comes from. Segments in order are the whole text, without gaps. */
export type Segment =
  | PrivateSegment
  /** The runtime's own words. */
  | { readonly kind: "scaffold"; readonly source: "runtime"; readonly text: string }
  /** What a card shows to everybody. */
  | { readonly kind: "card"; readonly source: `card:${CharacterId}`; readonly text: string }
  /** The place's own name and how many are there. */
  | { readonly kind: "place"; readonly source: "place"; readonly text: string }
  /** One visible line; the source is the event's real id and never stands in the text. */
  | { readonly kind: "conversation" | "observed"; readonly source: `event:${MessageId}`; readonly text: string };

/** Names by which a packet's speakers may be told apart in an answer (case 49). */
export interface Speakers {
  /** The character's own name and aliases. */
  readonly own: readonly string[];
  /** Display names and labels of everyone else in the packet. */
  readonly others: readonly string[];
}

/** Everything one call of the responder needs, and what `why`, delivery gate and labels need to know of it. */
export interface BuiltPacket {
  readonly packet: LivePacket;
  /** Role frame and card: the same bytes for every packet of a character with the same contract. */
  readonly system: string;
  /** The rest, volatile facts last. */
  readonly prompt: string;
  readonly contract: "lean" | "plain";
  readonly maxOutputTokens: number;
  readonly record: PacketRecord;
  /** System segments, then prompt segments; together they are `packet.packet_prompt_text`. */
  readonly segments: readonly Segment[];
  /** Whose words stand in the prompt: the influence of whatever is answered (SE-080). Sorted, without repeats. */
  readonly influence: readonly Influence[];
  readonly speakers: Speakers;
  /** The runtime's own sentences: the gate looks for echoes of them. */
  readonly scaffold: readonly string[];
  /** Text that no honest answer holds: the fence (SE-093). */
  readonly canaries: readonly string[];
  /** The visible conversation as one text: what stands there is never a finding (SE-093). */
  readonly visibleText: string;
}
