import { RuntimeError } from "../foundation/errors.ts";
import type { Branded } from "./branded.ts";

/** Name of a configured surface (`surfaces.parlour`): a lower-case word. */
export type SurfaceName = Branded<string, "SurfaceName">;
/** Name of a configured character (`characters.mirelle`): a lower-case word. */
export type CharacterId = Branded<string, "CharacterId">;
/** Our id of one inbound message (`m-…`). It names the event, the inbox row and the decision alike; `troupe why` takes it. */
export type MessageId = Branded<string, "MessageId">;
/** One run of a voice (`t-…`). */
export type TurnId = Branded<string, "TurnId">;
/** One outgoing part (`<turn id>.<index>`): deterministic, so that a platform can deduplicate on it (TR-042). */
export type PartId = Branded<string, "PartId">;
/** A question that waits for a person (`a-…`). */
export type ApprovalId = Branded<string, "ApprovalId">;
/** An invite into a room (`i-…`). It is no secret: what opens the door is its code. */
export type InviteId = Branded<string, "InviteId">;

/** A conversation of an agent with its history (`s-…`). */
export type SessionId = Branded<string, "SessionId">;
/** Something that happens by the clock (`c-…`). */
export type ScheduleId = Branded<string, "ScheduleId">;
/** An operator's word that a schedule may do named things (`g-…`). */
export type GrantId = Branded<string, "GrantId">;

const WORD = /^[a-z][a-z0-9_-]{0,39}$/;
const OWN_ID = /^[a-z]-[0-9a-z]{4,32}$/;

function parse(text: string, rule: RegExp, what: string): string {
  if (!rule.test(text)) throw new RuntimeError("invalid_argument", `Cannot read a ${what}: it must match ${rule.source}`);
  return text;
}

/* oxlint-disable no-unsafe-type-assertion -- each line below is its brand's own mint */
/** Check and brand a surface's name. @throws RuntimeError `invalid_argument` unless it is a word of 1 to 40 of `a-z 0-9 _ -` that starts with a letter. */
export const parseSurfaceName = (text: string): SurfaceName => parse(text, WORD, "surface name") as SurfaceName;
/** Check and brand a character's name. @throws RuntimeError `invalid_argument` unless it is a word of 1 to 40 of `a-z 0-9 _ -` that starts with a letter. */
export const parseCharacterId = (text: string): CharacterId => parse(text, WORD, "character name") as CharacterId;
/** Check and brand a message id. @throws RuntimeError `invalid_argument` */
export const parseMessageId = (text: string): MessageId => parse(text, OWN_ID, "message id") as MessageId;
/** Check and brand a turn id. @throws RuntimeError `invalid_argument` */
export const parseTurnId = (text: string): TurnId => parse(text, OWN_ID, "turn id") as TurnId;
/** Check and brand an approval id. @throws RuntimeError `invalid_argument` */
export const parseApprovalId = (text: string): ApprovalId => parse(text, OWN_ID, "approval id") as ApprovalId;
/** Check and brand an invite's id. @throws RuntimeError `invalid_argument` */
export const parseInviteId = (text: string): InviteId => parse(text, OWN_ID, "invite's id") as InviteId;
/** Check and brand a session's id. @throws RuntimeError `invalid_argument` */
export const parseSessionId = (text: string): SessionId => parse(text, OWN_ID, "session's id") as SessionId;
/** Check and brand a schedule's id. @throws RuntimeError `invalid_argument` */
export const parseScheduleId = (text: string): ScheduleId => parse(text, OWN_ID, "schedule's id") as ScheduleId;
/** Check and brand a grant's id. @throws RuntimeError `invalid_argument` */
export const parseGrantId = (text: string): GrantId => parse(text, OWN_ID, "grant's id") as GrantId;
/** The id of part `index` (from 0) of a turn. */
export const partIdOf = (turn: TurnId, index: number): PartId => `${turn}.${index}` as PartId;
/* oxlint-enable no-unsafe-type-assertion */
