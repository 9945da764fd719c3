import assert from "node:assert/strict";
import { test } from "node:test";
import { ERROR_CODES } from "../../src/foundation/errors.ts";
import { literalOf, walk } from "../../tools/syntax.ts";
import type { SourceFile } from "../../tools/syntax.ts";
import { madeUp, readTree } from "./tree.ts";

/**
 * Codes are read by programs: they are added, and never renamed or given another meaning. When this list goes red, add the new
 * code here and one line to CHANGELOG.md; when one is missing, put it back.
 */
const PINNED: readonly string[] = [
  "aborted",
  "budget_spent",
  "turn_ceiling",
  "capacity",
  "closed",
  "config_invalid",
  "config_missing",
  "deadline",
  "disk_full",
  "forbidden",
  "forged",
  "internal",
  "invalid_argument",
  "join_timeout",
  "model_cut",
  "model_declined",
  "model_empty",
  "model_format",
  "model_malformed",
  "model_rate_limited",
  "model_refused_redirect",
  "model_rejected",
  "model_status",
  "model_too_large",
  "model_unreachable",
  "model_window",
  "not_found",
  "packet_leak",
  "not_running",
  "port_in_use",
  "secret_invalid",
  "state_busy",
  "state_corrupt",
  "state_newer",
  "state_older",
  "state_unwritable",
  "truncated_by_host",
  "usage",
];

/** String literals of a file: what it could throw or compare. */
function wordsOf(file: SourceFile): ReadonlySet<string> {
  const words = new Set<string>();
  walk(file.program, (node) => {
    const word = literalOf(node);
    if (word !== null) words.add(word);
  });
  return words;
}

function unusedCodes(codes: readonly string[], files: readonly SourceFile[]): readonly string[] {
  const used = new Set(files.flatMap((file) => [...wordsOf(file)]));
  return codes.filter((code) => !used.has(code));
}

test("the error codes are the pinned ones", () => {
  assert.deepEqual(Object.keys(ERROR_CODES).toSorted(), PINNED.toSorted());
});

test("every error code has one plain sentence", () => {
  for (const [code, sentence] of Object.entries(ERROR_CODES)) {
    assert.match(code, /^[a-z]+(?:_[a-z]+)*$/);
    assert.match(sentence, /^[A-Z].{10,}\.$/, code);
  }
});

test("every error code is used somewhere", () => {
  const files = readTree().filter(({ path }) => path !== "src/foundation/errors.ts");
  assert.deepEqual(unusedCodes(Object.keys(ERROR_CODES), files), []);
  assert.deepEqual(unusedCodes(["aborted", "never_thrown"], files), ["never_thrown"]);
  assert.deepEqual(unusedCodes(["a_code"], [madeUp("src/road/x.ts", "// a_code\nconst text = `a_code`;")]), ["a_code"]);
});
