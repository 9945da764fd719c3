import { EndpointUrl } from "../foundation/endpoint-url.ts";
import type { Secret } from "../foundation/secret.ts";
import type { ModelConfig, ModelHostConfig, ModelsConfig } from "./config.ts";
import type { Environment } from "./host-key.ts";
import { keyFromEnvironment, keyFromFile } from "./host-key.ts";
import type { ConfigPath } from "./problem.ts";
import { didYouMean, showName } from "./problem.ts";
import type { RawConfig, RawHost, RawModel } from "./raw-config.ts";
import { suggest } from "./suggest.ts";

const MICROS = 1_000_000;
const STANDARD_MODEL: RawModel = { max_output: 1_024 };

interface ModelNeeds {
  readonly directory: string;
  readonly environment: Environment;
}

/** Check hosts, keys and the default model, and read the keys (MC-104, MC-105). */
export function resolveModels(raw: RawConfig, needs: ModelNeeds, report: (path: ConfigPath, rule: string) => void): ModelsConfig {
  const hosts = new Map<string, ModelHostConfig>();
  for (const [name, host] of Object.entries(raw.models.hosts)) {
    const path = ["models", "hosts", name];
    const url = EndpointUrl.parse(host.url, "url");
    const key = readKey(host, needs, (word, rule) => report([...path, word], rule));
    if (url.hasCredentials && key !== null) report([...path, "url"], "the address and a key cannot both carry credentials");
    const models = modelsOf(host);
    if (models.size === 0) report([...path, "models"], "must name at least one model");
    hosts.set(name, { api: host.api, url, key, deadlineMs: host.deadline_s * 1_000, models });
  }
  return { hosts, defaultModel: chooseDefault(raw, (rule) => report(["models", "default"], rule)) };
}

function readKey(host: RawHost, needs: ModelNeeds, report: (word: "key_env" | "key_file", rule: string) => void): Secret | null {
  if (host.key_env !== undefined && host.key_file !== undefined) report("key_file", "either `key_env` or `key_file`, not both");
  const word = host.key_file === undefined ? "key_env" : "key_file";
  const name = host.key_file ?? host.key_env;
  if (name === undefined) return null;
  const reading = word === "key_file" ? keyFromFile(name, needs.directory) : keyFromEnvironment(name, needs.environment);
  if (reading.kind === "key") return reading.key;
  report(word, reading.rule);
  return null;
}

function modelsOf(host: RawHost): ReadonlyMap<string, ModelConfig> {
  const entries: [string, RawModel][] = Array.isArray(host.models)
    ? host.models.map((name) => [name, STANDARD_MODEL])
    : Object.entries(host.models);
  return new Map(entries.map(([name, model]) => [name, modelOf(model)]));
}

function modelOf({ context, max_output, price }: RawModel): ModelConfig {
  return {
    contextTokens: context ?? null,
    maxOutputTokens: max_output,
    price:
      price === undefined
        ? null
        : { promptMicros: Math.round(price.prompt * MICROS), completionMicros: Math.round(price.completion * MICROS) },
  };
}

/** The first slash parts host and model; names of models hold slashes themselves. */
function chooseDefault(raw: RawConfig, report: (rule: string) => void): string | null {
  const known = Object.entries(raw.models.hosts).flatMap(([host, { models }]) =>
    (Array.isArray(models) ? models : Object.keys(models)).map((model) => `${host}/${model}`),
  );
  const wanted = raw.models.default;
  if (wanted === undefined) {
    const [only, ...others] = known;
    if (others.length > 0) report("is required when there are several models: write host/model");
    return only ?? null;
  }
  if (known.includes(wanted)) return wanted;
  const host = wanted.slice(0, Math.max(0, wanted.indexOf("/")));
  const rule = Object.hasOwn(raw.models.hosts, host)
    ? `the host ${showName(host)} has no such model`
    : "must be host/model, with a host from models.hosts";
  report(`${rule}${didYouMean(suggest(wanted, known))}`);
  return null;
}
