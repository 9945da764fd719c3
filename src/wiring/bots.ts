import type { Authority } from "../authority/authority.ts";
import type { Chronicle } from "../chronicle/chronicle.ts";
import type { ComposeOptions } from "./compose-options.ts";
import { placeRules } from "../characters/place-rules.ts";
import type { Config } from "../config/config.ts";
import type { DiscordConfig } from "../config/discord-config.ts";
import { wantsContent } from "../config/discord-config.ts";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";
import type { Notices } from "../observe/notices.ts";
import type { Store } from "../store/store.ts";
import type { DiscordNeeds } from "../surfaces/discord/discord.ts";
import type { DiscordPlaces } from "../surfaces/discord/ports.ts";
import type { Surface } from "../surfaces/surface.ts";
import type { SurfaceName } from "../vocabulary/ids.ts";
import { pausesPlaceOf } from "../vocabulary/pause.ts";
import type { PrincipalId } from "../vocabulary/principal.ts";
import { KeptMoments } from "./kept-moments.ts";
import { loadDiscord } from "./load-discord.ts";

/** What the bots of a configuration stand on. */
export interface BotFloors {
  readonly store: Store;
  readonly notices: Pick<Notices, "note">;
  readonly chronicle: Pick<Chronicle, "subscribe">;
  readonly authority: Pick<Authority, "roleOf">;
  /** Of this installation. */
  readonly key: Uint8Array;
}

/** Make the configured bots. What they need of Discord's libraries is loaded only where there is one. */
export async function openBots(options: ComposeOptions, floors: BotFloors, signal: AbortSignal): Promise<readonly Surface[]> {
  const bots = [...options.config.current().surfaces.values()].filter((surface) => surface.kind === "discord");
  if (bots.length === 0) return [];
  const { openDiscord } = await loadDiscord(() => import("../surfaces/discord/discord.ts"), signal);
  return bots.map((bot) => openDiscord(needsOf(bot, options, floors), signal));
}

function needsOf(bot: DiscordConfig, options: ComposeOptions, floors: BotFloors): DiscordNeeds {
  const { store, notices } = floors;
  const { clock, log } = options.floor;
  const { name } = bot;
  return {
    settings: {
      name,
      token: bot.token,
      address: bot.api,
      wantsContent: wantsContent(bot),
      version: options.process.version,
    },
    places: placesOf(name, () => options.config.current(), floors),
    shelf: {
      read: () => store.read.surfaceState(name),
      keep: (state) => store.keepSurfaceState({ surface: name, state, atMs: clock.nowMs() }),
    },
    people: peopleOf(name, options.floor, floors),
    notices: {
      blocked: (reason) => notices.note("surface_blocked", { ids: [name, reason] }),
      contentOff() {
        log.write("warn", "discord_context_off", { surface: printable(name) });
        notices.note("context_off", { ids: [name] });
      },
    },
    floor: { clock, log },
  };
}

function peopleOf(
  name: SurfaceName,
  { clock, log }: ComposeOptions["floor"],
  { store, chronicle, authority, key }: BotFloors,
): DiscordNeeds["people"] {
  const shelf = {
    setting: (one: string) => store.read.setting(one),
    setSetting: (one: string, value: string) => store.setSetting(one, value),
  };
  const anew = new KeptMoments({ shelf, key, setting: `began_anew:${name}` });
  const answeredBy = (platformId: string, postedAtMs: number): PrincipalId | null =>
    store.read.conversations.posted({ surface: name, platformId, postedAtMs })?.person ?? null;
  return {
    met(person, shown) {
      const row = { id: person, surface: name, name: shown, foldedName: person, secretHash: null, atMs: clock.nowMs() };
      store.admitMember(row).catch((error: unknown) => log.failure("discord_member_failed", error));
    },
    collects: (person) => authority.roleOf(person) !== "blocked" && !store.read.optedOut(person),
    onForgotten: (listener) =>
      chronicle.subscribe((change) => {
        if (change.kind === "forgotten") listener(change.person);
      }),
    onReset: (listener) =>
      chronicle.subscribe((change) => {
        if (change.kind === "reset") listener(change.person, change.place, change.platformIds);
      }),
    keepAnew(person, channelId, untilMs) {
      anew.keep(untilMs, channelId, person).catch((error: unknown) => log.failure("discord_reset_failed", error));
    },
    inMind({ channelId, id, author, atMs }) {
      if (anew.isEmpty) return true;
      const who = author ?? answeredBy(id, atMs);
      return who === null || atMs > (anew.of(channelId, who) ?? Number.NEGATIVE_INFINITY);
    },
  };
}

/** Rules of places as configured now. A bot that went from the file speaks as it did until the next start. */
function placesOf(name: SurfaceName, config: () => Config, { store }: Pick<BotFloors, "store">): DiscordPlaces {
  const bot = (): DiscordConfig | null => {
    const surface = config().surfaces.get(name);
    return surface?.kind === "discord" ? surface : null;
  };
  return {
    speaker(within) {
      const surface = bot();
      const [first] = config().characters.values();
      const id = surface === null ? null : placeRules(surface, within).character;
      const character = (id === null ? undefined : config().characters.get(id)) ?? first;
      if (character === undefined) throw new RuntimeError("not_found", "Cannot say who speaks: no character is configured");
      return { id: character.id, name: character.name };
    },
    rolesMatter() {
      const surface = bot();
      return surface !== null && [surface, ...surface.places.values()].some(({ allow }) => (allow?.roles.length ?? 0) > 0);
    },
    differ: () => (bot()?.places.size ?? 0) > 0 || pausesPlaceOf(store.read.pauses(), name),
    context(within) {
      const surface = bot();
      if (surface === null) return { messages: 0, characters: 0 };
      const { contextMessages: messages, contextCharacters: characters } = placeRules(surface, within);
      return { messages, characters };
    },
  };
}
