import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { Command, SaidLine } from "../operation.ts";
import type { Operations } from "../operations.ts";
import { ownTexts } from "../own/own-texts.ts";

/** A command as it was typed: its name, and what stands behind it. */
export interface TypedCommand {
  readonly name: string;
  readonly rest: string;
}

/** Who typed it, and on which line. */
export interface Typist {
  readonly actor: OriginFacts;
  readonly said: SaidLine;
}

/** The commands of chat (TR-009): a face that holds no logic beside finding them and their arguments. */
export interface ChatFace {
  has(name: string): boolean;
  /** The answer's words. What is called wrongly is answered with how it is said. @throws RuntimeError `not_found` for an unknown name, or what the operation throws. */
  answer(typed: TypedCommand, by: Typist, signal: AbortSignal): Promise<string>;
}

/** Make the face over operations that are said in a conversation. */
export function createChatFace(operations: Operations): ChatFace {
  const byName = new Map(operations.list.map((command) => [command.name, command]));
  return {
    has: (name) => byName.has(name),
    async answer({ name, rest }, { actor, said }, signal) {
      const command = byName.get(name);
      if (command === undefined) throw new RuntimeError("not_found", "Cannot run that: there is no such command");
      try {
        const result = await operations.say(name, argumentsIn(rest, command), { actor, said }, signal);
        return linesOf(operations, name, result);
      } catch (error) {
        if (!isRuntimeError(error, "usage")) throw error;
        return ownTexts(said.language).notSo(exampleOf(command));
      }
    },
  };
}

function linesOf(operations: Operations, name: string, result: unknown): string {
  return operations
    .present(name, result)
    .lines.map(({ text }) => text)
    .join("\n");
}

/** Words in the order of the command's arguments; one word too many is an argument that no command has. */
function argumentsIn(rest: string, command: Command): Readonly<Record<string, string>> {
  const names = command.arguments.filter(({ positional }) => positional).map(({ name }) => name);
  const words = rest
    .trim()
    .split(/\s+/)
    .filter((word) => word !== "");
  return Object.fromEntries(words.map((word, at) => [names[at] ?? "more", word.toLowerCase()]));
}

function exampleOf({ name, arguments: facts }: Command): string {
  const words = facts.filter(({ required }) => required).map(({ description }) => description.split(":")[0] ?? "");
  return ["", ...words].reduce((said, word) => (word === "" ? said : `${said} ${word}`), `/${name}`);
}
