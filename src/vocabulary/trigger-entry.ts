/** One message that was said before a trigger. */
export interface TriggerContextLine {
  readonly id: string;
  /** Null for the bot itself. */
  readonly authorId: string | null;
  readonly authorName: string;
  readonly content: string;
  readonly timestamp: string;
}

/** One message of a trusted person that called a bot, under the names that others know its fields by (VS-026). */
export interface TriggerEntry {
  /** The platform's id of the message. */
  readonly id: string;
  readonly channelId: string;
  /** Absent for a private line. */
  readonly guildId?: string;
  readonly authorId: string;
  /** The account's own name, which is data and no identity. */
  readonly authorName: string;
  /** As it was written. */
  readonly content: string;
  /** When it was written, in ISO 8601. */
  readonly timestamp: string;
  readonly trusted: boolean;
  /** The words of the command; only where it is one. */
  readonly command?: string;
  /** What was said before it, oldest first; only where it called the bot by a mention. */
  readonly context?: readonly TriggerContextLine[];
}
