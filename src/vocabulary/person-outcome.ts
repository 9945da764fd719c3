import type { SuppressReason } from "./inbound.ts";
import type { PersonOutcome } from "./outcome.ts";
import type { InboxEnd } from "./turn.ts";

/**
 * What a person is told when an own message went no further (SE-094). Closed: a new reason does not compile without a line
 * here. Whatever says something about roles, trust or mutes reads `not_addressed`. `resting` rests on that person's budget or
 * the room's flag alone; `overflow` may be other people's load, so it reads `interrupted`: ask again, and nothing about who
 * else is here.
 */
const OF_SUPPRESSION: Readonly<Record<SuppressReason, PersonOutcome>> = {
  self: "not_addressed",
  object: "not_addressed",
  system: "not_addressed",
  muted: "not_addressed",
  blocked: "not_addressed",
  typing: "not_addressed",
  group: "not_addressed",
  malformed: "not_addressed",
  oversized: "too_long",
  duplicate: "not_addressed",
  reflection: "not_addressed",
  ambient: "not_addressed",
  untrusted: "not_addressed",
  bot: "not_addressed",
  loop: "not_addressed",
  budget: "resting",
  overflow: "interrupted",
  silent_space: "not_addressed",
  stale: "interrupted",
  stopped: "resting",
};

/** Why a turn ended that its own person stopped: to that person there is nothing to tell. */
export const OWN_STOP = "own_stop";

const OF_END: Readonly<Record<InboxEnd, PersonOutcome>> = {
  answered: "answered",
  silent: "answered",
  refused: "interrupted",
  failed: "interrupted",
  cancelled: "interrupted",
  interrupted: "interrupted",
  expired: "interrupted",
};

/** What the sender is told of a suppressed message. */
export function outcomeOfSuppression(reason: SuppressReason): PersonOutcome {
  return OF_SUPPRESSION[reason];
}

/**
 * What the sender is told of an admitted message: `waiting` while `end` is null; a turn refused for a budget, and a line that
 * waited when its talk was paused, are `resting`.
 */
export function outcomeOfEnd(end: InboxEnd | null, reason: string | null): PersonOutcome {
  if (end === null) return "waiting";
  const rests = (end === "refused" && (reason === "budget" || reason === "budget_spent")) || (end === "cancelled" && reason === "paused");
  return rests ? "resting" : OF_END[end];
}
