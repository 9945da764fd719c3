import type { Authority } from "../authority/authority.ts";
import type { IdSource } from "../foundation/ids.ts";
import type { ChatFace } from "../operations/faces/chat.ts";
import type { ActWork } from "../road/1-admission/acts.ts";
import type { ActAnswer, PersonalAct } from "../vocabulary/act.ts";
import { parseMessageId } from "../vocabulary/ids.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { saidLineOf } from "./own-commands.ts";

/** What acts are answered from. */
export interface ActFloors {
  readonly chat: ChatFace;
  readonly authority: Pick<Authority, "roleOf">;
  readonly ids: IdSource;
}

/** Tell what follows from each thing that people do beside talking; nothing from what nobody asked for. */
export function createActs(options: ComposeOptions, floors: ActFloors): (act: PersonalAct) => ActWork | null {
  return (act) => ownCommand(act, options, floors);
}

/**
 * A command about oneself (TR-082). Blocked people have it answered like any guest: that they are blocked shows nowhere (SE-094), and
 * what is kept of them is still theirs to see and to erase.
 */
function ownCommand(act: PersonalAct, options: ComposeOptions, { chat, authority, ids }: ActFloors): ActWork | null {
  const { what, sender, place, character } = act;
  if (what.kind !== "command" || !chat.has(what.name)) return null;
  const role = authority.roleOf(sender.principal);
  const actor: OriginFacts = {
    principal: sender.principal,
    role: role === "blocked" ? "guest" : role,
    assurance: sender.assurance,
    // Nobody else reads what it is answered with.
    channel: "direct",
  };
  const { word, confirm } = what.given;
  const said = saidLineOf({ place, character, trigger: { id: parseMessageId(ids.next("m")) } }, options);
  return async (signal): Promise<ActAnswer> => ({
    words: await chat.answer({ name: what.name, rest: word ?? confirm ?? "" }, { actor, said }, signal),
  });
}
