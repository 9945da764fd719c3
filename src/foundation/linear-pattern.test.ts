import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RuntimeError } from "./errors.ts";
import { LinearPattern } from "./linear-pattern.ts";

const isIn = (source: string, text: string): boolean => LinearPattern.parse(source).isIn(text, { left: 10_000_000 });

/** Patterns of everything that is taken, small enough for the language's own engine. */
const pattern = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom("a", "b", "ü", ".", "\\w", "\\d", "\\s", "[ab]", "[^a]", "[a-c0-2]", "\\p{L}", "\\x61", "/", "-", "\\."),
    fc.constantFrom("^", "$", "\\b", "\\B"),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => one + other),
    fc.tuple(tie("any"), tie("any")).map(([one, other]) => `(?:${one}|${other})`),
    fc.tuple(tie("any"), fc.constantFrom("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?", "+?")).map(([one, times]) => `(${one})${times}`),
  ),
})).any;

test("CH-074 a pattern finds what the language's own finds, in any text", () => {
  fc.assert(
    fc.property(
      pattern,
      fc.boolean(),
      fc.array(fc.constantFrom("a", "b", "A", "c", "0", " ", "\n", "ü", "Ü", "-", "."), { maxLength: 12 }),
      (source, ignoresCase, letters) => {
        const text = letters.join("");
        const own = new RegExp(source, ignoresCase ? "isu" : "su").test(text);
        assert.equal(isIn(ignoresCase ? `(?i)${source}` : source, text), own, `${source} in ${JSON.stringify(text)}`);
      },
    ),
    { numRuns: 3_000 },
  );
  for (const source of ["^.😀$", "^a[😀x]$", "\\u{1f600}", "^\\p{L}\\p{So}$"]) assert.ok(isIn(source, "a😀"), source);
  assert.ok(!isIn("^..$", "😀"), "a character beyond the first 65,536 is one");
});

test("CH-074 patterns that others go back over for ever take steps in proportion to the text, and no more than are left", () => {
  for (const source of ["(a+)+$", "(a|a)*$", "(a|aa)+$", "(.*a){12}$", "^(([a-z])+.)+[A-Z]([a-z])+$", "a*a*a*a*a*b"]) {
    const steps = (length: number): number => {
      const budget = { left: 100_000_000 };
      LinearPattern.parse(source).isIn(`${"a".repeat(length)}!`, budget);
      return 100_000_000 - budget.left;
    };
    const [short, long] = [steps(1_000), steps(4_000)];
    assert.ok(long <= short * 4.2 && long >= 4_000, `${source}: ${short} steps, then ${long}`);
  }
  const budget = { left: 1_000 };
  assert.throws(
    () => LinearPattern.parse("x$").isIn("a".repeat(5_000), budget),
    (error) => error instanceof RuntimeError && error.code === "capacity",
  );
  assert.ok(budget.left < 0);
});

test("CH-074 nothing that repeats is read at once, however deep it is nested, and still is nothing", () => {
  const nest = (inner: string): string => `${"(".repeat(20)}${inner}${"){500}".repeat(20)}`;
  for (const inner of ["", "(?:)", "()*", "(){3}?", "a{0}"]) assert.ok(isIn(`^a${nest(inner)}b$`, "ab"), inner);
  assert.throws(() => LinearPattern.parse(nest("|")), /steps/);
});

test("CH-074 looks through very many empty texts use up the steps as well", () => {
  const budget = { left: 10_000 };
  const pattern = LinearPattern.parse("a{480}b{480}");
  assert.throws(
    () => {
      for (let look = 0; look < 100; look += 1) pattern.isIn("", budget);
    },
    (error) => error instanceof RuntimeError && error.code === "capacity",
  );
});

test("CH-074 what cannot be promised is refused with its place and what to write in its stead, and no pattern breaks the reader", () => {
  const refusals: Readonly<Record<string, RegExp>> = {
    "": /at character 1 it is empty/,
    "(a": /at character 1 a parenthesis opens/,
    "a)": /at character 2 a parenthesis closes/,
    "[a": /at character 1 a bracket opens/,
    "a]": /at character 2 a bracket closes/,
    "a**": /at character 3 a repetition repeats/,
    "*a": /at character 1 nothing stands before/,
    "a{": /at character 2 a brace/,
    "a{3,2}": /at character 2 the most is less/,
    "a{501}": /at character 2 it repeats more than 500/,
    "(?=a)": /at character 1 look-around/,
    "(?<!a)b": /at character 1 look-around/,
    "(?<name>a)": /at character 1 look-around/,
    "(a)\\1": /at character 4 what was found before/,
    "^*": /at character 2 a place cannot repeat/,
    "a\\": /at character 2 it ends with a backslash/,
    "\\y": /at character 1 something is no/,
    "[z-a]": /at character 1 something is no/,
    "((a{400}){400})": /steps/,
    [`${"(".repeat(30)}a${")".repeat(30)}`]: /nested deeper/,
    ["a".repeat(2_001)]: /longer than 2000/,
  };
  for (const [source, message] of Object.entries(refusals))
    assert.throws(
      () => LinearPattern.parse(source),
      (error) => error instanceof RuntimeError && error.code === "invalid_argument" && message.test(error.message),
      source,
    );
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab()[]{}*+?|^$\\.-,:=!<1p{}"), maxLength: 24 }), (source) => {
      try {
        isIn(source, "ab(1");
      } catch (error) {
        assert.ok(error instanceof RuntimeError && error.code === "invalid_argument", String(error));
      }
    }),
    { numRuns: 2_000 },
  );
});
