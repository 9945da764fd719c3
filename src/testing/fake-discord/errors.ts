/** Errors of Discord that a bot meets, with the sentence and status that come with each. */
export const DISCORD_ERRORS: Readonly<Record<number, { readonly status: number; readonly message: string }>> = {
  0: { status: 401, message: "401: Unauthorized" },
  10003: { status: 404, message: "Unknown Channel" },
  10004: { status: 404, message: "Unknown Guild" },
  10008: { status: 404, message: "Unknown Message" },
  10013: { status: 404, message: "Unknown User" },
  10015: { status: 404, message: "Unknown Webhook" },
  10062: { status: 404, message: "Unknown interaction" },
  20016: { status: 429, message: "This action cannot be performed due to slowmode rate limit" },
  20028: { status: 429, message: "The channel you are writing has hit the write rate limit" },
  30046: { status: 429, message: "Maximum number of edits to messages older than 1 hour reached. Try again later" },
  40001: { status: 401, message: "Unauthorized. Provide a valid token and try again" },
  40003: { status: 429, message: "You are opening direct messages too fast" },
  40060: { status: 400, message: "Interaction has already been acknowledged." },
  40333: { status: 403, message: "internal network error" },
  50001: { status: 403, message: "Missing Access" },
  50006: { status: 400, message: "Cannot send an empty message" },
  50007: { status: 403, message: "Cannot send messages to this user" },
  50008: { status: 400, message: "Cannot send messages in a non-text channel" },
  50013: { status: 403, message: "You lack permissions to perform that action" },
  50027: { status: 401, message: "Invalid Webhook Token" },
  50035: { status: 400, message: "Invalid Form Body" },
  50278: { status: 403, message: "Cannot send messages to this user due to having no mutual guilds" },
  160002: { status: 400, message: "You cannot reply without permission to read message history" },
  160005: { status: 400, message: "Thread is locked" },
};

/** An error that a route answers with. */
export class DiscordFailure {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly errors: object | undefined;
  /** Seconds to wait, where the platform says so. */
  readonly retryAfterS: number | null;

  constructor(code: number, errors?: object, retryAfterS: number | null = null) {
    const known = DISCORD_ERRORS[code];
    this.status = known?.status ?? 400;
    this.code = code;
    this.message = known?.message ?? "Unknown Error";
    this.errors = errors;
    this.retryAfterS = retryAfterS;
  }
}
