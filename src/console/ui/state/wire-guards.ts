import type {
  ApiError,
  DoorAnswer,
  ExchangeAnswer,
  InviteAnswer,
  JoinAnswer,
  LinesPage,
  OperatorWhyView,
  RedeemAnswer,
  SayAnswer,
  StreamEvent,
  WhyView,
} from "../../../surfaces/room/protocol.ts";

/*
 * What comes over the wire is checked for the shape that tells one answer from another. The rest is taken as the protocol
 * says it: page and server are of one build and one origin, and text is only ever shown as text.
 */

const EVENTS = new Set(["snapshot", "line", "part", "outcome", "people", "typing", "room", "beat", "end"]);

/** Whether a value is an object with string keys. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function hasText(value: unknown, ...names: readonly string[]): boolean {
  return isRecord(value) && names.every((name) => typeof value[name] === "string");
}

/** Whether it is an event of a known type; a type of a newer server is skipped, not guessed. */
export function isStreamEvent(value: unknown): value is StreamEvent {
  return isRecord(value) && typeof value["type"] === "string" && EVENTS.has(value["type"]);
}

/** Whether it is what a failed request answers. */
export function isApiError(value: unknown): value is ApiError {
  return hasText(value, "code", "message");
}

/** Whether it is a new membership. */
export function isJoinAnswer(value: unknown): value is JoinAnswer {
  return hasText(value, "id", "name", "secret");
}

const INVITE_ENDS = new Set<unknown>(["used", "expired", "revoked", "unknown"]);

/** Whether it says what an invite is good for. */
export function isInviteAnswer(value: unknown): value is InviteAnswer {
  if (!isRecord(value)) return false;
  return (
    INVITE_ENDS.has(value["state"]) ||
    (value["state"] === "open" && hasText(value, "name", "title") && typeof value["untilMs"] === "number")
  );
}

/** Whether it says what using an invite came to. */
export function isRedeemAnswer(value: unknown): value is RedeemAnswer {
  return isRecord(value) && (INVITE_ENDS.has(value["state"]) || (value["state"] === "joined" && isJoinAnswer(value)));
}

/** Whether it is a session of the console. */
export function isExchangeAnswer(value: unknown): value is ExchangeAnswer {
  return hasText(value, "token");
}

/** Whether it says which door this is. */
export function isDoorAnswer(value: unknown): value is DoorAnswer {
  return isRecord(value) && (value["door"] === "room" || value["door"] === "console");
}

/** Whether it is a page of lines. */
export function isLinesPage(value: unknown): value is LinesPage {
  return isRecord(value) && Array.isArray(value["lines"]) && isRecord(value["place"]);
}

/** Whether it says that a line is kept. */
export function isSayAnswer(value: unknown): value is SayAnswer {
  return hasText(value, "lineId") && isRecord(value) && isRecord(value["own"]);
}

/** Whether it is an answer to "why", of either face. */
export function isWhyView(value: unknown): value is WhyView | OperatorWhyView {
  return hasText(value, "lineId", "outcome");
}

/** Whether an answer to "why" is the operator's. */
export function isOperatorWhy(why: WhyView | OperatorWhyView): why is OperatorWhyView {
  return "explanation" in why;
}

/** Whether nothing is left of a 204. */
export function isNothing(value: unknown): value is null {
  return value === null;
}
