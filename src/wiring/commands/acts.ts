import type { Authority } from "../../authority/authority.ts";
import type { Spot } from "../../characters/spaces.ts";
import type { ChatFace } from "../../operations/faces/chat.ts";
import type { OwnerChatFace } from "../../operations/faces/owner-chat.ts";
import { NOT_YOURS } from "../../operations/order/not-yours.ts";
import { KeepingOrder } from "../../operations/order/keeping-order.ts";
import { ServerBlocks } from "../../operations/order/server-blocks.ts";
import type { ActWork } from "../../road/1-admission/acts.ts";
import type { RoadPolicy } from "../../road/road.ts";
import type { Store } from "../../store/store.ts";
import type { ActAnswer, PersonalAct } from "../../vocabulary/act.ts";
import { parseMessageId } from "../../vocabulary/ids.ts";
import type { OriginFacts } from "../../vocabulary/origin.ts";
import type { OwnerCommand } from "../../vocabulary/owner-command.ts";
import type { PrincipalId } from "../../vocabulary/principal.ts";
import type { ComposeOptions } from "../compose-options.ts";
import type { OperatorChat } from "./operator-chat.ts";
import type { OperatorDesk } from "./operator-desk.ts";
import { saidLineOf } from "./own-commands.ts";

/** What acts are answered from. */
export interface ActFloors {
  readonly chat: ChatFace;
  /** The commands of a bot's owner; there are none when it is left out. */
  readonly owner?: OwnerChatFace | undefined;
  /** The commands that operators say on their own lines; there are none when it is left out. */
  readonly operatorChat?: OperatorChat | undefined;
  readonly authority: Pick<Authority, "roleOf">;
  readonly store: Pick<Store, "read" | "pause" | "unpause" | "audit" | "setSetting">;
  readonly key: Uint8Array;
  readonly desk: OperatorDesk;
}

/** What people do beside talking, and what follows from it for who is heard. */
export interface Order extends Required<Pick<RoadPolicy, "acts" | "barred">> {
  /** Whether a guest is blocked where a line was heard. */
  bars(spot: Spot, person: PrincipalId): boolean;
}

/** Tell what follows from each thing that people do beside talking; nothing from what nobody asked for. */
export function createOrder(options: ComposeOptions, floors: ActFloors): Order {
  const { authority, store, key, desk } = floors;
  const shelf = {
    setting: (name: string) => store.read.setting(name),
    setSetting: (name: string, value: string) => store.setSetting(name, value),
  };
  const blocks = new ServerBlocks(shelf, options.floor.clock, key);
  const roleOf = (person: PrincipalId): ReturnType<Authority["roleOf"]> => authority.roleOf(person);
  const order = new KeepingOrder({
    clock: options.floor.clock,
    blocks,
    roleOf,
    standing: (act) => desk.standing(act),
    ledger: {
      pauses: () => store.read.pauses(),
      pause: (pause) => store.pause(pause),
      unpause: (row) => store.unpause(row),
      audit: (entry) => store.audit(entry),
      posted: (surface, platformId, postedAtMs) => store.read.conversations.posted({ surface, platformId, postedAtMs }),
    },
  });
  return {
    acts: (act, road) =>
      ownCommand(act, options, floors) ??
      ownersCommand(act, options, floors) ??
      operatorsCommand(act, options, floors) ??
      order.workOf(act, road) ??
      desk.workOf(act, road) ??
      strayButton(act),
    barred: ({ surface, server }, person) => blocks.isBlocked(surface, server, person),
    bars: ({ surface, within = [] }, person) => within.length > 0 && blocks.isBlocked(surface, within.at(-1) ?? "", person),
  };
}

/** A button that nobody drew, or that means nothing any more, is told so like any other that is not this person's. */
function strayButton({ what }: PersonalAct): ActWork | null {
  return what.kind === "button" ? () => Promise.resolve({ words: NOT_YOURS }) : null;
}

/** Which of the owner's commands a menu's is: the same words as in a line, each from its own field. */
function ownerCommandOf({ what }: PersonalAct): OwnerCommand | null {
  if (what.kind !== "command") return null;
  const { word = "list", person, key, value } = what.given;
  if (what.name === "trust") return { name: "whitelist", words: [word, ...(person === undefined ? [] : [person])] };
  if (what.name !== "config") return null;
  return { name: "config", words: [...(key === undefined ? [] : [key]), ...(value ?? "").split(/\s+/).filter((one) => one !== "")] };
}

/** A command of the bot's owner, answered to them alone; to everybody else it is not theirs (TR-082, VS-008). */
function ownersCommand(act: PersonalAct, options: ComposeOptions, { owner, authority }: ActFloors): ActWork | null {
  const command = ownerCommandOf(act);
  if (command === null || owner === undefined) return null;
  const { sender, place, character } = act;
  const actor = actorOf(sender, authority);
  const said = saidLineOf({ place, character, trigger: { id: parseMessageId(options.floor.ids.next("m")) } }, options);
  return async (signal): Promise<ActAnswer> => ({ words: await owner.answer(command, { actor, said }, signal) });
}

/** A command of operators, answered to whoever gives it alone, and with only what is theirs. */
function operatorsCommand(act: PersonalAct, options: ComposeOptions, { operatorChat, authority }: ActFloors): ActWork | null {
  const { what, sender, place, character } = act;
  if (what.kind !== "command" || operatorChat?.face.has(what.name) !== true) return null;
  const { face } = operatorChat;
  const { act: done = "", id = "" } = what.given;
  const said = saidLineOf({ place, character, trigger: { id: parseMessageId(options.floor.ids.next("m")) } }, options);
  const typist = { actor: actorOf(sender, authority), said };
  return async (signal): Promise<ActAnswer> => ({ words: await face.answer({ name: what.name, rest: `${done} ${id}` }, typist, signal) });
}

/** Who acts, in a line that nobody else reads. A blocked person is as any guest: that they are blocked shows nowhere (SE-094). */
function actorOf({ principal, assurance }: PersonalAct["sender"], authority: ActFloors["authority"]): OriginFacts {
  const role = authority.roleOf(principal);
  return { principal, role: role === "blocked" ? "guest" : role, assurance, channel: "direct" };
}

/**
 * A command about oneself (TR-082). Blocked people have it answered like any guest: that they are blocked shows nowhere (SE-094), and
 * what is kept of them is still theirs to see and to erase.
 */
function ownCommand(act: PersonalAct, options: ComposeOptions, { chat, authority }: ActFloors): ActWork | null {
  const { what, sender, place, character } = act;
  if (what.kind !== "command" || !chat.has(what.name)) return null;
  const actor = actorOf(sender, authority);
  const { word, confirm } = what.given;
  const said = saidLineOf({ place, character, trigger: { id: parseMessageId(options.floor.ids.next("m")) } }, options);
  return async (signal): Promise<ActAnswer> => ({
    words: await chat.answer({ name: what.name, rest: word ?? confirm ?? "" }, { actor, said }, signal),
  });
}
