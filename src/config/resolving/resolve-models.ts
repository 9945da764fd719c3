import { EndpointUrl } from "../../foundation/endpoint-url.ts";
import type { Secret } from "../../foundation/secret.ts";
import type { ModelPrice } from "../../vocabulary/cost.ts";
import { CEILINGS } from "../../vocabulary/limits.ts";
import type { ModelConfig, ModelHostConfig, ModelsConfig } from "../config.ts";
import { OLLAMA_LOAD_S, OLLAMA_WINDOW_TOKENS } from "../config.ts";
import type { Environment } from "../files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../files/host-key.ts";
import type { ConfigPath } from "../problem.ts";
import { didYouMean, showName } from "../problem.ts";
import type { RawConfig, RawHost, RawModel, RawPrice } from "../schema/raw-config.ts";
import { suggest } from "../rules/suggest.ts";

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
    if (host.keep_alive !== undefined && host.api !== "ollama") report([...path, "keep_alive"], "only `ollama` has it");
    const models = modelsOf(host);
    if (models.size === 0) report([...path, "models"], "must name at least one model");
    hosts.set(name, { api: host.api, url, key, models, ...timesOf(host, (rule) => report([...path, "load_s"], rule)) });
  }
  const [first, ...others] = chooseModels(raw, (rule) => report(["models", "default"], rule));
  return { hosts, defaultModel: first ?? null, fallbackModels: others };
}

/** Deadline and loading together stay under the ceiling of a call (TR-053). */
function timesOf(host: RawHost, report: (rule: string) => void): Pick<ModelHostConfig, "deadlineMs" | "loadMs" | "keepAliveS"> {
  const deadlineMs = host.deadline_s * 1_000;
  const room = CEILINGS.modelDeadlineMs - deadlineMs;
  const loadMs = host.load_s === undefined ? Math.min(room, host.api === "ollama" ? OLLAMA_LOAD_S * 1_000 : 0) : host.load_s * 1_000;
  if (loadMs > room) report(`must be at most ${room / 1_000} beside this deadline_s: together ${CEILINGS.modelDeadlineMs / 1_000}`);
  return { deadlineMs, loadMs, keepAliveS: host.keep_alive === undefined ? null : secondsOf(host.keep_alive) };
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };

function secondsOf(time: number | string): number {
  return typeof time === "number" ? time : Number(time.slice(0, -1)) * (UNIT_SECONDS[time.slice(-1)] ?? 1);
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
  return new Map(entries.map(([name, model]) => [name, modelOf(model, host.api)]));
}

function modelOf({ context, max_output, think, price }: RawModel, api: RawHost["api"]): ModelConfig {
  const isOllama = api === "ollama";
  return {
    contextTokens: context ?? (isOllama ? OLLAMA_WINDOW_TOKENS : null),
    maxOutputTokens: max_output,
    think: think === undefined ? (isOllama ? "off" : null) : typeof think === "boolean" ? (think ? "on" : "off") : think,
    price: price === undefined || price === "unknown" ? null : price === "free" ? FREE : priceOf(price, api),
  };
}

const FREE: ModelPrice = { promptMicros: 0, completionMicros: 0, cacheReadMicros: 0, cacheWriteMicros: 0 };

/** Reading from Anthropic's cache costs a tenth of reading, writing to it a quarter more; what else has a cache is never assumed to be cheaper. */
function priceOf({ prompt, completion, cache_read, cache_write }: RawPrice, api: RawHost["api"]): ModelPrice {
  const [read, write] = api === "anthropic" ? [prompt / 10, prompt * 1.25] : [prompt, prompt];
  return {
    promptMicros: micros(prompt),
    completionMicros: micros(completion),
    cacheReadMicros: micros(cache_read ?? read),
    cacheWriteMicros: micros(cache_write ?? write),
  };
}

/** The nearest millionth. */
function micros(amount: number): number {
  return Math.round(amount * MICROS);
}

/** The first slash parts host and model; names of models hold slashes themselves. */
function chooseModels(raw: RawConfig, report: (rule: string) => void): readonly string[] {
  const known = Object.entries(raw.models.hosts).flatMap(([host, { models }]) =>
    (Array.isArray(models) ? models : Object.keys(models)).map((model) => `${host}/${model}`),
  );
  const wanted = raw.models.default;
  if (wanted === undefined) {
    if (known.length > 1) report("is required when there are several models: write host/model");
    return known.slice(0, 1);
  }
  const list = Array.isArray(wanted) ? wanted : [wanted];
  if (new Set(list).size < list.length) report("names a model twice");
  for (const name of list) if (!known.includes(name)) report(unknownModel(raw, name, known));
  return list;
}

function unknownModel(raw: RawConfig, wanted: string, known: readonly string[]): string {
  const host = wanted.slice(0, Math.max(0, wanted.indexOf("/")));
  const rule = Object.hasOwn(raw.models.hosts, host)
    ? `the host ${showName(host)} has no such model`
    : "must be host/model, with a host from models.hosts";
  return `${rule}${didYouMean(suggest(wanted, known))}`;
}
