import { isRuntimeError } from "../../foundation/errors.ts";
import type { OwnerCommand } from "../../vocabulary/owner-command.ts";
import type { Operations } from "../operations.ts";
import type { OwnerOf } from "../owner/owner-operation.ts";
import { ownTexts } from "../own/own-texts.ts";
import type { Typist } from "./chat.ts";

/** How each command is said. */
const EXAMPLES: Readonly<Record<OwnerCommand["name"], string>> = {
  whitelist: "whitelist list · whitelist add @somebody · whitelist remove @somebody",
  config: "config · config defaultMode dm · config sensitiveCommands whitelist config · config overrides about=dm",
};

/** The commands of a bot's owner: a face that holds no logic beside finding their arguments. */
export interface OwnerChatFace {
  /** The answer's words; to everybody but the owner one fixed refusal, before the words are looked at (VS-045). @throws RuntimeError what the operation throws. */
  answer(command: OwnerCommand, by: Typist, signal: AbortSignal): Promise<string>;
}

/** Make the face over the owner's operations. Another operator passes their gate for roles, so who the owner is stands before it. */
export function createOwnerChatFace(operations: Operations, owner: OwnerOf): OwnerChatFace {
  return {
    async answer(command, { actor, said }, signal) {
      if (actor.principal !== owner()) return ownTexts(said.language).notYours;
      try {
        const result = await operations.say(command.name, argumentsOf(command), { actor, said }, signal);
        const { lines } = operations.present(command.name, result);
        return lines.map(({ text }) => text).join("\n");
      } catch (error) {
        const texts = ownTexts(said.language);
        if (isRuntimeError(error, "forbidden")) return texts.notYours;
        if (isRuntimeError(error, "usage")) return texts.notSo(EXAMPLES[command.name]);
        throw error;
      }
    },
  };
}

function argumentsOf({ name, words }: OwnerCommand): Readonly<Record<string, unknown>> {
  const [first, ...rest] = words;
  if (name === "whitelist") return { action: first?.toLowerCase(), accounts: rest };
  return { ...(first === undefined ? {} : { key: first }), value: rest };
}
