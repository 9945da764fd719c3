import type { Admission } from "../config/config.ts";
import type { AllowConfig, Delivery, DiscordConfig, DiscordPlaceConfig } from "../config/discord-config.ts";
import type { CharacterId } from "../vocabulary/ids.ts";

/** What holds in one place of a bot, and which key of the configuration says so. */
export interface PlaceRules {
  readonly admission: Admission;
  readonly key: string;
  readonly allow: AllowConfig;
  readonly delivery: Delivery;
  readonly character: CharacterId | null;
  readonly contextMessages: number;
  readonly contextCharacters: number;
  /** Model calls a day of everything under one id together; null where only the budgets have a say. */
  readonly calls: { readonly id: string; readonly perDay: number; readonly key: string } | null;
}

/**
 * What holds in a place that lies within these ids, innermost first: for each thing the innermost id that says something has the
 * say, and the surface itself where none does. A thread is within its channel, so it has its rules and may have its own.
 */
export function placeRules(surface: DiscordConfig, within: readonly string[]): PlaceRules {
  const base = `surfaces.${surface.name}`;
  const around: Around = { surface, within };
  const [admission, calls] = [innermost(around, "admission"), innermost(around, "callsPerDay")];
  const said = <Key extends keyof DiscordPlaceConfig, Value>(key: Key, otherwise: Value): NonNullable<DiscordPlaceConfig[Key]> | Value =>
    innermost(around, key)?.value ?? otherwise;
  return {
    admission: admission?.value ?? surface.admission,
    key: admission === null ? `${base}.admission` : `${base}.places.${admission.id}.admission`,
    allow: said("allow", surface.allow),
    delivery: said("delivery", surface.delivery),
    character: said("character", surface.characters[0] ?? null),
    contextMessages: said("contextMessages", surface.contextMessages),
    contextCharacters: said("contextCharacters", surface.contextCharacters),
    calls: calls === null ? null : { id: calls.id, perDay: calls.value, key: `${base}.places.${calls.id}.calls_per_day` },
  };
}

interface Around {
  readonly surface: DiscordConfig;
  readonly within: readonly string[];
}

function innermost<Key extends keyof DiscordPlaceConfig>(
  { surface, within }: Around,
  key: Key,
): { readonly id: string; readonly value: NonNullable<DiscordPlaceConfig[Key]> } | null {
  for (const id of within) {
    const value = surface.places.get(id)?.[key];
    if (value !== undefined && value !== null) return { id, value };
  }
  return null;
}
