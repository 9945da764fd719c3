import type { Admission, Bots, Config, SurfaceConfig } from "../config/config.ts";
import type { AllowConfig, DiscordConfig } from "../config/discord-config.ts";
import type { CharacterId } from "../vocabulary/ids.ts";
import type { InboundEvent } from "../vocabulary/inbound.ts";
import { placeRules } from "./place-rules.ts";

/** A character that is in a space, with the words that address it. */
export interface SpaceCharacter {
  readonly id: CharacterId;
  readonly aliases: readonly string[];
}

/** Who is in a space and whom it answers (TR-020). */
export interface Space {
  readonly mode: Admission;
  /** The configuration key that set the mode. */
  readonly key: string;
  readonly present: readonly SpaceCharacter[];
  /** Whether lines addressed to nobody stand in the place's own record. */
  readonly keepsAmbient: boolean;
  readonly bots: Bots;
  readonly everyoneIsMention: boolean;
  /** Rounds without a person before a place goes silent. */
  readonly rounds: number;
  /** How private lines admit; absent where a private line addresses its character and everybody may have one. */
  readonly direct?: { readonly mode: Admission; readonly key: string };
  /** By `platform` only marks of the platform address a character: no name, no greeting, no follow-up (TR-020). */
  readonly addressing: "words" | "platform";
  /** Whether somebody is answered here beside operators and trusted people; absent where nobody else is. */
  readonly allows?: (event: Pick<InboundEvent, "sender" | "place">) => boolean;
  /** Whether replies here wait until somebody says yes to them. */
  readonly holds?: boolean;
  /** A limit of model calls that holds here beside the budgets. */
  readonly calls?: { readonly scope: string; readonly perDay: number; readonly key: string };
  /** Where the replies of a minute are counted, if the surface has many rooms. */
  readonly room?: string;
}

/** Where something is heard or said, as far as its rules depend on it. */
export type Spot = Pick<InboundEvent, "surface" | "within">;

/**
 * Whose talk a public place holds, by the kind of its surface (TR-036, MC-065): the whole place's, or each person's own where
 * strangers share a region. A new kind does not compile without a line here.
 */
const PUBLIC_TALK: Readonly<Record<SurfaceConfig["kind"], "place" | "person">> = { room: "place", discord: "place" };

/** Whose talk a packet for a public place of this surface holds. */
export function publicTalkOf(surface: SurfaceConfig | undefined): "place" | "person" {
  return surface === undefined ? "place" : PUBLIC_TALK[surface.kind];
}

/** What a space depends on beside configuration and place. */
export interface SpaceFacts {
  /** Whether somebody was answered before. */
  readonly known?: (person: InboundEvent["sender"]["principal"]) => boolean;
  /** Whether an operator let everyone in here, beside the configuration. */
  readonly open?: boolean;
  /** Whether the understudy speaks: it repeats whatever it was told, and so it answers strangers only in a room and the terminal. */
  readonly understudy?: boolean;
}

/** The space of a configured surface; a surface without an entry (the terminal) has every character and direct lines only. */
export function spaceOf(config: Config, spot: Spot, { known = nobody, open = false, understudy = false }: SpaceFacts = {}): Space {
  const { surface: name } = spot;
  const surface = config.surfaces.get(name);
  if (surface?.kind === "discord") {
    const space = discordSpace(config, surface, { within: spot.within ?? [], known, open });
    return understudy ? withoutStrangers(space) : space;
  }
  const common = { key: `surfaces.${name}.admission`, addressing: "words", rounds: config.loops.rounds } as const;
  if (surface === undefined) {
    const present = presentOf(config, [...config.characters.keys()]);
    return { ...common, mode: "addressed", present, keepsAmbient: false, bots: "ignore", everyoneIsMention: false };
  }
  const { admission, characters, bots, everyoneIsMention } = surface;
  return { ...common, mode: admission, present: presentOf(config, characters), keepsAmbient: true, bots, everyoneIsMention };
}

/** Characters that hear what is said in public on a surface, beside the one who says it: all of a room, none where each place has its own. */
export function hearersOf(config: Config, surface: Spot["surface"]): CharacterId[] {
  return config.surfaces.get(surface)?.kind === "discord" ? [] : spaceOf(config, { surface }).present.map(({ id }) => id);
}

function nobody(): boolean {
  return false;
}

function presentOf({ characters }: Config, ids: readonly CharacterId[]): readonly SpaceCharacter[] {
  return ids.flatMap((id) => {
    const character = characters.get(id);
    return character === undefined ? [] : [{ id, aliases: character.aliases }];
  });
}

/** One place of a bot, by the rules around it. A private line has the rules of the surface alone: it lies in no server. */
function discordSpace(
  config: Config,
  surface: DiscordConfig,
  { within, known, open }: { within: readonly string[]; known: (person: InboundEvent["sender"]["principal"]) => boolean; open: boolean },
): Space {
  const rules = placeRules(surface, within);
  const whole = placeRules(surface, []);
  const [room] = within;
  return {
    // Each channel and thread is a room: one that is busy leaves the others their replies.
    ...(room === undefined ? {} : { room: `${surface.name}:${room}` }),
    mode: rules.admission,
    key: rules.key,
    present: presentOf(config, rules.character === null ? [] : [rules.character]),
    addressing: "platform",
    keepsAmbient: false,
    bots: surface.bots,
    everyoneIsMention: surface.everyoneIsMention,
    rounds: config.loops.rounds,
    holds: rules.delivery === "hold",
    direct: { mode: surface.dms === "off" ? "silent" : "trusted", key: `surfaces.${surface.name}.dms` },
    allows: ({ sender, place }) =>
      place.kind === "direct"
        ? isListed(sender, whole.allow) || (surface.dms === "known" && known(sender.principal))
        : open || isListed(sender, rules.allow) || hasRole(sender, rules.allow),
    ...(rules.calls === null
      ? {}
      : { calls: { scope: `calls:under:${surface.name}:${rules.calls.id}`, perDay: rules.calls.perDay, key: rules.calls.key } }),
  };
}

/** The same space, answering operators and trusted people alone; it stays silent where it is. */
function withoutStrangers(space: Space): Space {
  const narrow = ({ mode, key }: { readonly mode: Admission; readonly key: string }): { mode: Admission; key: string } =>
    mode === "silent" ? { mode, key } : { mode: "trusted", key: "models.default" };
  return { ...space, ...narrow(space), direct: narrow(space.direct ?? space), allows: nobody };
}

function isListed({ principal }: InboundEvent["sender"], { people }: AllowConfig): boolean {
  return people.includes(principal);
}

/** A role counts only as the delivery itself carried it, with the server it is of: what another server calls a role is nothing here. */
function hasRole({ groups = [] }: InboundEvent["sender"], { roles }: AllowConfig): boolean {
  return groups.some((group) => roles.includes(group));
}
