import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";
import { CEILINGS } from "../vocabulary/limits.ts";
import { readBounded } from "./files/bounded-file.ts";
import type { Config } from "./config.ts";
import { CONFIG_FILE } from "./files/file-name.ts";
import { applyEnvironment } from "./files/environment.ts";
import { EXAMPLE_YAML } from "./writing/example.ts";
import type { Environment } from "./files/host-key.ts";
import { schemaIssues } from "./issue.ts";
import type { ConfigPath, ConfigProblem, Position } from "./problem.ts";
import { ConfigInvalid } from "./problem.ts";
import type { RawConfig } from "./schema/raw-config.ts";
import { configSchema } from "./schema/registry.ts";
import { resolveConfig } from "./resolving/resolve-config.ts";
import { resolveTokens } from "./resolving/resolve-discord.ts";
import { resolveGuardrails } from "./resolving/resolve-guardrails.ts";
import { secretFilesOf } from "./files/secret-files.ts";
import { resolveHooks } from "./resolving/resolve-hooks.ts";
import { resolveModels } from "./resolving/resolve-models.ts";
import { resolveNotify } from "./resolving/resolve-notify.ts";
import { resolveTraces } from "./resolving/resolve-traces.ts";
import { parseYaml } from "./files/yaml-file.ts";

const STATE_FOLDER = ".troupe";
const EXAMPLE_NAME = "the built-in example";

/** What helps when the file itself cannot be read. */
export const NAME_A_FILE: string = "name a regular file with --config, or leave it out";

/** What the loader may look at: nothing of the process itself. */
export interface LoadOptions {
  /** The file, as the person named it; else `TROUPE_CONFIG`, else `troupe.yaml` in `cwd`, else the built-in example. */
  readonly path?: string;
  /** Absolute working folder. */
  readonly cwd: string;
  readonly environment: Environment;
  /** The state folder, as the person named it; else `TROUPE_STATE`, else `.troupe` beside the file or in `cwd`. */
  readonly stateDirectory?: string;
}

/** A configuration with what `check` and a reload need of its file. */
export interface LoadedConfig {
  readonly config: Config;
  readonly raw: RawConfig;
  /** The name of its source for people: safe to print once it went through `printable`. */
  readonly name: string;
  /** Absolute path and change mark of the file; null for the built-in example. */
  readonly file: { readonly path: string; readonly stamp: string } | null;
  /** The place of a key in the file; null where a default or the environment speaks. */
  locate(path: ConfigPath): Position | null;
}

/**
 * Read, check and complete the configuration; nothing is written. All broken rules are found at once, at most 20 are listed.
 * @throws ConfigInvalid (`config_invalid`) with file, line and column of each; RuntimeError `config_missing` when a named file, or `troupe.yaml` itself, is no regular file that can be read.
 */
export function loadConfig(options: LoadOptions): LoadedConfig {
  const source = readSource(options);
  const directory = source.file === null ? options.cwd : dirname(source.file.path);
  const yaml = parseYaml(source.text);
  const problems: ConfigProblem[] = [...yaml.problems];
  const { data, overridden } = applyEnvironment(yaml.data, options.environment);
  const note = (path: ConfigPath, rule: string, what: "key" | "value" = "value"): void => {
    const environment = overridden.get(JSON.stringify(path)) ?? null;
    problems.push({ path, position: environment === null ? yaml.locate(path, what) : null, environment, rule });
  };
  const refuse = (): ConfigInvalid => ConfigInvalid.of(source.name, problems);

  if (yaml.data === undefined) throw refuse();
  if (yaml.data === null) note([], "is empty");
  const parsed = configSchema.safeParse(data);
  for (const issue of parsed.success || yaml.data === null ? [] : schemaIssues(parsed.error, data))
    note(issue.path, issue.rule, issue.what);
  if (!parsed.success) throw refuse();
  const models = resolveModels(parsed.data, { directory, environment: options.environment }, note);
  const notify = resolveNotify(parsed.data, { directory, environment: options.environment }, note);
  const tokens = resolveTokens(parsed.data, { directory, environment: options.environment }, note);
  const traces = resolveTraces(parsed.data, { directory, environment: options.environment }, note);
  const stateDirectory = stateDirectoryOf(options, directory);
  const guardrails = resolveGuardrails(parsed.data, (path) => yaml.locate(path, "key"), note);
  const hooks = resolveHooks(parsed.data, directory, note);
  const secretFiles = secretFilesOf(parsed.data, directory);
  const needs = { path: source.file?.path ?? null, secretFiles, stateDirectory, models, notify, tokens, traces, guardrails, hooks };
  const config = resolveConfig(parsed.data, needs, note);
  if (problems.length > 0) throw refuse();
  return {
    config,
    raw: parsed.data,
    name: source.name,
    file: source.file,
    locate: (path) => (overridden.has(JSON.stringify(path)) ? null : yaml.locate(path, "value")),
  };
}

interface Source {
  readonly text: string;
  readonly name: string;
  readonly file: { readonly path: string; readonly stamp: string } | null;
}

function readSource(options: LoadOptions): Source {
  const named = options.path ?? (options.environment["TROUPE_CONFIG"] || undefined);
  const path = resolve(options.cwd, named ?? CONFIG_FILE);
  const name = shortName(path, options.cwd);
  const read = readBounded(path, CEILINGS.configBytes);
  switch (read.kind) {
    case "missing":
      if (named === undefined) return { text: EXAMPLE_YAML, name: EXAMPLE_NAME, file: null };
      throw new RuntimeError("config_missing", `Cannot read the configuration ${printable(name)}: it does not exist; ${NAME_A_FILE}`);
    case "refused":
      throw new RuntimeError("config_missing", `Cannot read the configuration ${printable(name)}: ${read.why}; ${NAME_A_FILE}`);
    case "too_large":
      throw ConfigInvalid.of(name, [problemOfFile(`is over ${CEILINGS.configBytes} bytes, which is the hard ceiling; shorten it`)]);
    case "read":
      return { text: decode(read.bytes, name), name, file: { path, stamp: read.stamp } };
  }
}

function decode(bytes: Uint8Array, name: string): string {
  const text = Buffer.from(bytes).toString("utf8");
  if (!Buffer.from(text).equals(bytes)) throw ConfigInvalid.of(name, [problemOfFile("is not UTF-8 text")]);
  if (text.includes("\0")) throw ConfigInvalid.of(name, [problemOfFile("holds NUL characters")]);
  return text;
}

function problemOfFile(rule: string): ConfigProblem {
  return { path: [], position: { line: 1, column: 1 }, environment: null, rule };
}

function stateDirectoryOf(options: LoadOptions, directory: string): string {
  const named = options.stateDirectory ?? (options.environment["TROUPE_STATE"] || undefined);
  return named === undefined ? join(directory, STATE_FOLDER) : resolve(options.cwd, named);
}

/** A file below the working folder by its short path, any other by its whole one. */
function shortName(path: string, cwd: string): string {
  const short = relative(cwd, path);
  return short === "" || short.startsWith("..") || isAbsolute(short) ? path : short;
}
