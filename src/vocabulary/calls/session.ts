import type { ToolCall } from "./agent-model.ts";
import type { CharacterId, MessageId, SessionId } from "../ids.ts";
import type { PlaceId } from "../place.ts";
import type { PrincipalId } from "../principal.ts";

/** The hard ceilings of sessions (TR-043, TR-057). A history is never shortened: one that is full takes no more. */
export const SESSION_CEILINGS = {
  /** Entries of one history. */
  entries: 65_536,
  /** Bytes of one history. */
  bytes: 33_554_432,
  /** Bytes of one entry. */
  entryBytes: 262_144,
  /** Sessions that are kept, the one in use of each line among them. */
  sessions: 500,
  /** Notes of one session. */
  notes: 64,
  /** Bytes of one note. */
  noteBytes: 16_384,
} as const;

/**
 * How a call ended: it ran (`ok`, `error`), was refused (`denied`), was cut short by its person (`stopped`), was cut off before it
 * took effect (`interrupted`), or was cut off while it ran (`unknown`): then nobody can tell whether it took effect. `waiting`
 * stands for one whose question is open while the line goes on; what becomes of it follows.
 */
export const RESULT_STATUSES = ["ok", "error", "denied", "stopped", "interrupted", "unknown", "waiting"] as const;
/** One of {@link RESULT_STATUSES}. */
export type ResultStatus = (typeof RESULT_STATUSES)[number];

/** What one entry of a history says. What a model is sent is made of these alone, so that the same history is the same bytes. */
export type EntryBody =
  /** Words of a person, or of a schedule that a person made. `by` is the line they stand in. */
  | { readonly kind: "said"; readonly text: string; readonly by: MessageId }
  /** A model's answer, with the calls it asks for under ids of this session. */
  | { readonly kind: "answered"; readonly text: string; readonly calls: readonly ToolCall[] }
  /** A call begins to run; kept before it does. No model sees this. */
  | { readonly kind: "begun"; readonly call: string }
  /** What came of a call; a second one of the same call follows one that was `waiting`. */
  | { readonly kind: "result"; readonly call: string; readonly name: string; readonly text: string; readonly status: ResultStatus }
  /** A word of the runtime to the model. */
  | { readonly kind: "note"; readonly text: string };

/** An entry that is to be kept. */
export interface NewEntry {
  readonly body: EntryBody;
  /** The message whose turn it belongs to, through every question and every start; null for none. */
  readonly root: MessageId | null;
  /** Whose words may have shaped it and who may read what is made of it, as text (SE-080). */
  readonly label: string;
}

/** One entry as it is kept. */
export interface SessionEntry extends NewEntry {
  /** From 1, without gaps. */
  readonly seq: number;
  readonly atMs: number;
}

/** What is known of a session beside its history. */
export interface SessionFacts {
  readonly id: SessionId;
  readonly character: CharacterId;
  readonly person: PrincipalId;
  /** The direct line that it is of. */
  readonly place: PlaceId;
  readonly createdAtMs: number;
  readonly usedAtMs: number;
  /** Whether the line goes on in it. */
  readonly current: boolean;
  /** The last entry; 0 for none. */
  readonly last: number;
  readonly bytes: number;
  /** The session that it goes on from, and up to which entry; null when it began empty. */
  readonly parent: { readonly id: SessionId; readonly upTo: number } | null;
}

/** A note that an agent keeps in its session. */
export interface SessionNote {
  readonly name: string;
  readonly text: string;
  readonly atMs: number;
  /** As that of an entry. */
  readonly label: string;
}
