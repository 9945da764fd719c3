import type { Writable } from "node:stream";
import type { Line, Tone } from "../../foundation/line.ts";

/** The terminal of a command: lines and data, no plain strings (SE-103). */
export interface Screen {
  /** Whether a person looks at standard output, and may be shown what only that person may see. */
  readonly interactive: boolean;
  /** Columns of standard output; undefined where it is no terminal or doesn't say. */
  readonly columns: number | undefined;
  print(lines: readonly Line[]): void;
  /** The same on standard error. */
  printError(lines: readonly Line[]): void;
  /** One JSON value on one line, with every character that could act on a terminal escaped. */
  printJson(value: unknown): void;
}

/** What the screen writes to. */
export interface ScreenStreams {
  readonly out: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly error: Writable & { readonly isTTY?: boolean };
}

/** Whether a stream gets colours: a terminal, `NO_COLOR` not set, `TERM` not `dumb`. */
export function wantsColor(stream: { readonly isTTY?: boolean }, environment: Readonly<Record<string, string | undefined>>): boolean {
  return stream.isTTY === true && (environment["NO_COLOR"] ?? "") === "" && environment["TERM"] !== "dumb";
}

/** Make a screen of two streams. A reader that went away (`| head`) is no failure. */
export function createScreen(streams: ScreenStreams, environment: Readonly<Record<string, string | undefined>>): Screen {
  const writer = (stream: ScreenStreams["out"]): ((lines: readonly Line[]) => void) => {
    const color = wantsColor(stream, environment);
    stream.on("error", () => stream.destroy());
    return (lines) => {
      if (lines.length > 0 && stream.writable) stream.write(lines.map((one) => `${styled(one, color)}\n`).join(""));
    };
  };
  const print = writer(streams.out);
  return {
    interactive: streams.out.isTTY === true,
    // A terminal that does not know its size says 0.
    columns: streams.out.columns || undefined,
    print,
    printError: writer(streams.error),
    printJson: (value) => {
      if (streams.out.writable) streams.out.write(`${safeJson(value)}\n`);
    },
  };
}

const CODES: Readonly<Record<Tone, readonly [string, string] | null>> = {
  plain: null,
  strong: ["1", "22"],
  faint: ["2", "22"],
  good: ["32", "39"],
  bad: ["31", "39"],
  paper: ["97;40", "39;49"],
};

/** A line with its tone as colour or weight, where `color` is true. */
export function styled({ tone, text }: Line, color: boolean): string {
  const codes = color && text !== "" ? CODES[tone] : null;
  return codes === null ? text : `\u001b[${codes[0]}m${text}\u001b[${codes[1]}m`;
}

const HOSTILE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu;

/** JSON that prints as one harmless line and reads back as the same value (SE-103). */
export function safeJson(value: unknown): string {
  const escape = (character: string): string =>
    Array.from({ length: character.length }, (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, "0")}`).join("");
  return (JSON.stringify(value) ?? "null").replace(HOSTILE, escape);
}
