import { dirname } from "node:path";
import type { ModelHostConfig } from "../../config/config.ts";
import type { NewModel } from "../../config/writing/first-yaml.ts";
import type { Environment, KeyReading } from "../../config/files/host-key.ts";
import { keyFromEnvironment, keyFromFile } from "../../config/files/host-key.ts";
import { modelNameRule } from "../../config/rules/answer-rules.ts";
import { endpointRule } from "../../config/rules/value-rules.ts";
import { RuntimeError } from "../../foundation/errors.ts";
import { line, text, toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import { Secret } from "../../foundation/secret.ts";
import type { FoundServer, ModelBench, ServerAddress } from "./model-bench.ts";
import type { Questions } from "./questions.ts";

/** The options of `init` for a model; undefined where none was given. */
export interface ModelOptions {
  readonly look?: boolean | undefined;
  readonly url?: string | undefined;
  readonly api?: string | undefined;
  readonly key_env?: string | undefined;
  readonly key_file?: string | undefined;
  readonly model?: string | undefined;
  readonly context?: number | undefined;
  readonly price?: string | undefined;
  readonly money_per_day?: number | undefined;
}

/** A model as it was chosen, with its key, which stands in no file yet if a person typed it. */
export interface ChosenModel {
  readonly model: NewModel;
  readonly key: Secret | null;
  /** Whether the key was typed and needs a file of its own. */
  readonly typed: boolean;
}

/** What choosing a model needs. */
export interface ModelNeeds {
  readonly bench: ModelBench;
  readonly environment: Environment;
  /** Absolute path of the configuration: a key file is named from there. */
  readonly path: string;
  /** Hosts of the file by name: one of the same address gets the model beside its others, and keeps its key. */
  readonly hosts: ReadonlyMap<string, { readonly url: string; readonly key: Secret | null }>;
}

/** Models that are listed to choose from; a hosted server has hundreds. */
const MAX_LISTED = 20;

/** Ask for a model, or give null for none: then the understudy stands in. Nothing is looked for before somebody says yes. */
export async function askModel(
  questions: Questions,
  options: ModelOptions,
  needs: ModelNeeds,
  signal: AbortSignal,
): Promise<ChosenModel | null> {
  const server = await askServer(questions, options, needs, signal);
  if (server === null) return null;
  const { keyed, typed } = await askKey(questions, options, { server, needs }, signal);
  const known = server.models.length > 0 ? server.models : await listModels(questions, { ...server, key: keyed }, needs, signal);
  const model = await askName(questions, options, known, signal);
  const host = hostName(server, needs.hosts);
  const price = await askPrice(questions, options, server, signal);
  const moneyPerDay = await askMoney(questions, options, price, signal);
  const facts = { ...(options.context === undefined ? {} : { context: options.context }), ...(price === null ? {} : { price }) };
  const { api, url } = server;
  return { model: { host, api, url, keyEnv: options.key_env, keyFile: options.key_file, model, facts, moneyPerDay }, key: keyed, typed };
}

interface Server {
  readonly api: ModelHostConfig["api"];
  readonly url: string;
  /** A name for it, from what was found. */
  readonly host: string | null;
  readonly models: readonly string[];
}

async function askServer(questions: Questions, options: ModelOptions, needs: ModelNeeds, signal: AbortSignal): Promise<Server | null> {
  const found = options.url === undefined ? await lookHere(questions, options, needs, signal) : [];
  if (found.length > 0) {
    const nothing = { word: "none", says: printable("none of them") };
    const choices = found.map((server, at) => ({
      word: String(at),
      says: text`${printable(server.name)} at ${printable(server.url)}: ${printable(server.models.slice(0, 8).join(", ") || "it names no models", 200)}`,
    }));
    const chosen = await questions.choose(
      {
        words: printable("Use which"),
        option: "--url",
        given: undefined,
        options: [...choices, nothing],
        fallback: "0",
      },
      signal,
    );
    const server = found[Number(chosen)];
    if (server !== undefined) return server;
  }
  const url = await questions.text(
    {
      words: printable("Address of a model server, or only Enter for none"),
      option: "--url",
      given: options.url,
      fallback: "",
      check: (answer) => (answer === "" ? null : endpointRule(answer)),
    },
    signal,
  );
  if (url === "") return null;
  const api = await questions.choose(
    {
      words: printable("How is it spoken to"),
      option: "--api",
      given: options.api,
      options: APIS,
      fallback: likelyApi(url),
    },
    signal,
  );
  return { api: APIS.find(({ word }) => word === api)?.word ?? "openai", url, host: null, models: [] };
}

const APIS: readonly { readonly word: ModelHostConfig["api"]; readonly says: ReturnType<typeof printable> }[] = [
  { word: "openai", says: printable("chat completions: llama.cpp, vLLM, LM Studio, OpenRouter and most others") },
  { word: "ollama", says: printable("Ollama's own interface, where window and thinking can be set") },
  { word: "anthropic", says: printable("Anthropic's messages") },
];

function likelyApi(url: string): ModelHostConfig["api"] {
  const { hostname, port, pathname } = new URL(url);
  if (/(?:^|\.)anthropic\.com$/.test(hostname)) return "anthropic";
  return port === "11434" && pathname === "/" ? "ollama" : "openai";
}

async function lookHere(
  questions: Questions,
  options: ModelOptions,
  { bench }: ModelNeeds,
  signal: AbortSignal,
): Promise<readonly FoundServer[]> {
  const ports = printable(bench.ports.join(", "));
  const look = await questions.yes(
    {
      words: text`Look for a model server on this computer (ports ${ports})`,
      option: "--look",
      given: options.look,
      fallback: false,
    },
    signal,
  );
  if (!look) return [];
  const found = await bench.look(signal);
  if (found.length === 0) {
    if (!questions.interactive)
      throw new RuntimeError("not_found", "Cannot connect a model: no server answers on those ports of this computer");
    questions.tell(line`  none answers there. Start one, or name one elsewhere.`);
  }
  return found;
}

async function askKey(
  questions: Questions,
  options: ModelOptions,
  about: { readonly server: Server; readonly needs: ModelNeeds },
  signal: AbortSignal,
): Promise<{ readonly keyed: Secret | null; readonly typed: boolean }> {
  const { key_env, key_file } = options;
  const known = [...about.needs.hosts.values()].find(({ url }) => url === about.server.url);
  if (known !== undefined) return { keyed: known.key, typed: false };
  if (key_env !== undefined && key_file !== undefined)
    throw new RuntimeError("usage", "Cannot take both --key-env and --key-file: a server has one key");
  if (key_env !== undefined) return { keyed: keyOf(keyFromEnvironment(key_env, about.needs.environment), "--key-env"), typed: false };
  if (key_file !== undefined) return { keyed: keyOf(keyFromFile(key_file, dirname(about.needs.path)), "--key-file"), typed: false };
  // What was found on this computer needs none; whoever set one there names its address instead.
  if (about.server.host !== null) return { keyed: null, typed: false };
  const keyed = await questions.hidden(
    printable("Its key (it is not shown), or only Enter for none"),
    (typed) => Secret.parse(typed, "the terminal"),
    signal,
  );
  return { keyed, typed: keyed !== null };
}

function keyOf(reading: KeyReading, option: string): Secret {
  if (reading.kind === "refused") throw new RuntimeError("usage", `Cannot take ${option}: ${reading.rule}`);
  return reading.key;
}

async function listModels(
  questions: Questions,
  server: ServerAddress,
  { bench }: ModelNeeds,
  signal: AbortSignal,
): Promise<readonly string[]> {
  return questions.interactive ? await bench.modelsOf(server, signal) : [];
}

async function askName(questions: Questions, options: ModelOptions, known: readonly string[], signal: AbortSignal): Promise<string> {
  const [only] = known;
  if (options.model === undefined && known.length > 1 && known.length <= MAX_LISTED)
    return await questions.choose(
      {
        words: printable("Which model"),
        option: "--model",
        given: undefined,
        options: known.map((word) => ({ word, says: printable(word) })),
        fallback: known[0] ?? "",
      },
      signal,
    );
  if (known.length > MAX_LISTED)
    questions.tell(toned("faint", line`  it names ${known.length} models, ${printable(known.slice(0, 5).join(", "))} among them`));
  return await questions.text(
    {
      words: printable("Model, by the name the server knows it under"),
      option: "--model",
      given: options.model,
      fallback: known.length === 1 ? (only ?? "") : "",
      check: modelNameRule,
    },
    signal,
  );
}

/** A server elsewhere has a price; without one, calls are counted instead of money. */
async function askPrice(questions: Questions, options: ModelOptions, { url }: Server, signal: AbortSignal): Promise<Price | null> {
  if (options.price === undefined && (!questions.interactive || isHere(url))) return null;
  const answer = await questions.text(
    {
      words: printable("Price of a million tokens read and written, such as 0.2 0.8, or free; only Enter if you don't know"),
      option: "--price",
      given: options.price,
      fallback: "",
      check: (typed) => (typed === "" || priceOf(typed) !== null ? null : "write two numbers with a space between them, or free"),
    },
    signal,
  );
  return priceOf(answer);
}

/** What has a price has a bound for each day: money that runs away is noticed too late. */
async function askMoney(
  questions: Questions,
  options: ModelOptions,
  price: Price | null,
  signal: AbortSignal,
): Promise<number | undefined> {
  if (price === null || price === "free") return undefined;
  const answer = await questions.text(
    {
      words: printable("Money a day at most, in the same currency; 0 for no bound"),
      option: "--money-per-day",
      given: options.money_per_day === undefined ? undefined : String(options.money_per_day),
      fallback: "1",
      check: (typed) => (/^\d{1,6}(?:\.\d{1,6})?$/.test(typed) ? null : "must be a number, such as 1 or 0.5"),
    },
    signal,
  );
  return Number(answer) === 0 ? undefined : Number(answer);
}

type Price = "free" | { readonly prompt: number; readonly completion: number };

function priceOf(typed: string): Price | null {
  if (typed.trim().toLowerCase() === "free") return "free";
  const [prompt = "", completion = "", ...more] = typed.trim().split(/[\s,/]+(?=\d)/);
  const sound = [prompt, completion].every((word) => /^\d{1,6}(?:\.\d{1,6})?$/.test(word)) && more.length === 0;
  return sound ? { prompt: Number(prompt), completion: Number(completion) } : null;
}

function isHere(url: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** A key for the host: what it is, or the word of its name that says most. A host of the same address keeps its key. */
function hostName({ host, url }: Server, taken: ModelNeeds["hosts"]): string {
  const known = [...taken].find(([, one]) => one.url === url)?.[0];
  if (known !== undefined) return known;
  const words = new URL(url).hostname.split(".").filter((word) => !["www", "api", "com", "ai", "org", "net", "io"].includes(word));
  const word = (words.at(-1) ?? "").toLowerCase().replace(/[^a-z0-9-]/g, "");
  const wanted = host ?? (isHere(url) ? "local" : /^[a-z]/.test(word) ? word.slice(0, 30) : "host");
  for (let number = 2, free = wanted; ; number += 1) {
    if (!taken.has(free)) return free;
    free = `${wanted}-${number}`;
  }
}
