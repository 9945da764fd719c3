import { EndpointUrl } from "../../foundation/endpoint-url.ts";
import type { Config } from "../config.ts";
import type { Environment } from "../files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../files/host-key.ts";
import type { ConfigPath } from "../problem.ts";
import type { RawConfig } from "../schema/raw-config.ts";

/** Read where spans go, and the key for it. Whatever has no address goes nowhere, so a key without one is a mistake. */
export function resolveTraces(
  { traces }: Pick<RawConfig, "traces">,
  needs: { readonly directory: string; readonly environment: Environment },
  report: (path: ConfigPath, rule: string) => void,
): Config["traces"] {
  const { otlp_url: url, key_env: variable, key_file: file } = traces;
  const word = file === undefined ? "key_env" : "key_file";
  const name = file ?? variable;
  if (variable !== undefined && file !== undefined) report(["traces", "key_file"], "either `key_env` or `key_file`, not both");
  if (url === undefined) {
    if (name !== undefined) report(["traces", word], "needs `otlp_url`: without it nothing is sent");
    return null;
  }
  const parsed = EndpointUrl.parse(url, "otlp_url");
  if (name === undefined) return { url: parsed, key: null };
  if (parsed.hasCredentials) report(["traces", "otlp_url"], "the address and a key cannot both carry credentials");
  const reading = word === "key_file" ? keyFromFile(name, needs.directory) : keyFromEnvironment(name, needs.environment);
  if (reading.kind === "key") return { url: parsed, key: reading.key };
  report(["traces", word], reading.rule);
  return null;
}
