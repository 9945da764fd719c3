import type { Notice } from "../../../../observe/notices.ts";
import { count } from "./numbers.ts";

/** A notice in one sentence; `ids` and numbers stand beside it. */
export function noticeWords({ kind, count: times, counts }: Notice): string {
  switch (kind) {
    case "approval":
      return `${count(times, "question")} waited for an answer.`;
    case "loop":
      return `${count(times, "place")} went silent: no person took part in the talk. A line by a person starts it again.`;
    case "budget":
      return budget(counts);
    case "surface_blocked":
      return "A platform refused the account. It won’t try again by itself.";
    case "context_off":
      return "Discord withholds the talk around: a bot may hear only what names it. Its “message content” intent is off.";
    case "host_down":
      return "A model’s host stopped answering. Only the next of models.default stands in for it.";
    case "host_up":
      return "A model’s host answers again.";
    case "truncated_window":
      return "A prompt did not fit the model’s window: it was made shorter, or its answer was not used.";
    case "restart_summary":
      return `Started again: ${restart(counts)}.`;
    case "somebody_tried":
      return `${count(times, "line")} by people who may not talk here.`;
    case "voice_stopped":
      return "A character was stopped: its packet held what it must not.";
  }
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
  return kind === "host_down" || kind === "surface_blocked" || kind === "voice_stopped";
}
