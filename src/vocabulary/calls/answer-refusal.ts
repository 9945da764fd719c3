/** Why an answer to a question is not taken. */
export type AnswerRefusal = "not_found" | "not_waiting" | "wrong_line" | "show_first" | "scope" | "code" | "wrong_code" | "code_over";

/** What whoever gave it is told. */
export const REFUSED_ANSWERS: Readonly<Record<AnswerRefusal, string>> = {
  not_found: "No question of that number waits for you.",
  not_waiting: "That question waits no more.",
  wrong_line: "That question is answered at the own machine only.",
  show_first: "That question is answered at the own machine only, after all of it was shown: troupe approvals.",
  scope: "That was not offered with this question.",
  code: "That question is allowed with its code alone, which was sent with it.",
  wrong_code: "That is not its code.",
  code_over: "Its code counts no more: it ran out, was tried too often, or was of an earlier start. Ask for it again.",
};
