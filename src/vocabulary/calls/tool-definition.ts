import type { Reader } from "../label.ts";

/** What a call of a tool is, as far as it can hurt: a turn that has all three needs a person (Rule of Two). */
export interface ToolClasses {
  /** Its output may hold words that are nobody's of the turn: chat, web, mail, other people's files. */
  readonly untrusted: boolean;
  /** It reads what not everybody may know. */
  readonly sensitive: boolean;
  /** What it leaves changed: nothing, something of the operator's own, or something that others see. */
  readonly changes: "nothing" | "state" | "outward";
}

/**
 * What a tool is a case of; who may have it at which assurance stands in the authority's matrix (SE-081, TR-013).
 * `read` and `change` stay with the caller's own line; `world` acts where others are; `schedule` acts later, when nobody is there.
 */
export const TOOL_CAPABILITIES = [
  "read",
  "change",
  "session",
  "memory",
  "files",
  "processes",
  "config",
  "world",
  "speak",
  "schedule",
] as const;
/** One of {@link TOOL_CAPABILITIES}. */
export type ToolCapability = (typeof TOOL_CAPABILITIES)[number];

/** What calls draw on beside their number (MC-041, TR-058). */
export const TOOL_RESOURCES = ["inventory", "uploads", "movement", "building", "money"] as const;
/** One of {@link TOOL_RESOURCES}. */
export type ToolResource = (typeof TOOL_RESOURCES)[number];

/** Bits that one turn may learn of texts that it has not read (SE-091). */
export const TURN_BITS = 64;

/** Where a call's words go when they leave the session. */
export interface Reach {
  /** Who reads there. */
  readonly reader: Reader;
  /** The destination's own id: one the turn was given or the operator typed, else the call is denied (SE-083). */
  readonly destination: string;
  /** How people know that place; foreign text, shown as such. */
  readonly shown: string;
}

/** What the authority must know of one call beside its arguments; absent fields say nothing of the kind. */
export interface CallFacts {
  readonly reach?: Reach;
  /** Real path of the folder it works in. */
  readonly folder?: string;
  /** Real paths of what it reads or writes. */
  readonly paths?: readonly string[];
  /** SHA-256 of every file it would execute, by real path. */
  readonly executes?: Readonly<Record<string, string>>;
  /** Whether what it does is not wholly said by its arguments. */
  readonly dynamic?: boolean;
  /** How much of others' words its result can tell at most, in bits; a turn has {@link TURN_BITS} (SE-091). */
  readonly bits?: number;
  /** How much it draws on resources. */
  readonly draws?: Readonly<Partial<Record<ToolResource, number>>>;
}

/** How long an answer to a question about a call may count. */
export const ASK_SCOPES = ["once", "session", "always"] as const;
/** `once`: this call. `session`: exactly this call, as long as the session lasts. `always`: exactly this call, by this character. */
export type AskScope = (typeof ASK_SCOPES)[number];

/** A tool as the authority judges it; its body stands elsewhere and is reached by an authorised action alone. */
export interface ToolDefinition {
  /** A word of `a-z 0-9 _`. */
  readonly name: string;
  /** One sentence for the model. */
  readonly description: string;
  /** JSON Schema of its arguments, for the model. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly capability: ToolCapability;
  readonly classes: ToolClasses;
  /** What becomes of a call that nothing speaks against. */
  readonly verdict: "allow" | "ask";
  /** Scopes that a question about it may offer beside `once`. */
  readonly scopes: readonly Exclude<AskScope, "once">[];
  /**
   * What follows from a call of these arguments, as the runtime reckons it at a moment: shown on its card beside the bytes, each one line.
   * Nothing runs by it. Absent where the bytes say all.
   */
  readonly foretell?: (value: unknown, nowMs: number) => readonly string[];
  /** The arguments as the schema has them, and what they amount to; null when they break it. Must depend on its argument alone. */
  readonly check: (value: unknown) => CallFacts | null;
}
