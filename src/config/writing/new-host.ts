import type { Secret } from "../../foundation/secret.ts";
import type { ModelHostConfig } from "../config.ts";
import type { NewModel } from "./first-yaml.ts";
import { hostFields } from "./first-yaml.ts";
import { schemaIssues } from "../issue.ts";
import type { ConfigProblem } from "../problem.ts";
import { ConfigInvalid } from "../problem.ts";
import { configSchema } from "../schema/registry.ts";
import { resolveModels } from "../resolving/resolve-models.ts";

/**
 * The host of a new model as a start would have it, defaults filled in; the key is given, not read. What comes of it is what
 * the file's own entry will come to.
 * @throws ConfigInvalid for what no file may say.
 */
export function newHost(model: NewModel, key: Secret | null): ModelHostConfig {
  const problems: ConfigProblem[] = [];
  const report = (path: ConfigProblem["path"], rule: string): void => void problems.push({ path, position: null, environment: null, rule });
  const hosts = { [model.host]: { ...hostFields({ ...model, keyEnv: undefined, keyFile: undefined }) } };
  const data = { characters: { someone: {} }, models: { hosts, default: `${model.host}/${model.model}` } };
  const parsed = configSchema.safeParse(data);
  if (!parsed.success) for (const issue of schemaIssues(parsed.error, data)) report(issue.path, issue.rule);
  else {
    const host = resolveModels(parsed.data, { directory: "/", environment: {} }, report).hosts.get(model.host);
    if (host !== undefined && key !== null && host.url.hasCredentials)
      report(["models", "hosts", model.host, "url"], "the address and a key cannot both carry credentials");
    if (host !== undefined && problems.length === 0) return { ...host, key };
  }
  throw ConfigInvalid.of("the new model", problems);
}
