import { RuntimeError } from "../../foundation/errors.ts";
import { printable } from "../../foundation/printable.ts";
import { checkDiscord } from "./check-discord.ts";
import { checkReach } from "./check-reach.ts";
import type { Config } from "../config.ts";
import { disclosureLine, roomsOf } from "../config.ts";
import { inspectStateDirectory } from "../files/state-directory.ts";
import type { LoadOptions, LoadedConfig } from "../load.ts";
import { NAME_A_FILE, loadConfig } from "../load.ts";
import { modelFindings } from "./check-models.ts";
import { readHook } from "../resolving/read-hook.ts";
import { findPrivateRisks } from "../rules/private-text.ts";
import type { ConfigPath } from "../problem.ts";
import { ConfigInvalid, describeProblem, showPath } from "../problem.ts";
import { configKeys, LAUNCH_SETTINGS, STANDARD_OPERATOR } from "../schema/registry.ts";
import type { TriggerRow } from "./triggers.ts";
import { listTriggers } from "./triggers.ts";

/** One thing that was looked at. All texts are one line, safe to print, and hold no value from the file. */
export interface Finding {
  readonly level: "ok" | "warn" | "error";
  /** The key, or the thing, that it is about. */
  readonly path: string;
  /** Line in the file; null when no line is to blame. */
  readonly line: number | null;
  readonly message: string;
  /** What to do; "" when nothing is to be done. */
  readonly cure: string;
}

/** All findings, and who may trigger what; the table is empty where the configuration cannot be read. */
export interface CheckReport {
  readonly findings: readonly Finding[];
  readonly triggers: readonly TriggerRow[];
}

/** What a port is found to be. `own` when the running troupe of this state folder holds it. */
export type PortState = "free" | "taken" | "own" | "forbidden" | "no_address";

/** A port of an address of this computer. */
export interface PortAt {
  readonly port: number;
  readonly address: string;
}

/** What `check` needs beside the files: the owner of sockets looks at ports. */
export interface CheckNeeds {
  readonly options: LoadOptions;
  portState(at: PortAt, signal: AbortSignal): Promise<PortState>;
}

/** Look at configuration, state folder, ports, model, people and authors' texts; changes nothing and sends nothing. @throws the signal's reason on abort. */
export async function checkConfig(needs: CheckNeeds, signal: AbortSignal): Promise<CheckReport> {
  let loaded: LoadedConfig;
  try {
    loaded = loadConfig(needs.options);
  } catch (error) {
    return { findings: unusable(error), triggers: [] };
  }
  const { config } = loaded;
  const findings = [
    checkFile(loaded),
    checkState(config),
    ...(await checkPorts(loaded, needs, signal)),
    ...checkOutside(loaded),
    ...checkBots(loaded),
    ...checkModels(loaded),
    ...checkPeople(loaded),
    ...checkGuardrails(loaded),
    ...checkHooks(loaded),
    ...checkTexts(loaded),
    ...checkVariables(loaded, needs.options.environment),
  ];
  return { findings, triggers: listTriggers(config) };
}

/** What a finding is about: a thing by name, or a key with its line. */
type About = string | { readonly path: string; readonly line: number | null };

function finding(level: Finding["level"], about: About, message: string, cure: string = ""): Finding {
  const { path, line } = typeof about === "string" ? { path: about, line: null } : about;
  return { level, path, line, message, cure };
}

function keyOf(loaded: LoadedConfig, path: ConfigPath): About {
  return { path: showPath(path), line: loaded.locate(path)?.line ?? null };
}

function unusable(error: unknown): Finding[] {
  if (error instanceof ConfigInvalid) {
    return error.problems.map((problem) => {
      const about = { path: showPath(problem.path) || "configuration", line: problem.position?.line ?? null };
      return finding("error", about, describeProblem(error.file, problem), "correct it; docs/configuration.md lists every key");
    });
  }
  if (!(error instanceof RuntimeError)) throw error;
  return [finding("error", "configuration", error.message.replace(`; ${NAME_A_FILE}`, ""), NAME_A_FILE)];
}

function checkFile(loaded: LoadedConfig): Finding {
  if (loaded.file !== null) return finding("ok", "configuration", `${printable(loaded.name)} is in order`);
  return finding("ok", "configuration", "none found, so the built-in example is used", "troupe init writes a first troupe.yaml");
}

function checkState({ stateDirectory }: Config): Finding {
  const found = inspectStateDirectory(stateDirectory);
  const shown = printable(stateDirectory);
  if (found.kind === "refused") return finding("error", "state", `${shown} cannot be used: ${found.why}`, found.cure);
  return finding("ok", "state", `${shown} ${found.kind === "there" ? "can be written" : "will be made"}`);
}

const LOOPBACK = "127.0.0.1";

/** What is open to whom. */
function checkOutside(loaded: LoadedConfig): Finding[] {
  return roomsOf(loaded.config).flatMap((room) =>
    checkReach(room).map(({ level, key, message, cure }) => {
      const about = keyOf(loaded, ["surfaces", room.name, key]);
      return finding(level, about, printable(message), cure);
    }),
  );
}

/** Who is let in by each bot. */
function checkBots(loaded: LoadedConfig): Finding[] {
  return [...loaded.config.surfaces.values()].flatMap((surface) => {
    if (surface.kind !== "discord") return [];
    return checkDiscord(surface, loaded.config).map(({ level, key, message, cure }) =>
      finding(level, keyOf(loaded, ["surfaces", surface.name, key]), message, cure),
    );
  });
}

async function checkPorts(loaded: LoadedConfig, needs: CheckNeeds, signal: AbortSignal): Promise<Finding[]> {
  const { surfaces, console } = loaded.config;
  const rooms = roomsOf(loaded.config).map(({ name, port, outside }) => {
    return { path: ["surfaces", name, "port"], port, address: outside?.address ?? LOOPBACK };
  });
  const findings: Finding[] = [];
  for (const { path, port, address } of [...rooms, { path: ["console", "port"], port: console.port, address: LOOPBACK }]) {
    findings.push(portFinding(keyOf(loaded, path), port, port === 0 ? "free" : await needs.portState({ port, address }, signal)));
  }
  if (surfaces.size === 0)
    findings.push(finding("warn", "surfaces", "no place is configured: only the terminal and the console remain", "add a room"));
  return findings;
}

function portFinding(about: About, port: number, state: PortState): Finding {
  switch (state) {
    case "free":
      return finding("ok", about, port === 0 ? "any free port" : `port ${port} is free`);
    case "own":
      return finding("ok", about, `port ${port} is held by the troupe that runs now`);
    case "taken":
      return finding("error", about, `port ${port} is taken by another program`, "end that program, or write another port");
    case "forbidden":
      return finding("error", about, `port ${port} may not be opened by this user`, "write a port above 1023");
    case "no_address":
      return finding("error", about, "this computer has no such address to listen on", "write one of its own under listen, or 0.0.0.0");
  }
}

function checkModels(loaded: LoadedConfig): Finding[] {
  return modelFindings(loaded.config).map(({ level, path, message, cure }) => {
    const line = loaded.file === null ? null : (loaded.locate(path)?.line ?? null);
    return finding(level, level === "warn" ? { path: path.join("."), line } : path.join("."), message, cure);
  });
}

/** Words that say what speaks; any other language gets the warning too often rather than never. */
const SAYS_AI = /(?<!\p{L})(?:AI|A\.I\.|KI|IA|bot|chatbot|robot|artificial|automated|künstliche|artificielle)(?!\p{L})|人工|機械|ИИ/iu;

function checkPeople(loaded: LoadedConfig): Finding[] {
  const { people, surfaces, delivery } = loaded.config;
  const listed = people.operators.length === 0 ? "" : `, and ${people.operators.length} listed`;
  const findings = [finding("ok", "people.operators", `you, at the terminal and the console${listed}`)];
  for (const { kind, name, admission } of surfaces.values()) {
    if (kind === "discord" || admission !== "trusted") continue;
    const about = keyOf(loaded, ["surfaces", name, "admission"]);
    findings.push(
      finding(
        "warn",
        about,
        "only trusted people are answered in public, and a new place trusts nobody",
        "trust people by name, or write addressed",
      ),
    );
  }

  if (!SAYS_AI.test(disclosureLine(delivery.disclosure))) {
    const about = keyOf(loaded, ["delivery", "disclosure", "what"]);
    findings.push(finding("warn", about, "the first line people get does not seem to say that an AI speaks", "say it in words they know"));
  }
  return findings;
}

/** Authors' texts with what belongs to the real world (SE-088): visitors can get at all of it. */
function checkTexts(loaded: LoadedConfig): Finding[] {
  const names = configuredNames(loaded);
  return [...loaded.config.characters.values()].flatMap((character) =>
    (["private", "description", "greeting"] as const).flatMap((word) => {
      const risks = findPrivateRisks(character[word], names);
      if (risks.length === 0) return [];
      const reach = word === "private" ? "visitors can talk a character out of its private text" : "everyone may be told this text";
      const about = keyOf(loaded, ["characters", character.id, word]);
      return [finding("warn", about, `seems to hold a ${risks.join(", a ")}; ${reach}`, "keep it fiction: take out what is real")];
    }),
  );
}

/** Rules over calls: how many vote, and what was switched off. */
function checkGuardrails(loaded: LoadedConfig): Finding[] {
  const { rules, disabled, enabled, mode } = loaded.config.guardrails;
  if (rules.length === 0) return [];
  const voting = rules.filter((rule) => !disabled.includes(rule.id) && rule.modes.includes(mode)).length;
  const told = finding(
    "ok",
    "guardrails.rules",
    `${voting} of ${rules.length} rules vote, mode ${mode}; troupe guardrails lists and tries them`,
  );
  if (enabled) return [told];
  const about = keyOf(loaded, ["guardrails", "enabled"]);
  return [
    told,
    finding("warn", about, "rules and hooks ask nothing; only what they deny is denied", "take the key away when that is over"),
  ];
}

/** The operator's own code: what is run, and whether it is what was named (SE-092, CH-084). */
function checkHooks(loaded: LoadedConfig): Finding[] {
  return loaded.config.hooks.map((hook) => {
    const file = readHook(hook);
    const about = keyOf(loaded, ["hooks", hook.name, "sha256"]);
    if (file.kind === "text")
      return finding(
        "ok",
        about,
        `runs with what this process may do, as its own code; hears ${hook.events.join(", ")}; SHA-256 ${hook.sha256}`,
      );
    const then = hook.required ? "every call of a tool is denied until it can be used" : "it is not heard";
    return finding(hook.required ? "error" : "warn", about, `${file.why}; ${then}`, file.cure);
  });
}

/** What the configuration itself names of the real world. */
function configuredNames({ config, raw }: LoadedConfig): string[] {
  const accounts = config.people.operators.flatMap((operator) => [operator, operator.split(":").at(-1) ?? ""]);
  const hosts = [...config.models.hosts.values()].map((host) => new URL(host.url.origin).hostname);
  const keys = Object.values(raw.models.hosts).flatMap(({ key_env, key_file }) => [key_env ?? "", key_file ?? ""]);
  const { operator } = config.delivery.disclosure;
  return [...accounts, ...hosts, ...keys, operator].filter((name) => name !== "" && name !== STANDARD_OPERATOR);
}

/** A mistyped variable would be passed over in silence. */
function checkVariables({ raw }: LoadedConfig, environment: LoadOptions["environment"]): Finding[] {
  const known = new Set<string | undefined>([
    ...configKeys().map((row) => row.environment),
    ...LAUNCH_SETTINGS.map((setting) => setting.environment),
    ...Object.values(raw.models.hosts).map((host) => host.key_env),
    ...Object.values(raw.surfaces).map((surface) => (surface.kind === "discord" ? surface.token_env : undefined)),
  ]);
  const unknown = Object.keys(environment).filter((name) => name.startsWith("TROUPE_") && !known.has(name));
  return unknown
    .toSorted()
    .slice(0, 10)
    .map((name) =>
      finding("warn", printable(name, 60), "no such variable is known, so it does nothing", "docs/configuration.md lists them"),
    );
}
