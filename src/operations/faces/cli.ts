import { Command as CommanderCommand, CommanderError } from "commander";
import { RuntimeError, isRuntimeError } from "../../foundation/errors.ts";
import type { Line } from "../../foundation/line.ts";
import { toned } from "../../foundation/line.ts";
import { printable } from "../../foundation/printable.ts";
import type { ArgumentFacts, Command } from "../operation.ts";
import { EXIT_CODES } from "../operation.ts";
import type { StartRequest } from "../runtime-face.ts";
import type { Screen } from "./screen.ts";
import { wireErrorOf } from "./wire.ts";

/** The command that `troupe` alone means. */
const DEFAULT_COMMAND = "run";
/** Options of `troupe` itself whose value is the next word. */
const TAKES_VALUE: readonly string[] = ["--config", "--state"];
/** Longest line of help or of a usage error, in characters. */
const MAX_HELP_CHARACTERS = 500;
/** Columns of help: where the terminal's are unknown, and at most, because longer rows are hard to read. */
const DEFAULT_COLUMNS = 80;
const MAX_COLUMNS = 100;

/** Options that every command takes. */
export interface GlobalOptions extends StartRequest {
  readonly json: boolean;
}

/** What the command line needs. */
export interface CliNeeds {
  readonly version: string;
  readonly commands: readonly Command[];
  readonly screen: Screen;
  /** Run a command, here or in the running process. */
  run(name: string, args: unknown, options: GlobalOptions, signal: AbortSignal): Promise<unknown>;
}

interface Call {
  readonly command: Command;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Read the arguments, run one command, show what came of it, and give the exit code. Never throws. */
export async function runCli(argv: readonly string[], needs: CliNeeds, signal: AbortSignal): Promise<number> {
  const json = argv.includes("--json");
  try {
    const parsed = parse(withoutVainHelp(withDefaultCommand(argv), needs), needs);
    if (parsed === null) return EXIT_CODES.done;
    parsed.call.command.check(parsed.call.args);
    const result = await needs.run(parsed.call.command.name, parsed.call.args, parsed.options, signal);
    const presented = parsed.call.command.present(result);
    if (parsed.options.json) needs.screen.printJson(presented.json);
    else needs.screen.print(presented.lines);
    return EXIT_CODES[presented.exit];
  } catch (error) {
    return showFailure(error, json, needs.screen);
  }
}

/** Show a failure as one line, or as JSON where a program reads, and give its exit code. */
export function showFailure(error: unknown, json: boolean, screen: Screen): number {
  const failure = wireErrorOf(error);
  if (json) screen.printJson({ error: failure });
  else if (failure.code !== "aborted") screen.printError(linesOf(`troupe: ${failure.message}`).map((one) => toned("bad", one)));
  if (isRuntimeError(error, "aborted")) return EXIT_CODES.interrupted;
  return isRuntimeError(error, "usage") ? EXIT_CODES.usage : EXIT_CODES.failed;
}

/** `troupe`, and `troupe` with nothing but options, runs the characters. */
function withDefaultCommand(argv: readonly string[]): readonly string[] {
  const words = argv.filter((word, at) => !word.startsWith("-") && !TAKES_VALUE.includes(argv[at - 1] ?? ""));
  const asks = argv.some((word) => ["-h", "--help", "-V", "--version"].includes(word));
  return words.length === 0 && !asks ? [DEFAULT_COMMAND, ...argv] : argv;
}

/** `help nope` is read as `nope`: the parser then names the unknown command, where its own help would list everything. */
function withoutVainHelp(argv: readonly string[], { commands }: CliNeeds): readonly string[] {
  const words = [...argv.keys()].filter((at) => !(argv[at] ?? "").startsWith("-") && !TAKES_VALUE.includes(argv[at - 1] ?? ""));
  const [help = -1, about = -1] = words;
  const wanted = argv[about];
  if (argv[help] !== "help" || wanted === undefined || wanted === "help" || commands.some(({ name }) => name === wanted)) return argv;
  return argv.filter((_, at) => at !== help);
}

function parse(argv: readonly string[], needs: CliNeeds): { readonly call: Call; readonly options: GlobalOptions } | null {
  const calls: Call[] = [];
  const said: string[] = [];
  const program = new CommanderCommand("troupe");
  program
    .description("AI characters that live among people")
    .version(needs.version)
    .option("--config <file>", "the configuration file (default: troupe.yaml here, or the built-in example)")
    .option("--state <folder>", "where everything is kept (default: .troupe beside the configuration)")
    .option("--json", "print one JSON value for programs")
    .showHelpAfterError("(--help lists what there is)")
    .configureHelp({ showGlobalOptions: true, helpWidth: Math.min(needs.screen.columns ?? DEFAULT_COLUMNS, MAX_COLUMNS) })
    .configureOutput({ writeOut: (text) => needs.screen.print(linesOf(text)), writeErr: (text) => void said.push(text) })
    .exitOverride();
  for (const command of needs.commands) addCommand(program, command, (args) => void calls.push({ command, args }));
  try {
    program.parse([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return null;
    throw new RuntimeError(
      "usage",
      printable(
        `Cannot read the command line: ${said
          .join(" ")
          .replace(/^error: /, "")
          .trim()
          .replace(/\s*\n\s*/g, " ")}`,
        MAX_HELP_CHARACTERS,
      ),
      { cause: error },
    );
  }
  const { config, state, json } = program.opts<{ config?: string; state?: string; json?: boolean }>();
  const [call] = calls;
  return call === undefined ? null : { call, options: { config: config ?? null, state: state ?? null, json: json === true } };
}

function addCommand(program: CommanderCommand, command: Command, take: (args: Readonly<Record<string, unknown>>) => void): void {
  const sub = program.command(command.name).summary(command.summary).description(command.summary).allowExcessArguments(false);
  const positional = command.arguments.filter((argument) => argument.positional);
  for (const { name, kind, required, description } of positional) {
    const shown = `${name}${kind === "list" ? "..." : ""}`;
    sub.argument(required ? `<${shown}>` : `[${shown}]`, description);
  }
  for (const argument of command.arguments) if (!argument.positional) sub.option(flagOf(argument), argument.description);
  sub.action(() => {
    const values: Record<string, unknown> = {};
    for (const [at, argument] of positional.entries()) put(values, argument, sub.processedArgs[at]);
    const options: Readonly<Record<string, unknown>> = sub.opts();
    for (const argument of command.arguments) if (!argument.positional) put(values, argument, options[camel(argument.name)]);
    take(values);
  });
}

function flagOf({ name, kind }: ArgumentFacts): string {
  const flag = `--${name.replaceAll("_", "-")}`;
  if (kind === "flag") return flag;
  return `${flag} <${kind === "number" ? "n" : "value"}${kind === "list" ? "..." : ""}>`;
}

function camel(name: string): string {
  return name.replace(/[_-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Set an argument that was given; a number stays text when it is none, so that the operation's own check names the fault. */
function put(values: Record<string, unknown>, { name, kind }: ArgumentFacts, value: unknown): void {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
  const number = kind === "number" && typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  values[name] = Number.isNaN(number) ? value : number;
}

function linesOf(text: string): readonly Line[] {
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((row) => ({ tone: "plain", text: printable(row, MAX_HELP_CHARACTERS) }));
}
