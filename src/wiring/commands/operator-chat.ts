import type { ChatFace } from "../../operations/faces/chat.ts";
import { createOperatorChatFace } from "../../operations/faces/operator-chat.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import type { Operations } from "../../operations/operations.ts";
import { withoutAlias } from "../../road/1-admission/addressed.ts";
import { commandWords } from "../../road/1-admission/own-words.ts";
import type { ChatCommand } from "../../road/3-turns/operation-voice.ts";
import { createOperationVoice, parseChatCommand } from "../../road/3-turns/operation-voice.ts";
import type { Voice } from "../../road/3-turns/voice.ts";
import type { Surface } from "../../surfaces/surface.ts";
import type { Place } from "../../vocabulary/place.ts";
import { Origin } from "../../vocabulary/origin.ts";
import { assuranceReaches } from "../../vocabulary/principal.ts";
import type { Turn } from "../../vocabulary/turn.ts";
import type { ComposeOptions } from "../compose-options.ts";
import { saidLineOf } from "./own-commands.ts";

/** The commands that operators say on their own lines. */
export interface OperatorChat {
  readonly face: ChatFace;
  /** Whether a line is such a command, of somebody who may give it there. */
  isCommand(text: string, line: Pick<Turn, "origin" | "place">): boolean;
  readonly voice: Voice;
  /** Give it the operations, once there are any; they are given back. */
  bind(operations: Operations): Operations;
}

/** Make it. Nothing can be said to it before {@link OperatorChat.bind}. */
export function createOperatorChat(
  options: ComposeOptions,
  { isHalted, surfaces }: { readonly isHalted: () => boolean; readonly surfaces: () => readonly Surface[] },
): OperatorChat {
  let bound: Operations | null = null;
  const face = createOperatorChatFace(() => {
    if (bound === null) throw new RuntimeError("closed", "Cannot run that yet: the process is starting");
    return bound;
  });
  const commandIn = (text: string, place: Place): ChatCommand | null => {
    if (place.kind !== "direct") return null;
    const aliases = options.config.current().characters.get(place.character)?.aliases ?? [];
    const command = parseChatCommand(withoutAlias(commandWords(text), aliases));
    return command !== null && face.has(command.name) ? command : null;
  };
  const run = async (turn: Turn, signal: AbortSignal): Promise<string | null> => {
    const command = commandIn(turn.trigger.text, turn.place);
    if (command === null) return null;
    const words = await face.answer(command, { actor: Origin.factsOf(turn.origin), said: saidLineOf(turn, options) }, signal);
    // While everything stands no turn says anything, this one neither: what came of it is told beside all turns.
    if (isHalted())
      surfaces()
        .find(({ name }) => name === turn.place.surface)
        ?.tell?.(turn.person, { words });
    return words;
  };
  return {
    face,
    isCommand(text, { origin, place }) {
      const { role, assurance } = Origin.factsOf(origin);
      return role === "operator" && assuranceReaches(assurance, "platform") && commandIn(text, place) !== null;
    },
    voice: createOperationVoice({ nameOf: ({ trigger, place }) => commandIn(trigger.text, place)?.name ?? null, run }),
    bind: (operations) => (bound = operations),
  };
}
