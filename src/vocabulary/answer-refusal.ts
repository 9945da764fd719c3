/** Why an answer to a question is not taken. */
export type AnswerRefusal = "not_found" | "not_waiting" | "wrong_line" | "show_first" | "scope";

/** What whoever gave it is told. */
export const REFUSED_ANSWERS: Readonly<Record<AnswerRefusal, string>> = {
  not_found: "No question of that number waits for you.",
  not_waiting: "That question waits no more.",
  wrong_line: "That question is answered at the own machine only.",
  show_first: "That question is answered at the own machine only, after all of it was shown: troupe approvals.",
  scope: "That was not offered with this question.",
};
