import type { Notice } from "../../../../observe/notices.ts";
import { count } from "./numbers.ts";

/** Each kind of notice in one sentence. */
const WORDS: Readonly<Record<Notice["kind"], (times: number, counts: Notice["counts"]) => string>> = {
  approval: (times) => `${count(times, "question")} waited for an answer.`,
  asks_spent: (times) =>
    `${count(times, "turn")} wanted more questions than a turn with others’ words may ask. Nobody was asked further; whose words: beside this.`,
  loop: (times) => `${count(times, "place")} went silent: no person took part in the talk. A line by a person starts it again.`,
  budget: (_, counts) => budget(counts),
  surface_blocked: () => "A platform refused the account. It won’t try again by itself.",
  context_off: () => "Discord withholds the talk around: a bot may hear only what names it. Its “message content” intent is off.",
  direct_failed: (times) => `${count(times, "answer")} could not be given in private, and went nowhere else.`,
  policy_unreadable: () => "Where a bot’s replies go cannot be read: all go in private until it is set anew with troupe set-policy.",
  host_down: () => "A model’s host stopped answering. Only the next of models.default stands in for it.",
  host_up: () => "A model’s host answers again.",
  truncated_window: () => "A prompt did not fit the model’s window: it was made shorter, or its answer was not used.",
  restart_summary: (_, counts) => `Started again: ${restart(counts)}.`,
  somebody_tried: (times) => `${count(times, "line")} by people who may not talk here.`,
  hook: () => "A hook of yours has something to say, or cannot be used. See: troupe hooks.",
  voice_stopped: () => "A character was stopped: its packet held what it must not.",
};

/** A notice in one sentence; `ids` and numbers stand beside it. */
export function noticeWords({ kind, count: times, counts }: Notice): string {
  return WORDS[kind](times, counts);
}

/** Four fifths and the end may be one notice: then the end is what counts. */
function budget({ spent = 0 }: Notice["counts"]): string {
  return spent > 0
    ? "A day’s budget is used up. Nothing more is asked of a model until it opens again."
    : "Four fifths of a day’s budget are used.";
}

function restart(counts: Notice["counts"]): string {
  const parts = Object.entries(counts).map(([name, value]) => `${value} ${name.replaceAll("_", " ")}`);
  return parts.length === 0 ? "nothing was left open" : parts.join(", ");
}

/** Whether a notice wants something of whoever reads it. */
export function isUrgent({ kind, counts }: Pick<Notice, "kind" | "counts">): boolean {
  if (kind === "budget") return (counts["spent"] ?? 0) > 0;
  return kind === "host_down" || kind === "surface_blocked" || kind === "voice_stopped" || kind === "policy_unreadable";
}
