import { resolve } from "node:path";
import type { RawConfig } from "../schema/raw-config.ts";

/** Every file that holds a key, as the configuration names them: no tool touches one (TR-045). */
export function secretFilesOf({ models, surfaces, traces, notify }: RawConfig, directory: string): readonly string[] {
  const tokens = Object.values(surfaces).map((one) => ("token_file" in one ? one.token_file : undefined));
  const named = [...Object.values(models.hosts).map(({ key_file: file }) => file), ...tokens, traces.key_file, notify.webhook_file];
  return named.filter((one) => one !== undefined).map((one) => resolve(directory, one));
}
