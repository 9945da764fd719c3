import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import type { Line } from "../foundation/line.ts";
import { printable } from "../foundation/printable.ts";
import type { CharacterId, MessageId } from "../vocabulary/ids.ts";
import type { Place } from "../vocabulary/place.ts";
import type { OriginFacts } from "../vocabulary/origin.ts";
import type { Assurance } from "../vocabulary/principal.ts";

/** What a command ends with, for scripts: 0 done, 1 failed, 2 usage, 3 a question waits, 4 still running, 130 interrupted. */
export const EXIT_CODES = { done: 0, failed: 1, usage: 2, question: 3, running: 4, interrupted: 130 } as const;
/** How a command ended, by name. */
export type Exit = keyof typeof EXIT_CODES;

/** Who may call an operation: all three must hold (TR-009, SE-081). */
export interface Who {
  /** The least role. Blocked people and bots never reach any. */
  readonly role: "guest" | "trusted" | "operator";
  /** The least assurance of the line it is called on. */
  readonly assurance: Assurance;
  /** `direct`: only where nobody else reads the answer. */
  readonly where: "direct" | "anywhere";
  /** Only at this computer's terminal: no page and no other face reaches it (TR-073). */
  readonly terminal?: true;
}

/** The person at the own terminal or in the exchanged console, and nobody else. */
export const OWNER_ONLY: Who = { role: "operator", assurance: "local", where: "direct" };

/** An operator in private, from an account that its platform vouches for, or at the own machine (SE-081). */
export const OPERATORS_LINE: Who = { role: "operator", assurance: "platform", where: "direct" };

/** The line a command of chat stands on. */
export interface SaidLine {
  readonly id: MessageId;
  /** Where it was said. */
  readonly place: Place;
  readonly character: CharacterId;
  /** Name of the character it was said to. */
  readonly characterName: string;
  /** That character's language (`en`, `de-CH`); absent when none is set. */
  readonly language?: string;
}

/** Who calls, and until when. */
export interface OperationContext {
  readonly actor: OriginFacts;
  readonly signal: AbortSignal;
  /** Only for commands that are said in a conversation. */
  readonly said?: SaidLine;
}

/** All that is known of a command before anything runs: light data, so that `--help` loads no runtime. */
export interface Declaration<Args, Result> {
  /** A lower-case word. */
  readonly name: string;
  /** One sentence without a full stop: what it does for the caller. */
  readonly summary: string;
  /** A strict object whose fields each have a description; faces derive their options from it. */
  readonly arguments: z.ZodType<Args>;
  /** Fields that a command line takes without a name, in order. */
  readonly positional: readonly (keyof Args & string)[];
  readonly who: Who;
  /** The result is JSON data of this shape: what programs get, and what is checked when it came over a socket. */
  readonly result: z.ZodType<Result>;
  /** The result for people. Foreign text gets in only as `Printable` (SE-103). */
  render(result: Result): readonly Line[];
  /** How it ended; `done` where this is absent. */
  exit?(result: Result): Exit;
}

/** One argument as a face sees it. */
export interface ArgumentFacts {
  readonly name: string;
  readonly description: string;
  readonly kind: "text" | "number" | "flag" | "list";
  readonly required: boolean;
  readonly positional: boolean;
}

/** A declared command with its types closed over: what faces list, check and present. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly who: Who;
  readonly arguments: readonly ArgumentFacts[];
  /** Check arguments without running. @throws RuntimeError `usage` for what it does not take. */
  check(args: unknown): void;
  /** A result as JSON, as lines, and as an exit. @throws RuntimeError `internal` when it is not of the declared shape. */
  present(result: unknown): Presented;
}

/** One result, ready for any face. */
export interface Presented {
  readonly json: unknown;
  readonly lines: readonly Line[];
  readonly exit: Exit;
}

/** A command that can run. */
export interface Operation extends Command {
  /** Check the arguments and run. @throws RuntimeError `usage` for arguments it does not take, or what the handler throws. */
  run(args: unknown, context: OperationContext): Promise<unknown>;
}

/** A command and its typed end, to be bound to a handler by whoever holds what the handler needs. */
export interface Declared<Args, Result> extends Command {
  /** A result that came over a socket, checked. @throws RuntimeError `internal` when it is not of the declared shape. */
  parse(result: unknown): Result;
  bind(handler: (args: Args, context: OperationContext) => Promise<Result>): Operation;
}

/** Declare a command. Arguments and result are checked at every run, whatever the face (TR-009). @throws RuntimeError `invalid_argument` for a declaration that faces could not show. */
export function declare<Args, Result>(declaration: Declaration<Args, Result>): Declared<Args, Result> {
  const command: Command = {
    name: declaration.name,
    summary: declaration.summary,
    who: declaration.who,
    arguments: argumentFacts(declaration),
    check: (args) => void checkArguments(declaration, args),
    present(result) {
      const checked = checkResult(declaration, result);
      return { json: checked, lines: declaration.render(checked), exit: declaration.exit?.(checked) ?? "done" };
    },
  };
  return {
    ...command,
    parse: (result) => checkResult(declaration, result),
    bind: (handler) => ({
      ...command,
      run: async (args, context) => checkResult(declaration, await handler(checkArguments(declaration, args), context)),
    }),
  };
}

function checkArguments<Args, Result>(declaration: Declaration<Args, Result>, args: unknown): Args {
  const parsed = declaration.arguments.safeParse(args);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  // Only names of declared fields and the kind of fault are told: a value may be a secret or hostile text.
  const field = fieldNames(declaration).find((name) => name === issue?.path[0]);
  const what =
    issue?.code === "unrecognized_keys"
      ? "it takes no such argument"
      : field === undefined
        ? "the arguments are not an object of the declared shape"
        : `"${field}" ${faultOf(issue)}`;
  throw new RuntimeError("usage", `Cannot run ${declaration.name}: ${what}`);
}

function faultOf(issue: z.core.$ZodIssue | undefined): string {
  if (issue?.code === "invalid_type") return `must be ${issue.expected === "int" ? "a whole number" : `a ${issue.expected}`}`;
  if (issue?.code === "too_big") return `must be at most ${issue.maximum}`;
  if (issue?.code === "too_small") return `must be at least ${issue.minimum}`;
  if (issue?.code === "invalid_value") return `must be ${issue.values.map(String).join(" or ")}`;
  return "has not the declared form";
}

function checkResult<Args, Result>(declaration: Declaration<Args, Result>, result: unknown): Result {
  const parsed = declaration.result.safeParse(result);
  if (!parsed.success) throw new RuntimeError("internal", `Cannot show the result of ${declaration.name}: it is not of the declared shape`);
  return parsed.data;
}

const KINDS: Readonly<Record<string, ArgumentFacts["kind"]>> = {
  string: "text",
  number: "number",
  integer: "number",
  boolean: "flag",
  array: "list",
};

/** What `z.toJSONSchema` gives of an object, checked rather than trusted. */
const argumentSchema = z.object({
  properties: z.record(z.string(), z.object({ type: z.string().optional(), description: z.string().optional() })).default({}),
  required: z.array(z.string()).default([]),
});

function schemaOf<Args, Result>(declaration: Declaration<Args, Result>): z.infer<typeof argumentSchema> {
  const schema: z.ZodType = declaration.arguments;
  return argumentSchema.parse(z.toJSONSchema(schema, { io: "input" }));
}

function fieldNames<Args, Result>(declaration: Declaration<Args, Result>): string[] {
  return Object.keys(schemaOf(declaration).properties);
}

function argumentFacts<Args, Result>(declaration: Declaration<Args, Result>): readonly ArgumentFacts[] {
  const refuse = (why: string): never => {
    throw new RuntimeError("invalid_argument", `Cannot declare ${printable(declaration.name, 40)}: ${why}`);
  };
  if (!/^[a-z][a-z-]{1,30}$/.test(declaration.name)) refuse("a name is a lower-case word");
  const schema = schemaOf(declaration);
  const facts = Object.entries(schema.properties).map(([name, { type, description }]): ArgumentFacts => {
    const kind = KINDS[type ?? ""];
    if (kind === undefined) return refuse(`argument ${name} is no text, number, flag or list`);
    if (description === undefined) return refuse(`argument ${name} has no description`);
    return {
      name,
      description,
      kind,
      required: schema.required.includes(name),
      positional: declaration.positional.some((one) => one === name),
    };
  });
  if (declaration.positional.some((name) => !facts.some((fact) => fact.name === name))) refuse("a positional argument is not declared");
  return [...facts.filter((fact) => fact.positional), ...facts.filter((fact) => !fact.positional)];
}
