import type { Secret } from "../../foundation/secret.ts";
import type { NotifyConfig } from "../config.ts";
import type { Environment } from "../files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../files/host-key.ts";
import { LOOPBACK_HOST } from "../rules/loopback-host.ts";
import type { ConfigPath } from "../problem.ts";
import type { RawConfig } from "../schema/raw-config.ts";

/** Read the address that notices go to (TR-093). It carries a token, so it comes from the environment or a private file alone. */
export function resolveNotify(
  { notify }: Pick<RawConfig, "notify">,
  needs: { readonly directory: string; readonly environment: Environment },
  report: (path: ConfigPath, rule: string) => void,
): NotifyConfig {
  const { webhook_url_env: variable, webhook_file: file } = notify;
  if (variable !== undefined && file !== undefined) {
    report(["notify", "webhook_file"], "either `webhook_url_env` or `webhook_file`, not both");
    return { webhook: null };
  }
  const word = file === undefined ? "webhook_url_env" : "webhook_file";
  const name = file ?? variable;
  if (name === undefined) return { webhook: null };
  const reading = word === "webhook_file" ? keyFromFile(name, needs.directory) : keyFromEnvironment(name, needs.environment);
  const rule = reading.kind === "refused" ? reading.rule.replace("key file", "file") : addressRule(reading.key);
  if (rule !== null) report(["notify", word], rule);
  return { webhook: reading.kind === "key" && rule === null ? reading.key : null };
}

/** What the address breaks, or null; no word of it is told. */
function addressRule(address: Secret): string | null {
  const text = address.reveal();
  const url = /^https?:\/\/[^/?#\s\\]/i.test(text) && !/[\s#\\]/.test(text) ? URL.parse(text) : null;
  if (url === null) return "must hold one exact https address, without a fragment";
  if (url.username !== "" || url.password !== "") return "must hold an address without a user name or password";
  if (url.protocol !== "https:" && !LOOPBACK_HOST.test(url.hostname)) return "must hold an https address; http is for this computer alone";
  return null;
}
