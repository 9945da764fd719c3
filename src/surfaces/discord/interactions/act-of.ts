import type { ActKind, PersonalAct } from "../../../vocabulary/act.ts";
import { directPlace, publicPlace } from "../../../vocabulary/place.ts";
import { parsePrincipalId } from "../../../vocabulary/principal.ts";
import type { ShownMember } from "../reading/message-shape.ts";
import type { Reading } from "../reading/normalise.ts";

/** What an event tells of somebody who did something. */
export interface Doing {
  readonly deliveryId: string;
  readonly account: string;
  readonly displayName: string;
  readonly isBot: boolean;
  readonly channelId: string;
  readonly guildId: string | null;
  readonly member: ShownMember | null;
  readonly what: ActKind;
}

/** Make an act of it: where it was done, by whom, and with which roles of that server, as the event itself says. */
export function actOf({ deliveryId, account, displayName, isBot, channelId, guildId, member, what }: Doing, reading: Reading): PersonalAct {
  const { surface, directory, speaker, nowMs } = reading;
  const principal = parsePrincipalId(`discord:${account}`);
  const within = guildId === null ? [] : directory.within(channelId, guildId);
  const { id: character } = speaker(within);
  const groups = guildId === null || member === null ? [] : member.roles.map((role) => `${guildId}/${role}`);
  return {
    surface,
    deliveryId,
    atMs: nowMs,
    sender: { principal, displayName, kind: isBot ? "bot" : "person", assurance: "platform", groups },
    place: guildId === null ? directPlace(surface, character, principal) : publicPlace(surface, channelId),
    within,
    character,
    what,
  };
}
