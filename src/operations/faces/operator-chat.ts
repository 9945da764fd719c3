import { isRuntimeError } from "../../foundation/errors.ts";
import { NOT_YOURS } from "../order/not-yours.ts";
import type { Operations } from "../operations.ts";
import type { ChatFace } from "./chat.ts";
import { createChatFace } from "./chat.ts";

/** What operators say on their own line beside talk. */
const NAMES: readonly string[] = ["approvals", "sessions", "halt"];

/**
 * The commands of operators on their own lines (SE-081): the same ones that their own machine has, judged by the line they are said on.
 * What was called wrongly or cannot be done is told; to whoever may not they are nothing.
 */
export function createOperatorChatFace(operations: () => Operations): ChatFace {
  return {
    has: (name) => NAMES.includes(name),
    async answer(typed, by, signal) {
      try {
        return await createChatFace(operations()).answer(typed, by, signal);
      } catch (error) {
        if (isRuntimeError(error, "forbidden") && by.actor.role !== "operator") return NOT_YOURS;
        if (isRuntimeError(error, "usage") || isRuntimeError(error, "not_found") || isRuntimeError(error, "forbidden"))
          return error.message;
        throw error;
      }
    },
  };
}
