import assert from "node:assert/strict";
import { test } from "node:test";
import { isRuntimeError } from "../../foundation/errors.ts";
import type { ApprovalAnswer } from "./approval-answer.ts";
import { answerText, parseAnswer, toldAnswer } from "./approval-answer.ts";
import { parseApprovalId, parseGrantId } from "../ids.ts";

test("SE-084 an answer is read as it was kept, and anything else is none", () => {
  const answer: ApprovalAnswer = { approval: parseApprovalId("a-0001"), answer: "allow", scope: "session" };
  assert.deepEqual(parseAnswer(answerText(answer)), answer);
  const denial: ApprovalAnswer = { ...answer, answer: "deny", scope: "once" };
  assert.deepEqual(parseAnswer(toldAnswer(answerText(denial), "oat milk; please")), { ...denial, reason: "oat milk; please" });
  assert.deepEqual(parseAnswer(toldAnswer(answerText(denial), undefined)), denial);
  assert.deepEqual(parseAnswer(`${answerText(denial)}; \u0000\n `), denial);
  for (const text of [
    `${answerText(answer)}; hurry`,
    "",
    "yes",
    "allow",
    "allow once",
    "allow forever a-0001",
    "allow once a-0001 ",
    "allow once m-0001",
    "ALLOW once a-0001",
  ])
    assert.throws(
      () => parseAnswer(text),
      (error) => isRuntimeError(error, "invalid_argument"),
      text,
    );
  assert.throws(
    () => parseGrantId("a-0001 "),
    (error) => isRuntimeError(error, "invalid_argument"),
  );
});
