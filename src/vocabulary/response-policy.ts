/** Where a reply goes: to the place that was spoken in, or to the person's own line and nowhere else. */
export const RESPONSE_MODES = ["channel", "dm"] as const;
/** One of {@link RESPONSE_MODES}. */
export type ResponseMode = (typeof RESPONSE_MODES)[number];

/** Entries that each list of a policy may have. */
export const MAX_POLICY_ENTRIES = 32;

/** Where the replies of one bot go, as its owner set it (VS-017…VS-019). */
export interface ResponsePolicy {
  /** Of every reply, a character's answers included. */
  readonly defaultMode: ResponseMode;
  /** Commands that are always answered by `dm`. */
  readonly sensitiveCommands: readonly string[];
  /** Commands with a mode of their own. */
  readonly overrides: ReadonlyMap<string, ResponseMode>;
}

const SENSITIVE: readonly string[] = ["whitelist", "config"];

/** The policy of a bot whose owner has set none. */
export const STANDARD_POLICY: ResponsePolicy = { defaultMode: "channel", sensitiveCommands: SENSITIVE, overrides: new Map() };

/** What holds where the kept policy cannot be read: nothing goes where others read it until somebody has looked (VS-043). */
export const UNREADABLE_POLICY: ResponsePolicy = { defaultMode: "dm", sensitiveCommands: SENSITIVE, overrides: new Map() };

/** Where the reply to a command goes, or to talk where `command` is null: an override, else the sensitive list, else the default (VS-020). */
export function responseMode({ defaultMode, sensitiveCommands, overrides }: ResponsePolicy, command: string | null): ResponseMode {
  if (command === null) return defaultMode;
  return overrides.get(command) ?? (sensitiveCommands.includes(command) ? "dm" : defaultMode);
}

/** Whether a text may stand for a command in a policy. */
export function isCommandName(text: string): boolean {
  return /^[a-z][a-z-]{0,30}$/.test(text);
}
