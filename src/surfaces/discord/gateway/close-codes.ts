/** What follows from the code a connection was closed with. */
export type CloseMeaning =
  /** Connecting again would be refused again; a person has to do something. */
  | { readonly kind: "blocked"; readonly reason: BlockedReason }
  /** The session is gone: begin a new one. */
  | { readonly kind: "begin" }
  /** The session can be taken up again. */
  | { readonly kind: "resume" };

/** Why a bot is stopped until a person does something, as a code. */
export type BlockedReason =
  | "token_rejected"
  | "user_token"
  | "closed_4010"
  | "closed_4011"
  | "closed_4012"
  | "closed_4013"
  | "closed_4014"
  | "gateway_refused";

const BLOCKED: Readonly<Record<number, BlockedReason>> = {
  4004: "token_rejected",
  4010: "closed_4010",
  4011: "closed_4011",
  4012: "closed_4012",
  4013: "closed_4013",
  4014: "closed_4014",
};
/** 1000 and 1001 end a session; 4003, 4005, 4007 and 4009 say that it is not what the other end has. */
const BEGIN: ReadonlySet<number> = new Set([1000, 1001, 4003, 4005, 4007, 4009]);

/** Say what a close code means. Whatever is not known is a lost connection. */
export function closeMeaning(code: number): CloseMeaning {
  const reason = BLOCKED[code];
  if (reason !== undefined) return { kind: "blocked", reason };
  return BEGIN.has(code) ? { kind: "begin" } : { kind: "resume" };
}

/** What a person has to do about it, in one sentence each. */
export const CURES: Readonly<Record<BlockedReason, string>> = {
  token_rejected: "Discord rejected the bot's token: copy a fresh one from the developer portal (Bot, Reset Token) and start again",
  user_token: "the token is a person's, not a bot's: Discord forbids running those; make an application with a bot and use its token",
  closed_4010: "Discord refused the shard number: this is a fault of Troupe, please report it",
  closed_4011: "the bot is in too many servers for one connection: Troupe runs bots in up to 2,500 servers",
  closed_4012: "Discord no longer takes this version of its interface: update Troupe",
  closed_4013: "Discord refused what the bot asked to hear: this is a fault of Troupe, please report it",
  closed_4014:
    "the bot asks to read messages and may not: switch on Message Content Intent in the developer portal (Bot), or write context_messages: 0",
  gateway_refused: "the server named a gateway that the token is not sent to; check api_base",
};
