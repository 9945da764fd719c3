import { RuntimeError } from "../foundation/errors.ts";
import { printable } from "../foundation/printable.ts";
import { looksLikeCredential } from "./rules/private-text.ts";

/** Problems that one error lists, at most; the rest are counted. */
export const MAX_LISTED_PROBLEMS = 20;
const MAX_SHOWN_NAME = 40;

/** Keys and list positions from the top of the file. */
export type ConfigPath = readonly (string | number)[];

/** A place in the file, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** One broken rule. */
export interface ConfigProblem {
  readonly path: ConfigPath;
  /** Where in the file; null when the value comes from the environment or from the runtime. */
  readonly position: Position | null;
  /** The variable whose value it is, or null. */
  readonly environment: string | null;
  /** The rule in words; never a value. */
  readonly rule: string;
}

/** The configuration breaks rules. Its message has one line a problem, in order of position, safe to print (SE-103). */
export class ConfigInvalid extends RuntimeError {
  readonly problems: readonly ConfigProblem[];
  /** The file as people know it. */
  readonly file: string;

  private constructor(file: string, problems: readonly ConfigProblem[], message: string) {
    super("config_invalid", message);
    this.file = file;
    this.problems = problems;
  }

  /** Make the error of these problems. `file` is the file's name as people know it, or what stands for it. */
  static of(file: string, problems: readonly ConfigProblem[]): ConfigInvalid {
    const sorted = problems.toSorted((a, b) => rank(a) - rank(b));
    const listed = sorted.slice(0, MAX_LISTED_PROBLEMS).map((problem) => describeProblem(file, problem));
    const more = sorted.length - listed.length;
    const lines = more > 0 ? [...listed, `and ${more} more`] : listed;
    return new ConfigInvalid(file, sorted, `Cannot use the configuration:${lines.length > 1 ? "\n  " : " "}${lines.join("\n  ")}`);
  }
}

/** Write a problem as `file:line:column key: rule`. */
export function describeProblem(file: string, problem: ConfigProblem): string {
  const place = problem.position === null ? "" : `:${problem.position.line}:${problem.position.column}`;
  const source = problem.environment ?? `${printable(file, 200)}${place}`;
  const path = showPath(problem.path);
  return `${source} ${path === "" ? "" : `${path}: `}${problem.rule}`;
}

/** Write a path as `surfaces.parlour.characters[0]`. */
export function showPath(path: ConfigPath): string {
  return path.map((part, index) => (typeof part === "number" ? `[${part}]` : `${index === 0 ? "" : "."}${showName(part)}`)).join("");
}

/** Write a name from the file: as it is when plain and short, quoted when odd, only its length when it may be a secret pasted in the wrong place. */
export function showName(name: string): string {
  if (name.length > MAX_SHOWN_NAME || looksLikeCredential(name)) return `(a name of ${name.length} characters)`;
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : `"${printable(name)}"`;
}

/** Write `; did you mean X?`, or nothing. */
export function didYouMean(suggestion: string | null): string {
  return suggestion === null ? "" : `; did you mean ${showName(suggestion)}?`;
}

function rank(problem: ConfigProblem): number {
  // Files hold at most 64 KiB, so neither lines nor columns reach this factor.
  return problem.position === null ? -1 : problem.position.line * 100_000 + problem.position.column;
}
