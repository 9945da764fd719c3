import { rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { RuntimeError } from "../foundation/errors.ts";
import { line } from "../foundation/line.ts";
import type { Printable } from "../foundation/printable.ts";
import { printable } from "../foundation/printable.ts";
import type { Declared, Operation } from "./operation.ts";
import { OWNER_ONLY, declare } from "./operation.ts";

/** Name of the redirect file in the state folder. */
const REDIRECT_FILE = "console.html";

/** A fresh way into the console, from the running process. */
export interface ConsoleCode {
  readonly url: string;
  readonly code: string;
}

/** Asks the running process for a fresh code; the command line alone shows it, as `troupe console`. */
export const consoleCode: Declared<Record<string, never>, ConsoleCode> = declare<Record<string, never>, ConsoleCode>({
  name: "console-code",
  summary: "make a one-time code for the console",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ url: z.string(), code: z.string() }),
  render: () => [line`A code was made; troupe console shows the way.`],
});

/** Bind it to the console's listener. */
export function bindConsoleCode(console: { readonly url: string; issue(): string }): Operation {
  return consoleCode.bind(() => Promise.resolve({ url: console.url, code: console.issue() }));
}

/** Result of `troupe console`: an address that holds a code is for eyes only and never in it for programs. */
export interface ConsoleWay {
  readonly url: string;
  /** The file to open in a browser; null when the address itself was shown. */
  readonly file: string | null;
}

/** `troupe console`. */
export const consoleCommand: Declared<Record<string, never>, ConsoleWay> = declare<Record<string, never>, ConsoleWay>({
  name: "console",
  summary: "show a fresh one-time way into the console, good for a minute",
  arguments: z.strictObject({}),
  positional: [],
  who: OWNER_ONLY,
  result: z.object({ url: z.string(), file: z.string().nullable() }),
  render: ({ file }) => (file === null ? [] : [line`Open this file in a browser: ${printable(file)}`]),
});

/** A one-time code in the fragment, which no browser sends anywhere (SE-086). */
export function consoleAddress({ url, code }: ConsoleCode): Printable {
  return printable(`${url.replace(/\/$/, "")}/#code=${code}`);
}

/**
 * Write the file that leads a browser to the console, readable by its owner alone, and give its path: for when nobody looks at
 * the output, so that no code gets into a log (SE-086). @throws RuntimeError `state_unwritable`
 */
export async function writeRedirect(stateDirectory: string, way: ConsoleCode): Promise<string> {
  const path = join(stateDirectory, REDIRECT_FILE);
  const fresh = `${path}.${process.pid}.new`;
  const address = consoleAddress(way).replace(/[&"<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Troupe</title><meta http-equiv="refresh" content="0;url=${address}">\n`;
  try {
    await writeFile(fresh, page, { mode: 0o600, flag: "w" });
    await rename(fresh, path);
  } catch (cause) {
    throw new RuntimeError("state_unwritable", "Cannot write the way into the console: the state folder takes no file", { cause });
  }
  return path;
}
