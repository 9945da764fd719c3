import type { Config } from "../../config/config.ts";
import { CONTROLS } from "../../agents/control.ts";
import type { ChatFace } from "../../operations/faces/chat.ts";
import { withoutAlias } from "../../road/1-admission/addressed.ts";
import { commandWords } from "../../road/1-admission/own-words.ts";
import type { ChatCommand } from "../../road/3-turns/operation-voice.ts";
import { createOperationVoice, parseChatCommand } from "../../road/3-turns/operation-voice.ts";
import type { Voice } from "../../road/3-turns/voice.ts";
import { ownTexts } from "../../operations/own/own-texts.ts";
import type { CharacterId } from "../../vocabulary/ids.ts";
import { Origin } from "../../vocabulary/origin.ts";
import { parseOwnerCommand } from "../../vocabulary/owner-command.ts";
import type { Place } from "../../vocabulary/place.ts";
import { COMMANDS } from "./commands.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { ownCommands, saidLineOf } from "./own-commands.ts";
import type { RoadFloors } from "../road-needs.ts";

/** Names that give orders on an operator's own line or machine. In public they are nobody's, whoever says them. */
const PRIVATE: ReadonlySet<string> = new Set([...COMMANDS.map(({ name }) => name), ...CONTROLS]);

/** The commands that are said in chat: anybody's own, and those of a bot's owner. */
export interface ChatCommands {
  /**
   * Whether a line's own words, without a character's name in front, are a command that anybody may say; in public also one that
   * nobody may say there, which is told so and runs nothing (MC-028).
   */
  classOf(text: string, channel: Place["kind"]): "command" | "talk";
  /** The name of the command in a line that is one; null where it can no longer be told. */
  nameIn(text: string, character: CharacterId | null): string | null;
  readonly voice: Voice;
  /** Those that anybody may say. */
  readonly own: ChatFace;
}

/** Put the commands of chat together. Which of them a line holds depends on its words alone, so a line that waited is read the same. */
export function chatCommands(options: ComposeOptions, floors: RoadFloors): ChatCommands {
  const own = ownCommands(options, floors);
  const config = (): Config => options.config.current();
  const commandIn = (text: string, character: CharacterId | null): ChatCommand | null => {
    const aliases = (character === null ? undefined : config().characters.get(character)?.aliases) ?? [];
    return parseChatCommand(withoutAlias(commandWords(text), aliases));
  };
  const nameIn = (text: string, character: CharacterId | null): string | null =>
    commandIn(text, character)?.name ?? parseOwnerCommand(text)?.name ?? null;
  return {
    own,
    classOf(text, channel) {
      const name = parseChatCommand(text)?.name ?? "";
      return own.has(name) || (channel === "public" && PRIVATE.has(name)) ? "command" : "talk";
    },
    nameIn,
    voice: createOperationVoice({
      nameOf: ({ trigger, character }) => nameIn(trigger.text, character),
      run(turn, signal) {
        const typist = { actor: Origin.factsOf(turn.origin), said: saidLineOf(turn, options) };
        const command = commandIn(turn.trigger.text, turn.character);
        if (command !== null && own.has(command.name)) return own.answer(command, typist, signal);
        if (command !== null && PRIVATE.has(command.name) && (turn.heardIn ?? turn.place).kind === "public")
          return Promise.resolve(ownTexts(typist.said.language).notInPublic);
        const owners = parseOwnerCommand(turn.trigger.text);
        return owners === null || floors.owner === undefined ? Promise.resolve(null) : floors.owner.answer(owners, typist, signal);
      },
    }),
  };
}
