import { globSync, readFileSync } from "node:fs";
import { parseSource } from "../../tools/syntax.ts";
import type { SourceFile } from "../../tools/syntax.ts";

/** What a check found: where, and which rule is broken how. */
export interface Finding {
  readonly path: string;
  readonly problem: string;
}

let tree: readonly SourceFile[] | undefined;

/** All sources that ship: `src` without tests, parsed once. */
export function readTree(): readonly SourceFile[] {
  tree ??= globSync("src/**/*.{ts,tsx}")
    .filter((path) => !/\.test\.tsx?$|\.d\.ts$/.test(path))
    .toSorted()
    .map((path) => parseSource(path, readFileSync(path, "utf8")));
  return tree;
}

/** Findings as lines, for an assertion's message. */
export function linesOf(findings: readonly Finding[]): readonly string[] {
  return findings.map(({ path, problem }) => `${path}: ${problem}`);
}

/** A file that exists only in a test: what a check must report, or must leave alone. */
export function madeUp(path: string, text: string): SourceFile {
  return parseSource(path, text);
}
